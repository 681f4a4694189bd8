// Arrays: join, flatten, cut and turn around (OPA's v1/topdown/array.go).

import { Failure, failed } from '../failure';
import {
  CAPACITY,
  ELEMENTS,
  elementAt,
  Kind,
  kindOf,
  LENGTH,
  lengthOf,
  newArray,
  push,
} from '../value';
import { isInt, parsed } from './atoi';

/** Adds elements of an array from one number to another. */
function append(to: u32, from: u32, first: u32, last: u32): void {
  for (let i = first; i < last; i++) push(to, elementAt(from, i));
}

export function b_array_concat(a: u32, b: u32): u32 {
  if (kindOf(a) != Kind.Array || kindOf(b) != Kind.Array) return failed(Failure.Type);
  if (lengthOf(a) == 0) return b;
  if (lengthOf(b) == 0) return a;
  const joined = newArray(lengthOf(a) + lengthOf(b));
  append(joined, a, 0, lengthOf(a));
  append(joined, b, 0, lengthOf(b));
  return joined;
}

/** One level only. */
export function b_array_flatten(array: u32): u32 {
  if (kindOf(array) != Kind.Array) return failed(Failure.Type);
  const count = lengthOf(array);
  const flat = newArray(count);
  for (let i: u32 = 0; i < count; i++) {
    const element = elementAt(array, i);
    if (kindOf(element) == Kind.Array) append(flat, element, 0, lengthOf(element));
    else push(flat, element);
  }
  return flat;
}

export function b_array_slice(array: u32, start: u32, stop: u32): u32 {
  if (kindOf(array) != Kind.Array || !isInt(start)) return failed(Failure.Type);
  let from = parsed;
  if (!isInt(stop)) return failed(Failure.Type);
  const to = min(max(parsed, 0), <i64>lengthOf(array));
  from = min(max(from, 0), to);
  if (to - from == <i64>lengthOf(array)) return array;
  // Values never change, so a slice looks into the elements of its array.
  const slice = newArray(0);
  store<u32>(slice, load<u32>(array, ELEMENTS) + ((<u32>from) << 2), ELEMENTS);
  store<u32>(slice, <u32>(to - from), LENGTH);
  store<u32>(slice, <u32>(to - from), CAPACITY);
  return slice;
}

export function b_array_reverse(array: u32): u32 {
  if (kindOf(array) != Kind.Array) return failed(Failure.Type);
  const count = lengthOf(array);
  const reversed = newArray(count);
  for (let i = count; i > 0; i--) push(reversed, elementAt(array, i - 1));
  return reversed;
}
