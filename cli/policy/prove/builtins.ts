// OPA's built-ins over values of which not everything is known.
import { compares, equal, type Meet, type Relation } from './compare.ts';
import {
  ANYTHING,
  Between,
  distinct,
  isAbstract,
  isObject,
  isScalar,
  keyOf,
  SetValue,
  sizeOf,
  type Truth,
  type Value,
} from './values.ts';

/** A result that holds for every input (`sure`) or may; no result at all means undefined. */
export interface Result {
  value: Value;
  sure: boolean;
}

/** `unknown` marks a built-in that the prover does not compute for these arguments. */
export type Outcome = Result | undefined | 'unknown';

type Builtin = (args: Value[], meet: Meet) => Outcome;

const sure = (value: Value): Result => ({ value, sure: true });

function truth(value: Truth): Result {
  return value === 'maybe' ? { value: ANYTHING, sure: true } : sure(value === 'yes');
}

function relation(name: Relation): Builtin {
  return ([a, b], meet) => truth(compares(name, a!, b!, meet));
}

function typeTest(test: (value: Value) => boolean): Builtin {
  return ([value]) => (isAbstract(value!) ? { value: ANYTHING, sure: true } : sure(test(value!)));
}

/** A text function: nothing is known of it unless every argument is; another type is undefined. */
function text(compute: (...texts: string[]) => Value): Builtin {
  return (args, meet) => {
    if (args.some((arg) => isAbstract(arg))) {
      const parts = args.filter(isScalar).filter((arg) => typeof arg === 'string');
      for (const arg of args) {
        if (!isAbstract(arg) || !('pointer' in arg)) continue;
        for (const part of parts) meet(arg.pointer, part);
      }
      return 'unknown';
    }
    if (args.some((arg) => typeof arg !== 'string')) return undefined;
    return sure(compute(...(args as string[])));
  };
}

function arithmetic(compute: (a: number, b: number) => number): Builtin {
  return ([a, b]) => {
    if (typeof a !== 'number' || typeof b !== 'number') return 'unknown';
    const result = compute(a, b);
    return Number.isSafeInteger(result) && Number.isSafeInteger(a) && Number.isSafeInteger(b)
      ? sure(result)
      : 'unknown';
  };
}

export const builtins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['lt', relation('lt')],
  ['lte', relation('lte')],
  ['gt', relation('gt')],
  ['gte', relation('gte')],
  ['equal', ([a, b], meet) => truth(equal(a!, b!, meet))],
  ['eq', ([a, b], meet) => truth(equal(a!, b!, meet))],
  ['neq', ([a, b], meet) => truth(negate(equal(a!, b!, meet)))],
  ['count', ([value]) => count(value!)],
  ['sort', ([value]) => sort(value!)],
  ['or', ([a, b]) => union(a!, b!)],
  ['plus', arithmetic((a, b) => a + b)],
  ['minus', arithmetic((a, b) => a - b)],
  ['mul', arithmetic((a, b) => a * b)],
  ['object.get', ([from, key, other], meet) => objectGet(from!, key!, other!, meet)],
  ['object.keys', ([value]) => objectKeys(value!)],
  ['internal.member_2', ([item, all], meet) => truth(member(item!, all!, meet))],
  ['array.concat', ([a, b]) => arrayConcat(a!, b!)],
  ['array.slice', ([list, start, stop]) => arraySlice(list!, start!, stop!)],
  ['is_array', typeTest((v) => Array.isArray(v) || (v instanceof SetValue && v.ordered))],
  ['is_object', typeTest(isObject)],
  ['is_string', typeTest((v) => typeof v === 'string')],
  ['is_number', typeTest((v) => typeof v === 'number' || v instanceof Between)],
  ['is_boolean', typeTest((v) => typeof v === 'boolean')],
  ['is_null', typeTest((v) => v === null)],
  ['is_set', typeTest((v) => v instanceof SetValue && !v.ordered)],
  ['startswith', text((whole, part) => whole.startsWith(part))],
  ['endswith', text((whole, part) => whole.endsWith(part))],
  ['contains', text((whole, part) => whole.includes(part))],
  ['split', text((whole, by) => (by === '' ? [...whole] : whole.split(by)))],
  ['concat', ([by, parts]) => concat(by!, parts!)],
  ['internal.template_string', ([parts]) => template(parts!)],
  ['internal.print', () => sure(true)],
]);

