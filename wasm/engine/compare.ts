// Rego's equality, total order and hash of values (OPA's ast.Compare).

import { Failure, stop } from './failure';
import { compareNumbers, hashNumber } from './number';
import { find, sorted } from './object';
import { compareBytes, equalBytes, finished, hashBytes, mixed } from './text';
import {
  elementAt,
  flagsOf,
  HASH,
  INTERNED,
  integerOf,
  isInteger,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  TEXT,
  textOf,
  valueAt,
} from './value';

/** The deepest value that is compared, hashed or written. */
export const VALUE_DEPTH_MAX: u32 = 1024;

/** Strings of so many bytes are compared by their hashes first. */
const HASHED_FROM: u32 = 16;

/** Whether two values are the same; 1 equals 1.0. */
export function equal(a: u32, b: u32): bool {
  return a == b || equalAt(a, b, 0);
}

function equalAt(a: u32, b: u32, depth: u32): bool {
  if (a == b) return true;
  const kind = kindOf(a);
  if (kind != kindOf(b)) return false;
  if (kind == Kind.String) return equalStrings(a, b);
  if (kind == Kind.Number) {
    if (isInteger(a) && isInteger(b)) return integerOf(a) == integerOf(b);
    return compareNumbers(a, b) == 0;
  }
  if (kind < <u32>Kind.Number) return true;
  if (lengthOf(a) != lengthOf(b)) return false;
  if (depth == VALUE_DEPTH_MAX) stop(Failure.Depth);
  if (kind == Kind.Array) return equalElements(a, b, depth + 1);
  const hash = load<u32>(a, HASH);
  const other = load<u32>(b, HASH);
  if (hash != 0 && other != 0 && hash != other) return false;
  return equalEntries(a, b, kind == Kind.Object, depth + 1);
}

/** Whether two string values have the same text. */
export function equalStrings(a: u32, b: u32): bool {
  if ((flagsOf(a) & flagsOf(b) & INTERNED) != 0) return a == b;
  const length = lengthOf(a);
  if (length != lengthOf(b)) return false;
  // Long names begin alike, and are compared with many others: their hash tells them apart from then on.
  if (length >= HASHED_FROM) {
    if (load<u64>(a, TEXT) != load<u64>(b, TEXT) || hashOf(a) != hashOf(b)) return false;
  }
  return equalBytes(textOf(a), textOf(b), length);
}

function equalElements(a: u32, b: u32, depth: u32): bool {
  const length = lengthOf(a);
  for (let i: u32 = 0; i < length; i++) {
    if (!equalAt(elementAt(a, i), elementAt(b, i), depth)) return false;
  }
  return true;
}

/** Entries that are in the same order on both sides, as they mostly are, need no search. */
function equalEntries(a: u32, b: u32, object: bool, depth: u32): bool {
  const length = lengthOf(a);
  for (let i: u32 = 0; i < length; i++) {
    const key = keyAt(a, i);
    const at = keyAt(b, i) == key ? <i32>i : find(b, key);
    if (at < 0) return false;
    if (object && !equalAt(valueAt(a, i), valueAt(b, at), depth)) return false;
  }
  return true;
}

/** The total order: below 0, 0 or above 0. */
export function compare(a: u32, b: u32): i32 {
  return compareAt(a, b, 0);
}

function compareAt(a: u32, b: u32, depth: u32): i32 {
  if (a == b) return 0;
  const kind = kindOf(a);
  const other = kindOf(b);
  if (kind != other) return <i32>kind - <i32>other;
  if (kind == Kind.String) return compareBytes(textOf(a), lengthOf(a), textOf(b), lengthOf(b));
  if (kind == Kind.Number) return compareNumbers(a, b);
  if (kind < <u32>Kind.Number) return 0;
  if (depth == VALUE_DEPTH_MAX) stop(Failure.Depth);
  if (kind == Kind.Array) return compareElements(a, b, depth + 1);
  return compareEntries(sorted(a), sorted(b), kind == Kind.Object, depth + 1);
}

function compareElements(a: u32, b: u32, depth: u32): i32 {
  const shorter = min(lengthOf(a), lengthOf(b));
  for (let i: u32 = 0; i < shorter; i++) {
    const order = compareAt(elementAt(a, i), elementAt(b, i), depth);
    if (order != 0) return order;
  }
  return <i32>lengthOf(a) - <i32>lengthOf(b);
}

function compareEntries(a: u32, b: u32, object: bool, depth: u32): i32 {
  const shorter = min(lengthOf(a), lengthOf(b));
  for (let i: u32 = 0; i < shorter; i++) {
    let order = compareAt(keyAt(a, i), keyAt(b, i), depth);
    if (order == 0 && object) order = compareAt(valueAt(a, i), valueAt(b, i), depth);
    if (order != 0) return order;
  }
  return <i32>lengthOf(a) - <i32>lengthOf(b);
}

/** The hash of a value, equal for equal values; kept in the value. */
export function hashOf(value: u32): u32 {
  const known = load<u32>(value, HASH);
  return known != 0 ? known : hashAt(value, 0);
}

function hashAt(value: u32, depth: u32): u32 {
  const known = load<u32>(value, HASH);
  if (known != 0) return known;
  const kind = kindOf(value);
  let hash: u32;
  if (kind == Kind.String) hash = hashBytes(textOf(value), lengthOf(value));
  else if (kind == Kind.Number) hash = hashNumber(value);
  else {
    if (depth == VALUE_DEPTH_MAX) stop(Failure.Depth);
    hash = hashContainer(value, kind, depth + 1);
  }
  store<u32>(value, hash, HASH);
  return hash;
}

function hashContainer(value: u32, kind: u32, depth: u32): u32 {
  const length = lengthOf(value);
  let hash: u64 = <u64>kind + length;
  if (kind == Kind.Array) {
    for (let i: u32 = 0; i < length; i++) {
      hash = mixed(hash, hashAt(elementAt(value, i), depth));
    }
    return finished(hash);
  }
  // A sum, because entries of equal containers may be in different orders.
  for (let i: u32 = 0; i < length; i++) {
    let entry: u64 = hashAt(keyAt(value, i), depth);
    if (kind == Kind.Object) entry |= (<u64>hashAt(valueAt(value, i), depth)) << 32;
    hash += finished(mixed(kind, entry));
  }
  return finished(hash);
}
