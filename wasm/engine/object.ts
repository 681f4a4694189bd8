// Objects and sets: made, searched and brought into order. Up to eight entries are searched one by one.

import { alloc, mark, release } from '../common/arena';
import { compare, equal, hashOf } from './compare';
import { addToIndex, buildIndex, findInIndex, indexIsFull } from './index-table';
import {
  CAPACITY,
  CONTAINER_BYTES,
  ELEMENTS,
  flagsOf,
  HASH,
  INDEX,
  INTERNED,
  Kind,
  keyAt,
  LENGTH,
  lengthOf,
  MASK,
  SORTED,
  valueAt,
} from './value';

/** Larger containers have an index, or are searched by halves. */
export const LINEAR_MAX: u32 = 8;

const INTERNED_STRING: u16 = <u16>(Kind.String | (INTERNED << 8));

function newContainer(kind: u32, capacity: u32): u32 {
  const value = alloc(CONTAINER_BYTES + (capacity << 3));
  store<u64>(value, kind);
  store<u32>(value, 0, LENGTH);
  store<u32>(value, capacity, CAPACITY);
  store<u32>(value, value + CONTAINER_BYTES, ELEMENTS);
  store<u32>(value, 0, INDEX);
  store<u32>(value, 0, MASK);
  return value;
}

/** An empty object with room for so many entries. */
export function newObject(capacity: u32): u32 {
  return newContainer(Kind.Object, capacity);
}

/** An empty set with room for so many elements. */
export function newSet(capacity: u32): u32 {
  return newContainer(Kind.Set, capacity);
}

/** Where the entry with this key is, or -1. */
export function find(container: u32, key: u32): i32 {
  const length = lengthOf(container);
  if (length <= LINEAR_MAX) {
    const entries = load<u32>(container, ELEMENTS);
    const end = entries + (length << 3);
    for (let p = entries; p < end; p += 8) {
      if (load<u32>(p) == key) return <i32>((p - entries) >> 3);
    }
    return findFew(entries, end, key);
  }
  if (load<u32>(container, INDEX) != 0) return findInIndex(container, key, hashOf(key));
  return findByHalves(sorted(container), key);
}

/** Searches for a key that is in no entry as the same pointer. */
function findFew(entries: u32, end: u32, key: u32): i32 {
  const interned = load<u16>(key) == INTERNED_STRING;
  for (let p = entries; p < end; p += 8) {
    const other = load<u32>(p);
    if (interned && load<u16>(other) == INTERNED_STRING) continue;
    if (equal(other, key)) return <i32>((p - entries) >> 3);
  }
  return -1;
}

/** For containers that the host wrote: no index, because nobody knows how long its memory would live. */
function findByHalves(container: u32, key: u32): i32 {
  let low: u32 = 0;
  let high = lengthOf(container);
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = compare(keyAt(container, middle), key);
    if (order == 0) return <i32>middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1;
}

/** The value of a key, or 0. */
export function get(object: u32, key: u32): u32 {
  const at = find(object, key);
  return at < 0 ? 0 : valueAt(object, at);
}

/** Whether a set has this element. */
export function has(set: u32, element: u32): bool {
  return find(set, element) >= 0;
}

/** Sets the value of a key in an object that nobody else holds. */
export function insert(object: u32, key: u32, value: u32): void {
  const at = find(object, key);
  if (at >= 0) store<u32>(load<u32>(object, ELEMENTS) + (at << 3), value, 4);
  else append(object, key, value);
}

/** Adds an element to a set that nobody else holds. */
export function add(set: u32, element: u32): void {
  if (find(set, element) < 0) append(set, element, element);
}

/** Adds an entry whose key the container does not have. */
export function append(container: u32, key: u32, value: u32): void {
  const length = lengthOf(container);
  if (length == load<u32>(container, CAPACITY)) grow(container, length);
  const entry = load<u32>(container, ELEMENTS) + (length << 3);
  store<u32>(entry, key);
  store<u32>(entry, value, 4);
  store<u32>(container, length + 1, LENGTH);
  store<u8>(container, <u8>(flagsOf(container) & ~SORTED), 1);
  store<u32>(container, 0, HASH);
  if (length < LINEAR_MAX) return;
  if (load<u32>(container, INDEX) == 0 || indexIsFull(container)) buildIndex(container);
  else addToIndex(container, length, hashOf(key));
}

function grow(container: u32, length: u32): void {
  const capacity = max<u32>(4, length << 1);
  const moved = alloc(capacity << 3);
  memory.copy(moved, load<u32>(container, ELEMENTS), length << 3);
  store<u32>(container, capacity, CAPACITY);
  store<u32>(container, moved, ELEMENTS);
}

/** Brings the entries into the order of their keys, in place, and returns the container. */
export function sorted(container: u32): u32 {
  if ((flagsOf(container) & SORTED) != 0) return container;
  const length = lengthOf(container);
  const entries = load<u32>(container, ELEMENTS);
  if (!inOrder(entries, length)) {
    if (length <= LINEAR_MAX) sortFew(entries, length);
    else sortMany(entries, length);
    // The index knows entries by their places; it is made anew in the memory that it has.
    if (load<u32>(container, INDEX) != 0) buildIndex(container);
  }
  store<u8>(container, <u8>(flagsOf(container) | SORTED), 1);
  return container;
}

function inOrder(entries: u32, length: u32): bool {
  for (let i: u32 = 1; i < length; i++) {
    const p = entries + (i << 3);
    if (compare(load<u32>(p - 8), load<u32>(p)) > 0) return false;
  }
  return true;
}

function sortFew(entries: u32, length: u32): void {
  for (let i: u32 = 1; i < length; i++) {
    const entry = load<u64>(entries + (i << 3));
    let p = entries + (i << 3);
    for (; p > entries && compare(load<u32>(p - 8), <u32>entry) > 0; p -= 8) {
      store<u64>(p, load<u64>(p - 8));
    }
    store<u64>(p, entry);
  }
}

/** Bottom-up merge sort: no recursion, and no order of keys that makes it slow. */
function sortMany(entries: u32, length: u32): void {
  const point = mark();
  const bytes = length << 3;
  let from = entries;
  let to = alloc(bytes);
  for (let width: u32 = 8; width < bytes; width <<= 1) {
    for (let low: u32 = 0; low < bytes; low += width << 1) {
      merge(from, to, low, min(low + width, bytes), min(low + (width << 1), bytes));
    }
    const swap = from;
    from = to;
    to = swap;
  }
  if (from != entries) memory.copy(entries, from, bytes);
  release(point);
}

function merge(from: u32, to: u32, low: u32, middle: u32, high: u32): void {
  let i = low;
  let j = middle;
  for (let k = low; k < high; k += 8) {
    const left =
      j >= high || (i < middle && compare(load<u32>(from + i), load<u32>(from + j)) <= 0);
    store<u64>(to + k, load<u64>(from + (left ? i : j)));
    if (left) i += 8;
    else j += 8;
  }
}
