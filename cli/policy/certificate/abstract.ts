// What the checker knows of a value: the value itself, its form, or only that there is one.
import type { Value } from './values.ts';
import { equal, isArray, isMap, RegoSet, textOf } from './values.ts';

/** One element that may be there; `sure` when it is. */
export interface Item {
  value: Abstract;
  sure: boolean;
}

/**
 * Each stands for a set of values. `many` is a set or an array: each of its actual elements is one of
 * `items`, a sure item stands for at least one element, and `some` says that it is not empty.
 */
export type Abstract =
  | { kind: 'known'; value: Value }
  | { kind: 'input'; pointer: string }
  | { kind: 'object'; members: ReadonlyMap<string, Abstract> }
  | { kind: 'array'; items: readonly Abstract[] }
  | { kind: 'many'; of: 'set' | 'array'; items: readonly Item[]; some: boolean }
  | { kind: 'number'; min: number; max: number }
  | { kind: 'any' };

export type Verdict = 'yes' | 'no' | 'maybe';

export const ANY: Abstract = { kind: 'any' };

export function known(value: Value): Abstract {
  return { kind: 'known', value };
}

/** An object of members, known as a whole when each of them is. */
export function objectOf(members: ReadonlyMap<string, Abstract>): Abstract {
  const values = new Map<string, Value>();
  for (const [key, member] of members) {
    if (member.kind !== 'known') return { kind: 'object', members };
    values.set(key, member.value);
  }
  return known(values);
}

export function arrayOf(items: readonly Abstract[]): Abstract {
  const values: Value[] = [];
  for (const item of items) {
    if (item.kind !== 'known') return { kind: 'array', items };
    values.push(item.value);
  }
  return known(values);
}

/** Each known value once. The only one there is is sure when there surely is one. */
export function distinct(items: readonly Item[], total: boolean): Item[] {
  const found: Item[] = [];
  const places = new Map<string, number>();
  for (const item of items) {
    const text = item.value.kind === 'known' ? textOf(item.value.value) : undefined;
    const place = text === undefined ? undefined : places.get(text);
    if (place === undefined) {
      if (text !== undefined) places.set(text, found.length);
      found.push(item);
    } else if (item.sure) found[place] = item;
  }
  const [only] = found;
  return total && only !== undefined && found.length === 1 ? [{ ...only, sure: true }] : found;
}

/** A set of items, known as a whole when each is known and sure. */
export function setOf(items: readonly Item[], some = false): Abstract {
  const elements = distinct(items, some);
  if (elements.every(({ value, sure }) => sure && value.kind === 'known')) {
    return known(new RegoSet(elements.map(({ value }) => (value as { value: Value }).value)));
  }
  const nonempty = some || elements.some(({ sure }) => sure);
  return { kind: 'many', of: 'set', items: elements, some: nonempty };
}

/** The members of a collection as items; undefined when they are not known at all. */
export function itemsOf(value: Abstract): Item[] | undefined {
  const sure = (item: Abstract): Item => ({ value: item, sure: true });
  if (value.kind === 'many') return [...value.items];
  if (value.kind === 'array') return value.items.map(sure);
  if (value.kind === 'object') return [...value.members.values()].map(sure);
  if (value.kind !== 'known') return undefined;
  if (value.value instanceof RegoSet) return [...value.value.items.values()].map(known).map(sure);
  if (isMap(value.value)) return [...value.value.values()].map(known).map(sure);
  return isArray(value.value) ? value.value.map(known).map(sure) : [];
}

/** How many elements a collection has, least and most. */
export function sizeOf(value: Abstract): { min: number; max: number } | undefined {
  const items = itemsOf(value);
  if (items === undefined) return undefined;
  if (value.kind !== 'many') return { min: items.length, max: items.length };
  const exact = value.of === 'set' && items.every((item) => item.value.kind === 'known');
  const sure = exact ? items.filter((item) => item.sure).length : 0;
  const min = Math.max(sure, value.some ? 1 : 0);
  return { min, max: exact || items.length === 0 ? items.length : Number.POSITIVE_INFINITY };
}

/** Equality; `ofInput` answers for a part of the input against a known value. */
export function same(
  a: Abstract,
  b: Abstract,
  ofInput: (pointer: string, value: Value) => Verdict,
): Verdict {
  if (a.kind === 'known' && b.kind === 'known') return equal(a.value, b.value) ? 'yes' : 'no';
  if (a.kind === 'input' && b.kind === 'input') return a.pointer === b.pointer ? 'yes' : 'maybe';
  if (a.kind === 'input' && b.kind === 'known') return ofInput(a.pointer, b.value);
  if (b.kind === 'input' && a.kind === 'known') return ofInput(b.pointer, a.value);
  if (a.kind === 'number' && b.kind === 'known') return inRange(b.value, a);
  if (b.kind === 'number' && a.kind === 'known') return inRange(a.value, b);
  const left = partsOf(a);
  const right = partsOf(b);
  if (left === undefined || right === undefined) return 'maybe';
  if (left.size !== right.size) return 'no';
  let verdict: Verdict = 'yes';
  for (const [key, value] of left) {
    const other = right.get(key);
    const answer = other === undefined ? 'no' : same(value, other, ofInput);
    if (answer === 'no') return 'no';
    if (answer === 'maybe') verdict = 'maybe';
  }
  return verdict;
}

function inRange(value: Value, range: { min: number; max: number }): Verdict {
  if (typeof value !== 'number' || value < range.min || value > range.max) return 'no';
  return range.min === range.max ? 'yes' : 'maybe';
}

/** The members of objects and arrays under keys that no two forms share. */
function partsOf(value: Abstract): Map<string, Abstract> | undefined {
  if (value.kind === 'object') return new Map([...value.members].map(([k, v]) => [`.${k}`, v]));
  if (value.kind === 'array') return new Map(value.items.map((v, k) => [`[${k}`, v]));
  if (value.kind !== 'known') return undefined;
  // An empty object and an empty array would have the same parts.
  if (isMap(value.value) && value.value.size > 0) {
    return new Map([...value.value].map(([k, v]) => [`.${k}`, known(v)]));
  }
  if (isArray(value.value) && value.value.length > 0) {
    return new Map(value.value.map((v, k) => [`[${k}`, known(v)]));
  }
  return undefined;
}
