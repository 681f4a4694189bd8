// Compares values of which not everything is known, and notes which constants an input part met.
import {
  Anything,
  Between,
  both,
  InputPart,
  isAbstract,
  isObject,
  isScalar,
  keyOf,
  OtherThan,
  type Scalar,
  SetValue,
  sizeOf,
  type Truth,
  type Value,
} from './values.ts';

/** Told of each constant that decides something about a part of the input. */
export type Meet = (pointer: string, constant: Scalar) => void;

/** Whether two values are equal, for every input that they stand for. */
export function equal(a: Value, b: Value, meet: Meet): Truth {
  if (isAbstract(a)) return equalToAbstract(a, b, meet);
  if (isAbstract(b)) return equalToAbstract(b, a, meet);
  if (isScalar(a) && isScalar(b)) return a === b ? 'yes' : 'no';
  if (a instanceof Between || b instanceof Between) return equalToRange(a, b);
  if (a instanceof SetValue || b instanceof SetValue) return equalToSet(a, b);
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return 'no';
    return all(a.map((item, index) => equal(item, b[index]!, meet)));
  }
  if (!isObject(a) || !isObject(b)) return 'no';
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return 'no';
  if (names.some((name) => !Object.hasOwn(b, name))) return 'no';
  return all(names.map((name) => equal(a[name]!, b[name]!, meet)));
}

function all(truths: Truth[]): Truth {
  return truths.reduce(both, 'yes');
}

function equalToAbstract(a: InputPart | OtherThan | Anything, b: Value, meet: Meet): Truth {
  if (a instanceof Anything) return 'maybe';
  if (isAbstract(b)) {
    return !(b instanceof Anything) && a.pointer === b.pointer ? 'yes' : 'maybe';
  }
  if (!isScalar(b)) return 'maybe';
  if (a instanceof OtherThan && a.known.has(keyOf(b)!)) return 'no';
  meet(a.pointer, b);
  return 'maybe';
}

function equalToRange(a: Value, b: Value): Truth {
  const [one, two] = [rangeOf(a), rangeOf(b)];
  if (one === undefined || two === undefined) return 'no';
  if (one.most < two.least || two.most < one.least) return 'no';
  return one.least === one.most && two.least === two.most ? 'yes' : 'maybe';
}

function equalToSet(a: Value, b: Value): Truth {
  const [one, two] = [keyOf(a), keyOf(b)];
  if (one !== undefined && two !== undefined) return one === two ? 'yes' : 'no';
  if (a instanceof SetValue && b instanceof SetValue) {
    return equalToRange(sizeOf(a), sizeOf(b)) === 'no' ? 'no' : 'maybe';
  }
  const plain = a instanceof SetValue ? b : a;
  const set = a instanceof SetValue ? a : (b as SetValue);
  return set.ordered && Array.isArray(plain) ? 'maybe' : 'no';
}

function rangeOf(value: Value): Between | undefined {
  if (value instanceof Between) return value;
  return typeof value === 'number' ? new Between(value, value) : undefined;
}

export type Relation = 'lt' | 'lte' | 'gt' | 'gte';

/** Whether `a` stands in the relation to `b`, in Rego's order of all values. */
export function compares(relation: Relation, a: Value, b: Value, meet: Meet): Truth {
  if (relation === 'gt') return compares('lt', b, a, meet);
  if (relation === 'gte') return compares('lte', b, a, meet);
  for (const [part, bound] of [
    [a, b],
    [b, a],
  ] as const) {
    if (part instanceof InputPart || part instanceof OtherThan) meetBound(part, bound, meet);
  }
  if (isAbstract(a) || isAbstract(b)) return 'maybe';
  const [one, two] = [rangeOf(a), rangeOf(b)];
  if (one !== undefined && two !== undefined) {
    const strict = relation === 'lt';
    if (strict ? one.most < two.least : one.most <= two.least) return 'yes';
    return (strict ? one.least >= two.most : one.least > two.most) ? 'no' : 'maybe';
  }
  if (typeof a === 'string' && typeof b === 'string') {
    const order = Buffer.compare(Buffer.from(a), Buffer.from(b));
    return (relation === 'lt' ? order < 0 : order <= 0) ? 'yes' : 'no';
  }
  const [left, right] = [rank(a), rank(b)];
  if (left !== right) return left < right ? 'yes' : 'no';
  if (typeof a === 'boolean' && typeof b === 'boolean') {
    return (relation === 'lt' ? a < b : a <= b) ? 'yes' : 'no';
  }
  return 'maybe';
}

/** The neighbours of a bound too: on which side of it a value lies is what matters. */
function meetBound(part: InputPart | OtherThan, bound: Value, meet: Meet): void {
  if (!isScalar(bound)) return;
  meet(part.pointer, bound);
  if (typeof bound === 'string') {
    meet(part.pointer, `${bound}~`);
    meet(part.pointer, '');
  }
  if (typeof bound !== 'number') return;
  meet(part.pointer, bound + 1);
  meet(part.pointer, bound - 1);
}

function rank(value: Value): number {
  if (value === null) return 0;
  if (typeof value === 'boolean') return 1;
  if (typeof value === 'number' || value instanceof Between) return 2;
  if (typeof value === 'string') return 3;
  if (Array.isArray(value) || (value instanceof SetValue && value.ordered)) return 4;
  return isObject(value) ? 5 : 6;
}
