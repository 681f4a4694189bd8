// Rego's values as the checker knows them: JSON, and sets.
import { isJsonObject, type JsonValue } from '../../../runtime/json.ts';

/** A value that is fully known; objects are maps, so that no key is special. */
export type Value =
  | null
  | boolean
  | number
  | string
  | readonly Value[]
  | ReadonlyMap<string, Value>
  | RegoSet;

/** A set: its elements by their canonical text. */
export class RegoSet {
  readonly items = new Map<string, Value>();

  constructor(values: Iterable<Value> = []) {
    for (const value of values) this.items.set(textOf(value), value);
  }

  has(value: Value): boolean {
    return this.items.has(textOf(value));
  }
}

/** Turns parsed JSON into a value. */
export function fromJson(json: JsonValue): Value {
  if (Array.isArray(json)) return json.map(fromJson);
  if (!isJsonObject(json)) return json;
  return new Map(Object.entries(json).map(([key, member]) => [key, fromJson(member)]));
}

/** Two values have the same text exactly when they are equal in Rego. */
export function textOf(value: Value): string {
  if (value instanceof RegoSet) return `<${[...value.items.keys()].sort().join(',')}>`;
  if (isMap(value)) {
    const members = [...value.keys()].sort();
    return `{${members.map((key) => `${JSON.stringify(key)}:${textOf(value.get(key)!)}`)}}`;
  }
  if (isArray(value)) return `[${value.map(textOf).join(',')}]`;
  return JSON.stringify(value === 0 ? 0 : value);
}

export function isMap(value: Value): value is ReadonlyMap<string, Value> {
  return value instanceof Map;
}

export function isArray(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function equal(a: Value, b: Value): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return textOf(a) === textOf(b);
}

/**
 * The order of scalars: null, booleans, numbers, strings by their UTF-8 bytes. Undefined where one of
 * the two is a collection, whose order nobody needs here.
 */
export function order(a: Value, b: Value): number | undefined {
  const ranks = [rank(a), rank(b)] as const;
  if (ranks[0] === undefined || ranks[1] === undefined) return undefined;
  if (ranks[0] !== ranks[1]) return ranks[0] - ranks[1];
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  return Number(a) - Number(b);
}

function rank(value: Value): number | undefined {
  if (value === null) return 0;
  const found = ['boolean', 'number', 'string'].indexOf(typeof value);
  return found < 0 ? undefined : found + 1;
}
