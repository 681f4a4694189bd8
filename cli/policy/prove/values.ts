// What the prover knows of a value: the value itself, or as much as holds for every input it stands for.
import type { JsonValue } from '../../../runtime/json.ts';

export type Truth = 'yes' | 'no' | 'maybe';
export type Scalar = null | boolean | number | string;

/** A part of the input, by its JSON Pointer, about which nothing is known. */
export class InputPart {
  readonly pointer: string;
  constructor(pointer: string) {
    this.pointer = pointer;
  }
}

/** A part of the input that is missing, or is anything but the constants listed (by `keyOf`). */
export class OtherThan {
  readonly pointer: string;
  readonly known: ReadonlySet<string>;
  constructor(pointer: string, known: ReadonlySet<string>) {
    this.pointer = pointer;
    this.known = known;
  }
}

/** Any value at all. */
export class Anything {
  readonly kind = 'anything';
}

/** A number within bounds, both included. */
export class Between {
  readonly least: number;
  readonly most: number;
  constructor(least: number, most: number) {
    this.least = least;
    this.most = most;
  }
}

export interface Element {
  value: Value;
  /** Whether it is in the set for every input; else it may be. */
  sure: boolean;
}

/** A set, or with `ordered` the array that `sort` makes of it. */
export class SetValue {
  readonly elements: readonly Element[];
  /** It may hold more than its elements. */
  readonly open: boolean;
  readonly ordered: boolean;
  constructor(elements: readonly Element[], open = false, ordered = false) {
    this.elements = elements;
    this.open = open || elements.some(({ value }) => value instanceof Anything);
    this.ordered = ordered;
  }
}

export type Value =
  | Scalar
  | Value[]
  | { [key: string]: Value }
  | InputPart
  | OtherThan
  | Anything
  | Between
  | SetValue;

export const ANYTHING = new Anything();

export function isAbstract(value: Value): value is InputPart | OtherThan | Anything {
  return value instanceof InputPart || value instanceof OtherThan || value instanceof Anything;
}

export function isScalar(value: Value): value is Scalar {
  return value === null || typeof value !== 'object';
}

export function isObject(value: Value): value is { [key: string]: Value } {
  return (
    !isScalar(value) &&
    !Array.isArray(value) &&
    !isAbstract(value) &&
    !(value instanceof Between) &&
    !(value instanceof SetValue)
  );
}

/** Text that equal values, and only they, share; undefined for a value that is not wholly known. */
export function keyOf(value: Value): string | undefined {
  if (isScalar(value)) return JSON.stringify(value);
  if (isAbstract(value) || value instanceof Between) return undefined;
  if (value instanceof SetValue) {
    if (value.open || value.elements.some(({ sure }) => !sure)) return undefined;
    const parts = value.elements.map((element) => keyOf(element.value));
    if (parts.includes(undefined) || (value.ordered && parts.length > 1)) return undefined;
    const inside = [...new Set(parts)].sort().join();
    return value.ordered ? `[${inside}]` : `<${inside}>`;
  }
  const parts = Array.isArray(value)
    ? value.map(keyOf)
    : Object.keys(value)
        .sort()
        .map((name) => {
          const inside = keyOf(value[name]!);
          return inside === undefined ? undefined : `${JSON.stringify(name)}:${inside}`;
        });
  if (parts.includes(undefined)) return undefined;
  return Array.isArray(value) ? `[${parts.join()}]` : `{${parts.join()}}`;
}

/** How many elements the set may have. */
export function sizeOf(set: SetValue): Between {
  const sure = new Set(set.elements.filter((e) => e.sure).map((e) => keyOf(e.value) ?? ''));
  const exact = sure.size === 1 || !sure.has('') ? sure.size : sure.size - 1;
  return new Between(exact, set.open ? Number.POSITIVE_INFINITY : set.elements.length);
}

/** The elements without those that are there twice. */
export function distinct(elements: readonly Element[]): Element[] {
  const seen = new Map<string, Element>();
  const out: Element[] = [];
  for (const element of elements) {
    const key = keyOf(element.value);
    const before = key === undefined ? undefined : seen.get(key);
    if (before !== undefined) {
      before.sure ||= element.sure;
      continue;
    }
    const kept = { ...element };
    if (key !== undefined) seen.set(key, kept);
    out.push(kept);
  }
  return out;
}

/** Whether the value counts as true: everything but `false` does. */
export function truthOf(value: Value): Truth {
  if (isAbstract(value)) return 'maybe';
  return value === false ? 'no' : 'yes';
}

/** Both, for conditions that must hold together. */
export function both(a: Truth, b: Truth): Truth {
  if (a === 'no' || b === 'no') return 'no';
  return a === 'yes' && b === 'yes' ? 'yes' : 'maybe';
}

/** RFC 6901 member of a pointer. */
export function below(pointer: string, member: string | number): string {
  return `${pointer}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The value of a JSON document is a value of the prover as it is. */
export function known(value: JsonValue): Value {
  return value as Value;
}
