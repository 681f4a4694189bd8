// Deep copies of values to memory that outlives an evaluation.

import { keptBelow } from '../common/arena';
import {
  CAPACITY,
  CONTAINER_BYTES,
  ELEMENTS,
  flagsOf,
  INDEX,
  isInteger,
  Kind,
  kindOf,
  LENGTH,
  lengthOf,
  MASK,
  NUMBER_LENGTH,
  NUMBER_TEXT,
  SORTED,
  TEXT,
} from './value';

/** Values nest no deeper in what is copied. */
const DEPTH_MAX: u32 = 64;
/** What `bytesToCopy` gives for a value that is not to be copied. */
export const TOO_LARGE: u32 = 0xffffffff;

let left: i32 = 0;
/** Where the next copy goes, and by how much later it will be moved. */
let at: u32 = 0;
let offset: u32 = 0;

/** How many bytes a deep copy takes, or `TOO_LARGE` when more than `limit` or nested too deep. */
export function bytesToCopy(value: u32, limit: u32): u32 {
  left = limit;
  return measure(value, 0) ? limit - left : TOO_LARGE;
}

function aligned(bytes: u32): u32 {
  return (bytes + 7) & ~7;
}

function headBytes(value: u32, kind: u32): u32 {
  if (kind == Kind.Number) {
    return isInteger(value) ? 16 : aligned(NUMBER_TEXT + load<u32>(value, NUMBER_LENGTH));
  }
  if (kind == Kind.String) return aligned(TEXT + lengthOf(value));
  return CONTAINER_BYTES + aligned(elementBytes(value, kind));
}

function elementBytes(value: u32, kind: u32): u32 {
  return lengthOf(value) << (kind == Kind.Array ? 2 : 3);
}

function measure(value: u32, depth: u32): bool {
  if (value < keptBelow()) return true;
  const kind = kindOf(value);
  left -= headBytes(value, kind);
  if (left < 0 || depth == DEPTH_MAX) return false;
  if (kind <= <u32>Kind.String) return true;
  const elements = load<u32>(value, ELEMENTS);
  const end = elements + elementBytes(value, kind);
  for (let p = elements; p < end; p += 4) if (!measure(load<u32>(p), depth + 1)) return false;
  return true;
}

/**
 * Writes a deep copy of a value at `to`, 8-aligned, where `bytesToCopy` has room, and returns its place
 * after the caller has moved all of it by `by` bytes. Kept values are not copied.
 */
export function copyTo(value: u32, to: u32, by: u32): u32 {
  at = to;
  offset = by;
  return copied(value);
}

function copied(value: u32): u32 {
  if (value < keptBelow()) return value;
  const kind = kindOf(value);
  const copy = at;
  const bytes = headBytes(value, kind);
  at += bytes;
  if (kind <= <u32>Kind.String) {
    memory.copy(copy, value, bytes);
    return copy + offset;
  }
  memory.copy(copy, value, CONTAINER_BYTES);
  store<u8>(copy, <u8>(flagsOf(value) & SORTED), 1);
  store<u32>(copy, lengthOf(value), CAPACITY);
  store<u32>(copy, 0, INDEX);
  store<u32>(copy, 0, MASK);
  store<u32>(copy, copy + CONTAINER_BYTES + offset, ELEMENTS);
  copyElements(load<u32>(value, ELEMENTS), copy + CONTAINER_BYTES, elementBytes(value, kind));
  return copy + offset;
}

function copyElements(from: u32, to: u32, bytes: u32): void {
  for (let i: u32 = 0; i < bytes; i += 4) store<u32>(to + i, copied(load<u32>(from + i)));
}
