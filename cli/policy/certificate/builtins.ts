// The built-ins that the checker computes itself, on known values, exactly as OPA does.
import { equal, isArray, isMap, order, RegoSet, type Value } from './values.ts';

/** A value, nothing (OPA's answer is undefined), or "cannot say". */
export type Computed = { value: Value } | 'undefined' | 'unknown';

type Builtin = (...args: Value[]) => Value | undefined;

/** Thrown by a built-in where OPA's answer could differ from JavaScript's. */
class Unsure extends Error {}

const builtins: Record<string, { arity: number; run: Builtin }> = {
  equal: { arity: 2, run: (a, b) => equal(a!, b!) },
  neq: { arity: 2, run: (a, b) => !equal(a!, b!) },
  lt: { arity: 2, run: (a, b) => ordered(a!, b!) < 0 },
  lte: { arity: 2, run: (a, b) => ordered(a!, b!) <= 0 },
  gt: { arity: 2, run: (a, b) => ordered(a!, b!) > 0 },
  gte: { arity: 2, run: (a, b) => ordered(a!, b!) >= 0 },
  plus: { arity: 2, run: (a, b) => whole(number(a) + number(b)) },
  mul: { arity: 2, run: (a, b) => whole(number(a) * number(b)) },
  minus: { arity: 2, run: minus },
  or: { arity: 2, run: (a, b) => sets(a, b, (x, y) => [...x.items.values(), ...y.items.values()]) },
  and: {
    arity: 2,
    run: (a, b) => sets(a, b, (x, y) => [...x.items.values()].filter((item) => y.has(item))),
  },
  count: { arity: 1, run: count },
  sum: { arity: 1, run: (a) => whole(elements(a).reduce<number>((t, v) => t + number(v), 0)) },
  max: { arity: 1, run: (a) => sorted(a).at(-1) },
  min: { arity: 1, run: (a) => sorted(a)[0] },
  sort: { arity: 1, run: sorted },
  startswith: { arity: 2, run: (a, b) => text(a).startsWith(text(b)) },
  endswith: { arity: 2, run: (a, b) => text(a).endsWith(text(b)) },
  contains: { arity: 2, run: (a, b) => text(a).includes(text(b)) },
  lower: { arity: 1, run: (a) => ascii(a).toLowerCase() },
  upper: { arity: 1, run: (a) => ascii(a).toUpperCase() },
  trim_prefix: {
    arity: 2,
    run: (a, b) => (text(a).startsWith(text(b)) ? text(a).slice(text(b).length) : text(a)),
  },
  trim_suffix: { arity: 2, run: trimSuffix },
  split: { arity: 2, run: split },
  concat: { arity: 2, run: concat },
  'array.concat': { arity: 2, run: (a, b) => [...array(a), ...array(b)] },
  'array.slice': { arity: 3, run: slice },
  'object.get': { arity: 3, run: get },
  'object.keys': { arity: 1, run: (a) => new RegoSet(map(a).keys()) },
  'object.remove': { arity: 2, run: remove },
  'object.union': { arity: 2, run: union },
  is_string: { arity: 1, run: (a) => typeof a === 'string' },
  is_number: { arity: 1, run: (a) => typeof a === 'number' },
  is_boolean: { arity: 1, run: (a) => typeof a === 'boolean' },
  is_null: { arity: 1, run: (a) => a === null },
  is_array: { arity: 1, run: (a) => isArray(a!) },
  is_object: { arity: 1, run: (a) => isMap(a!) },
  is_set: { arity: 1, run: (a) => a instanceof RegoSet },
};

/** How many arguments a built-in takes; undefined for one that is not computed here. */
export function arityOf(name: string): number | undefined {
  return Object.hasOwn(builtins, name) ? builtins[name]!.arity : undefined;
}

