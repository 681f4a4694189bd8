// Collections to one value, and membership (OPA's v1/topdown/aggregates.go).

import { compare, equal } from '../compare';
import { Failure, failed } from '../failure';
import { addFloats, exponentOf, floatOf, floatOfText, isNegative, mantissaOf } from '../float';
import { numberOfFloat } from '../float-text';
import { wholeOfValue } from '../integers';
import { multiplyNatural } from '../natural';
import { numberText } from '../number';
import { get, has, sorted } from '../object';
import { codePoints } from '../text';
import {
  boolean,
  elementAt,
  integer,
  integerOf,
  isInteger,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newArray,
  push,
  TRUE,
  textOf,
  valueAt,
} from '../value';
import { b_mul, b_plus } from './arithmetic';
import { isInt, parsed } from './atoi';
import { sortedArray } from './sorting';
import { runesIn } from './utf8';

function isList(value: u32): bool {
  return kindOf(value) == Kind.Array || kindOf(value) == Kind.Set;
}

/** The element of an array, or of a set in the order it has just now. */
function at(list: u32, index: u32): u32 {
  return kindOf(list) == Kind.Set ? keyAt(list, index) : elementAt(list, index);
}

export function b_count(value: u32): u32 {
  const kind = kindOf(value);
  if (kind == Kind.String) return integer(charactersIn(value));
  if (kind < <u32>Kind.Array) return failed(Failure.Type);
  return integer(lengthOf(value));
}

/** What is no UTF-8, as base64.decode may give it, counts a character for every byte that begins none. */
function charactersIn(text: u32): u32 {
  const length = lengthOf(text);
  const beginnings = codePoints(text);
  return beginnings == length ? length : runesIn(textOf(text), length);
}

export function b_sum(list: u32): u32 {
  if (!isList(list)) return failed(Failure.Type);
  if (kindOf(list) == Kind.Set) sorted(list);
  let sum: i64 = 0;
  for (let i: u32 = 0; i < lengthOf(list); i++) {
    const element = at(list, i);
    if (!isInteger(element)) return folded(list, 0, true);
    const number = integerOf(element);
    const next = sum + number;
    // The sum has left the range of an i64 when its sign differs from that of both.
    if (((sum ^ next) & (number ^ next)) < 0) return folded(list, 0, true);
    sum = next;
  }
  return integer(sum);
}

export function b_product(list: u32): u32 {
  if (!isList(list)) return failed(Failure.Type);
  if (kindOf(list) == Kind.Set) sorted(list);
  return folded(list, 1, false);
}

/** The sum or product of any numbers: of whole ones exactly, of others as Go's big.Float, rounded each time. */
function folded(list: u32, start: i64, sums: bool): u32 {
  let whole = true;
  for (let i: u32 = 0; i < lengthOf(list); i++) {
    const element = at(list, i);
    if (kindOf(element) != Kind.Number) return failed(Failure.Type);
    if (!isInteger(element) && wholeOfValue(element) == 0) whole = false;
  }
  let result = integer(start);
  if (whole) {
    for (let i: u32 = 0; i < lengthOf(list); i++) {
      result = sums ? b_plus(result, at(list, i)) : b_mul(result, at(list, i));
    }
    return result;
  }
  let float = floatOfNumber(result);
  for (let i: u32 = 0; i < lengthOf(list); i++) {
    const element = floatOfNumber(at(list, i));
    float = sums ? addFloats(float, element, false) : productOf(float, element);
  }
  return numberOfFloat(float);
}

/** A product with 53 bits, the precision of the 1 that OPA begins with. */
function productOf(a: u32, b: u32): u32 {
  const mantissa = multiplyNatural(mantissaOf(a), mantissaOf(b));
  return floatOf(isNegative(a) != isNegative(b), mantissa, exponentOf(a) + exponentOf(b), 53);
}

function floatOfNumber(number: u32): u32 {
  const text = numberText(number);
  return floatOfText(textOf(text), lengthOf(text));
}

/** The last of the largest (sign 1) or smallest (-1) elements; undefined when there is none. */
function extreme(list: u32, sign: i32): u32 {
  if (!isList(list)) return failed(Failure.Type);
  let found: u32 = 0;
  for (let i: u32 = 0; i < lengthOf(list); i++) {
    const element = at(list, i);
    if (found == 0 || compare(element, found) * sign >= 0) found = element;
  }
  return found;
}

export function b_max(list: u32): u32 {
  return extreme(list, 1);
}

export function b_min(list: u32): u32 {
  return extreme(list, -1);
}

export function b_sort(list: u32): u32 {
  if (!isList(list)) return failed(Failure.Type);
  if (kindOf(list) == Kind.Array) return sortedArray(list);
  sorted(list);
  const array = newArray(lengthOf(list));
  for (let i: u32 = 0; i < lengthOf(list); i++) push(array, keyAt(list, i));
  return array;
}

/** Deprecated, as `any`: whether every element is true. */
export function b_all(list: u32): u32 {
  if (!isList(list)) return failed(Failure.Type);
  for (let i: u32 = 0; i < lengthOf(list); i++) if (at(list, i) != TRUE) return boolean(false);
  return boolean(true);
}

export function b_any(list: u32): u32 {
  if (!isList(list)) return failed(Failure.Type);
  for (let i: u32 = 0; i < lengthOf(list); i++) if (at(list, i) == TRUE) return boolean(true);
  return boolean(false);
}

/** `value in collection`. */
export function b_internal_member_2(value: u32, collection: u32): u32 {
  const kind = kindOf(collection);
  if (kind == Kind.Set) return boolean(has(collection, value));
  if (kind == Kind.Object) sorted(collection);
  else if (kind != Kind.Array) return boolean(false);
  for (let i: u32 = 0; i < lengthOf(collection); i++) {
    const member = kind == Kind.Array ? elementAt(collection, i) : valueAt(collection, i);
    if (equal(value, member)) return boolean(true);
  }
  return boolean(false);
}

/** `key, value in collection`. */
export function b_internal_member_3(key: u32, value: u32, collection: u32): u32 {
  const kind = kindOf(collection);
  if (kind == Kind.Set) return boolean(has(collection, key) && equal(key, value));
  let member: u32 = 0;
  if (kind == Kind.Object) member = get(collection, key);
  else if (kind == Kind.Array && isInt(key) && parsed >= 0 && parsed < <i64>lengthOf(collection))
    member = elementAt(collection, <u32>parsed);
  return boolean(member != 0 && equal(value, member));
}