/** OPA brings both ends into the array; an end before the start gives nothing. */
function arraySlice(list: Value, start: Value, stop: Value): Outcome {
  if (!Array.isArray(list) || !Number.isSafeInteger(start) || !Number.isSafeInteger(stop)) {
    return 'unknown';
  }
  const from = Math.max(0, start as number);
  return sure(list.slice(from, Math.max(from, stop as number)));
}

function negate(value: Truth): Truth {
  if (value === 'maybe') return value;
  return value === 'yes' ? 'no' : 'yes';
}

function count(value: Value): Outcome {
  if (typeof value === 'string') return sure([...value].length);
  if (Array.isArray(value)) return sure(value.length);
  if (isObject(value)) return sure(Object.keys(value).length);
  if (value instanceof SetValue) {
    const size = sizeOf(value);
    return sure(size.least === size.most ? size.least : size);
  }
  if (isAbstract(value)) return { value: new Between(0, Number.POSITIVE_INFINITY), sure: false };
  return undefined;
}

/** A sorted set keeps what is known of its elements, not their order. */
function sort(value: Value): Outcome {
  if (value instanceof SetValue) {
    return sure(new SetValue(value.elements, value.open, true));
  }
  if (!Array.isArray(value)) return isAbstract(value) ? 'unknown' : undefined;
  return sure(
    new SetValue(
      value.map((item) => ({ value: item, sure: true })),
      false,
      true,
    ),
  );
}

function union(a: Value, b: Value): Outcome {
  if (isAbstract(a) || isAbstract(b)) return 'unknown';
  if (!isSet(a) || !isSet(b)) return undefined;
  return sure(new SetValue(distinct([...a.elements, ...b.elements]), a.open || b.open));
}

function isSet(value: Value): value is SetValue {
  return value instanceof SetValue && !value.ordered;
}

function objectGet(from: Value, key: Value, other: Value, meet: Meet): Outcome {
  if (!isObject(from) || Array.isArray(key)) return 'unknown';
  if (isAbstract(key)) {
    const names = Object.keys(from);
    if (names.every((name) => equal(key, name, meet) === 'no')) return sure(other);
    return 'unknown';
  }
  if (typeof key !== 'string') return sure(other);
  return sure(Object.hasOwn(from, key) ? from[key]! : other);
}

function objectKeys(value: Value): Outcome {
  if (!isObject(value)) return isAbstract(value) ? 'unknown' : undefined;
  return sure(new SetValue(Object.keys(value).map((name) => ({ value: name, sure: true }))));
}

/** Membership of an array, a set, or an object's values. */
export function member(item: Value, all: Value, meet: Meet): Truth {
  if (isAbstract(all)) return 'maybe';
  let found: Truth = all instanceof SetValue && all.open ? 'maybe' : 'no';
  const elements = all instanceof SetValue ? all.elements : undefined;
  const values = elements?.map(({ value }) => value) ?? valuesOf(all);
  for (const [index, value] of values.entries()) {
    const same = equal(item, value, meet);
    if (same === 'yes' && (elements?.[index]?.sure ?? true)) return 'yes';
    if (same !== 'no') found = 'maybe';
  }
  return found;
}

function valuesOf(value: Value): Value[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function arrayConcat(a: Value, b: Value): Outcome {
  if (Array.isArray(a) && Array.isArray(b)) return sure([...a, ...b]);
  return isScalar(a) || isScalar(b) || isObject(a) || isObject(b) ? undefined : 'unknown';
}

function concat(by: Value, parts: Value): Outcome {
  if (typeof by !== 'string' || !Array.isArray(parts)) return 'unknown';
  if (parts.some((part) => isAbstract(part))) return 'unknown';
  if (parts.some((part) => typeof part !== 'string')) return undefined;
  return sure(parts.join(by));
}

/** `$"…{x}"`: each value comes as a set, which is empty where the value is undefined. */
function template(parts: Value): Outcome {
  if (!Array.isArray(parts)) return 'unknown';
  let out = '';
  for (const part of parts) {
    const value =
      part instanceof SetValue && keyOf(part) !== undefined ? part.elements[0]?.value : part;
    if (typeof value !== 'string') return 'unknown';
    out += value;
  }
  return sure(out);
}
