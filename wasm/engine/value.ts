// Rego values in linear memory: their layout, how to make them and how to look at them.
//
// A value is a pointer, 0 is undefined. Every value begins with its kind (u8), flags (u8) and, at HASH, its
// hash once it is known. Hosts write inputs in this layout (runtime/modules/decision-input.ts), so a change
// here is a change there. Values are never changed once another value holds them.

import { alloc } from '../common/arena';
import { copyBytes } from './text';

/** What a value is, in the order in which Rego sorts values of different kinds. */
export const enum Kind {
  Null = 1,
  False,
  True,
  Number,
  String,
  Array,
  Object,
  Set,
}

/** Equal strings with this flag are one pointer: constants of the policy and strings of the data. */
export const INTERNED: u32 = 1;
/** An object's or a set's entries are in the order of their keys. */
export const SORTED: u32 = 2;
/** A number that an i64 holds; others keep their text. */
export const INTEGER: u32 = 4;

/** Offset of the hash (u32), 0 while it is not known. */
export const HASH: u32 = 4;

// Number: i64 at VALUE when INTEGER, otherwise the nearest f64, then the text's length and the text itself.
export const VALUE: u32 = 8;
export const NUMBER_LENGTH: u32 = 16;
export const NUMBER_TEXT: u32 = 20;

// String: length in bytes, then UTF-8.
export const LENGTH: u32 = 8;
export const TEXT: u32 = 12;

// Array: LENGTH, capacity, pointer to the elements.
// Object and set: LENGTH, capacity, pointer to entries of key and value (a set's value is its key), then the
// hash index: its pointer (0 when there is none) and its mask.
export const CAPACITY: u32 = 12;
export const ELEMENTS: u32 = 16;
export const INDEX: u32 = 20;
export const MASK: u32 = 24;
export const CONTAINER_BYTES: u32 = 32;

// Null, false and true are the same three pointers always: their kind, and their hash.
const singletons: u32 = <u32>(
  memory.data<u32>([Kind.Null, 0x9e3779b1, Kind.False, 0x3c6ef362, Kind.True, 0xdaa66d13], 8)
);
export const NULL: u32 = singletons;
export const FALSE: u32 = singletons + 8;
export const TRUE: u32 = singletons + 16;

export function kindOf(value: u32): u32 {
  return load<u8>(value);
}

export function flagsOf(value: u32): u32 {
  return load<u8>(value, 1);
}

/** A boolean. */
export function boolean(truth: bool): u32 {
  return truth ? TRUE : FALSE;
}

/** An integer. */
export function integer(number: i64): u32 {
  const value = alloc(16);
  store<u64>(value, Kind.Number | (INTEGER << 8));
  store<i64>(value, number, VALUE);
  return value;
}

/** Whether the value is a number that an i64 holds. */
export function isInteger(value: u32): bool {
  return load<u16>(value) == <u16>(Kind.Number | (INTEGER << 8));
}

/** The i64 of an `isInteger` value. */
export function integerOf(value: u32): i64 {
  return load<i64>(value, VALUE);
}

/** A string of so many bytes, which the caller writes to `textOf(it)`: valid UTF-8. */
export function newString(length: u32): u32 {
  const value = alloc(TEXT + length);
  store<u64>(value, Kind.String);
  store<u32>(value, length, LENGTH);
  return value;
}

/** A string with a copy of these bytes. */
export function stringOf(pointer: u32, length: u32): u32 {
  const value = newString(length);
  copyBytes(value + TEXT, pointer, length);
  return value;
}

/** A string of an ASCII literal. */
export function asciiString(text: string): u32 {
  const length = <u32>text.length;
  const value = newString(length);
  const source = changetype<usize>(text);
  for (let i: u32 = 0; i < length; i++) store<u8>(value + TEXT + i, load<u8>(source + (i << 1)));
  return value;
}

/** Where a string's UTF-8 is. */
export function textOf(value: u32): u32 {
  return value + TEXT;
}

/** Bytes of a string, elements of an array, entries of an object or a set. */
export function lengthOf(value: u32): u32 {
  return load<u32>(value, LENGTH);
}

/** An empty array with room for so many elements. */
export function newArray(capacity: u32): u32 {
  const value = alloc(CONTAINER_BYTES);
  store<u64>(value, Kind.Array);
  store<u32>(value, 0, LENGTH);
  store<u32>(value, capacity, CAPACITY);
  store<u32>(value, capacity == 0 ? 0 : alloc(capacity << 2), ELEMENTS);
  return value;
}

/** Adds an element to an array that nobody else holds. */
export function push(array: u32, element: u32): void {
  const length = lengthOf(array);
  if (length == load<u32>(array, CAPACITY)) {
    const capacity = max<u32>(4, length << 1);
    const moved = alloc(capacity << 2);
    memory.copy(moved, load<u32>(array, ELEMENTS), length << 2);
    store<u32>(array, capacity, CAPACITY);
    store<u32>(array, moved, ELEMENTS);
  }
  store<u32>(load<u32>(array, ELEMENTS) + (length << 2), element);
  store<u32>(array, length + 1, LENGTH);
}

/** The element at an index below `lengthOf`. */
export function elementAt(array: u32, index: u32): u32 {
  return load<u32>(load<u32>(array, ELEMENTS) + (index << 2));
}

/** The key of an entry of an object or a set, `index` below `lengthOf`; see `sorted` for their order. */
export function keyAt(container: u32, index: u32): u32 {
  return load<u32>(load<u32>(container, ELEMENTS) + (index << 3));
}

/** The value of an entry of an object. */
export function valueAt(object: u32, index: u32): u32 {
  return load<u32>(load<u32>(object, ELEMENTS) + (index << 3), 4);
}