/** Computes a built-in on known values. A wrong type is undefined in a policy. */
export function compute(name: string, args: readonly Value[]): Computed {
  if (arityOf(name) !== args.length) return 'unknown';
  try {
    const value = builtins[name]!.run(...args);
    return value === undefined ? 'undefined' : { value };
  } catch (error) {
    if (error instanceof Unsure) return 'unknown';
    throw error;
  }
}

/** `unknown` rather than undefined: what OPA makes of a wrong type is not for the checker to guess. */
function wrong(): never {
  throw new Unsure();
}

function ordered(a: Value, b: Value): number {
  return order(a, b) ?? wrong();
}

function text(value: Value | undefined): string {
  return typeof value === 'string' ? value : wrong();
}

function ascii(value: Value | undefined): string {
  const string = text(value);
  return [...string].every((character) => character < '\x80') ? string : wrong();
}

function number(value: Value | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : wrong();
}

function whole(value: number): number {
  return Number.isSafeInteger(value) ? value : wrong();
}

function array(value: Value | undefined): readonly Value[] {
  return value !== undefined && isArray(value) ? value : wrong();
}

/** OPA brings both ends into the array; an end before the start gives nothing. */
function slice(list: Value | undefined, start: Value | undefined, stop: Value | undefined): Value {
  const first = Math.max(0, number(start));
  return array(list).slice(first, Math.max(first, number(stop)));
}

function map(value: Value | undefined): ReadonlyMap<string, Value> {
  return value !== undefined && isMap(value) ? value : wrong();
}

function elements(value: Value | undefined): Value[] {
  if (value instanceof RegoSet) return [...value.items.values()];
  return [...array(value)];
}

function sets(
  a: Value | undefined,
  b: Value | undefined,
  join: (a: RegoSet, b: RegoSet) => Value[],
): RegoSet {
  if (!(a instanceof RegoSet) || !(b instanceof RegoSet)) wrong();
  return new RegoSet(join(a, b));
}

function minus(a: Value | undefined, b: Value | undefined): Value {
  if (typeof a === 'number') return whole(number(a) - number(b));
  return sets(a, b, (x, y) => [...x.items.values()].filter((item) => !y.has(item)));
}

function count(value: Value | undefined): number {
  if (typeof value === 'string') return [...value].length;
  if (value instanceof RegoSet) return value.items.size;
  if (value !== undefined && isMap(value)) return value.size;
  return array(value).length;
}

function sorted(value: Value | undefined): Value[] {
  const list = elements(value);
  if (list.length > 1) for (const item of list) ordered(item, item);
  return list.sort(ordered);
}

function trimSuffix(a: Value | undefined, b: Value | undefined): string {
  const string = text(a);
  return string.endsWith(text(b)) ? string.slice(0, string.length - text(b).length) : string;
}

function split(a: Value | undefined, b: Value | undefined): Value {
  return text(b) === '' ? wrong() : text(a).split(text(b));
}

function concat(a: Value | undefined, b: Value | undefined): string {
  // Not of a set: the compiled module takes its elements in an order of its own.
  return array(b).map(text).join(text(a));
}

function get(object: Value | undefined, key: Value | undefined, fallback: Value | undefined) {
  const path = key !== undefined && isArray(key) ? key : [key!];
  let value: Value | undefined = map(object);
  for (const step of path) {
    if (value === undefined || !isMap(value)) return wrong();
    value = value.get(text(step));
    if (value === undefined) return fallback;
  }
  return value;
}

function remove(object: Value | undefined, keys: Value | undefined): Value {
  const left = new Map(map(object));
  const names = keys !== undefined && isMap(keys) ? [...keys.keys()] : elements(keys);
  for (const name of names) left.delete(text(name));
  return left;
}

/** Recursive where both sides hold an object. */
function union(a: Value | undefined, b: Value | undefined): Value {
  const joined = new Map(map(a));
  for (const [key, value] of map(b)) {
    const before = joined.get(key);
    joined.set(
      key,
      before !== undefined && isMap(before) && isMap(value) ? union(before, value) : value,
    );
  }
  return joined;
}
