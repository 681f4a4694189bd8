// Random Rego values for tests, and what equality and order of them are, written again in JavaScript.
import fc from 'fast-check';

/** A Rego value in JavaScript: Set is a set, Map an object with any keys. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Value[]
  | Set<Value>
  | Map<Value, Value>;

function rank(value: Value): number {
  if (value === null) return 0;
  if (typeof value === 'boolean') return 1;
  if (typeof value === 'number' || typeof value === 'bigint') return 2;
  if (typeof value === 'string') return 3;
  if (Array.isArray(value)) return 4;
  return value instanceof Map ? 5 : 6;
}

function compareLists(a: readonly Value[], b: readonly Value[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareModel(a[i] as Value, b[i] as Value);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const sortedKeys = (value: Set<Value> | Map<Value, Value>): Value[] =>
  [...value.keys()].sort(compareModel);

/** Rego's order: below 0, 0 or above 0. */
export function compareModel(a: Value, b: Value): number {
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (a === null) return 0;
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  if (typeof a !== 'object') return a < (b as number) ? -1 : a > (b as number) ? 1 : 0;
  if (Array.isArray(a)) return compareLists(a, b as Value[]);
  if (a instanceof Set) return compareLists(sortedKeys(a), sortedKeys(b as Set<Value>));
  const other = b as Map<Value, Value>;
  const pairs = (map: Map<Value, Value>): Value[] =>
    sortedKeys(map).flatMap((key) => [key, map.get(key) as Value]);
  const order = compareLists(pairs(a).slice(0, 2 * other.size), pairs(other).slice(0, 2 * a.size));
  return order !== 0 ? order : a.size - other.size;
}

/** Keeps the first of equal keys. */
function distinct(values: readonly Value[]): Value[] {
  return values.filter((value, i) => !values.slice(0, i).some((v) => compareModel(v, value) === 0));
}

const scalar = (): fc.Arbitrary<Value> =>
  fc.oneof(
    fc.constantFrom(null, false, true),
    fc.constantFrom(
      '',
      'a',
      'b',
      'aa',
      'ab',
      'abcdefgh',
      'abcdefgi',
      'abcdefghi',
      '\u{ffff}',
      '\u{10000}',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.integer({ min: -3, max: 3 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => (Object.is(x, -0) ? 0 : x)),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  );

/** Values of every kind, with few different scalars, so that many are equal. */
export function regoValue(): fc.Arbitrary<Value> {
  return fc.letrec<{ value: Value }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      scalar(),
      fc.array(tie('value'), { maxLength: 12 }),
      fc.array(tie('value'), { maxLength: 12 }).map((list) => new Set(distinct(list))),
      fc
        .array(fc.tuple(tie('value'), tie('value')), { maxLength: 12 })
        .map(
          (pairs) =>
            new Map(distinct(pairs.map(([key]) => key)).map((key) => [key, valueOf(pairs, key)])),
        ),
    ),
  })).value;
}

function valueOf(pairs: readonly [Value, Value][], key: Value): Value {
  return pairs.find(([other]) => other === key)?.[1] as Value;
}

/** An equal value that is built in another order. */
export function reversed(value: Value): Value {
  if (Array.isArray(value)) return value.map(reversed);
  if (value instanceof Set) return new Set([...value].reverse().map(reversed));
  if (value instanceof Map) {
    return new Map([...value].reverse().map(([key, member]) => [reversed(key), reversed(member)]));
  }
  return value;
}
