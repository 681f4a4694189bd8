// What kind a value is, and the casts, which only let their own kind through (OPA's v1/topdown/type*.go, casts.go).

import { Failure, failed } from '../failure';
import { add, newSet, sorted } from '../object';
import {
  asciiString,
  boolean,
  elementAt,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newArray,
  push,
} from '../value';

function isBoolean(value: u32): bool {
  return kindOf(value) == Kind.True || kindOf(value) == Kind.False;
}

export function b_is_number(value: u32): u32 {
  return boolean(kindOf(value) == Kind.Number);
}

export function b_is_string(value: u32): u32 {
  return boolean(kindOf(value) == Kind.String);
}

export function b_is_boolean(value: u32): u32 {
  return boolean(isBoolean(value));
}

export function b_is_array(value: u32): u32 {
  return boolean(kindOf(value) == Kind.Array);
}

export function b_is_set(value: u32): u32 {
  return boolean(kindOf(value) == Kind.Set);
}

export function b_is_object(value: u32): u32 {
  return boolean(kindOf(value) == Kind.Object);
}

export function b_is_null(value: u32): u32 {
  return boolean(kindOf(value) == Kind.Null);
}

export function b_type_name(value: u32): u32 {
  const kind = kindOf(value);
  if (kind == Kind.Null) return asciiString('null');
  if (kind == Kind.Number) return asciiString('number');
  if (kind == Kind.String) return asciiString('string');
  if (kind == Kind.Array) return asciiString('array');
  if (kind == Kind.Object) return asciiString('object');
  return asciiString(kind == Kind.Set ? 'set' : 'boolean');
}

/** The value when it is of this kind, otherwise a type error. */
function only(value: u32, matches: bool): u32 {
  return matches ? value : failed(Failure.Type);
}

export function b_cast_string(value: u32): u32 {
  return only(value, kindOf(value) == Kind.String);
}

export function b_cast_boolean(value: u32): u32 {
  return only(value, isBoolean(value));
}

export function b_cast_null(value: u32): u32 {
  return only(value, kindOf(value) == Kind.Null);
}

export function b_cast_object(value: u32): u32 {
  return only(value, kindOf(value) == Kind.Object);
}

/** A set's elements in their order, or an array as it is. */
export function b_cast_array(value: u32): u32 {
  if (kindOf(value) != Kind.Set) return only(value, kindOf(value) == Kind.Array);
  sorted(value);
  const array = newArray(lengthOf(value));
  for (let i: u32 = 0; i < lengthOf(value); i++) push(array, keyAt(value, i));
  return array;
}

/** An array's elements, or a set as it is. */
export function b_cast_set(value: u32): u32 {
  if (kindOf(value) != Kind.Array) return only(value, kindOf(value) == Kind.Set);
  const set = newSet(lengthOf(value));
  for (let i: u32 = 0; i < lengthOf(value); i++) add(set, elementAt(value, i));
  return set;
}
