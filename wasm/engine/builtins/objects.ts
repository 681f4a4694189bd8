// Objects: their keys, parts and unions (OPA's v1/topdown/object.go).

import { mark } from '../../common/arena';
import { VALUE_DEPTH_MAX } from '../compare';
import { Failure, failed, stop } from '../failure';
import { add, append, find, get, has, insert, newObject, newSet, sorted } from '../object';
import { elementAt, Kind, keyAt, kindOf, lengthOf, valueAt } from '../value';
import { isInt, parsed } from './atoi';

export function b_object_keys(object: u32): u32 {
  if (kindOf(object) != Kind.Object) return failed(Failure.Type);
  const keys = newSet(lengthOf(object));
  for (let i: u32 = 0; i < lengthOf(object); i++) append(keys, keyAt(object, i), keyAt(object, i));
  return keys;
}

/** With an array as path: what is behind all its steps; otherwise the value of one key. */
export function b_object_get(object: u32, path: u32, otherwise: u32): u32 {
  if (kindOf(object) != Kind.Object) return failed(Failure.Type);
  if (kindOf(path) != Kind.Array) {
    const value = get(object, path);
    return value == 0 ? otherwise : value;
  }
  let value = object;
  for (let i: u32 = 0; i < lengthOf(path); i++) {
    value = step(value, elementAt(path, i));
    if (value == 0) return otherwise;
  }
  return value;
}

/** One step into a value, or 0. */
function step(value: u32, key: u32): u32 {
  const kind = kindOf(value);
  if (kind == Kind.Object) return get(value, key);
  if (kind == Kind.Set) return has(value, key) ? key : 0;
  if (kind != Kind.Array || !isInt(key)) return 0;
  return parsed >= 0 && parsed < <i64>lengthOf(value) ? elementAt(value, <u32>parsed) : 0;
}

/** Something that `find` finds the keys in: a set, an object, or an array's elements as a set; 0 for anything else. */
function keysIn(value: u32): u32 {
  const kind = kindOf(value);
  if (kind == Kind.Set || kind == Kind.Object) return value;
  if (kind != Kind.Array) return 0;
  const keys = newSet(lengthOf(value));
  for (let i: u32 = 0; i < lengthOf(value); i++) add(keys, elementAt(value, i));
  return keys;
}

function chosen(object: u32, keys: u32, whenIn: bool): u32 {
  if (kindOf(object) != Kind.Object) return failed(Failure.Type);
  const container = keysIn(keys);
  if (container == 0) return failed(Failure.Type);
  const count = lengthOf(sorted(object));
  const result = newObject(min(count, whenIn ? lengthOf(container) : count));
  for (let i: u32 = 0; i < count; i++) {
    const key = keyAt(object, i);
    if (find(container, key) >= 0 == whenIn) append(result, key, valueAt(object, i));
  }
  return result;
}

export function b_object_remove(object: u32, keys: u32): u32 {
  return chosen(object, keys, false);
}

export function b_object_filter(object: u32, keys: u32): u32 {
  return chosen(object, keys, true);
}

export function b_object_union(a: u32, b: u32): u32 {
  if (kindOf(a) != Kind.Object || kindOf(b) != Kind.Object) return failed(Failure.Type);
  if (lengthOf(a) == 0) return b;
  if (lengthOf(b) == 0) return a;
  const ownedFrom = mark();
  const united = copyOf(a, lengthOf(b));
  merge(united, b, ownedFrom, 0);
  return united;
}

export function b_object_union_n(objects: u32): u32 {
  if (kindOf(objects) != Kind.Array) return failed(Failure.Type);
  const count = lengthOf(objects);
  for (let i: u32 = 0; i < count; i++) {
    if (kindOf(elementAt(objects, i)) != Kind.Object) return failed(Failure.Type);
  }
  if (count == 1) return elementAt(objects, 0);
  const ownedFrom = mark();
  const united = newObject(0);
  for (let i: u32 = 0; i < count; i++) merge(united, elementAt(objects, i), ownedFrom, 0);
  return united;
}

/** Puts the entries of one object into another; objects of the same key become one. What lies from `ownedFrom` on is ours to change. */
function merge(into: u32, from: u32, ownedFrom: u32, depth: u32): void {
  if (depth == VALUE_DEPTH_MAX) stop(Failure.Depth);
  const count = lengthOf(sorted(from));
  for (let i: u32 = 0; i < count; i++) {
    const key = keyAt(from, i);
    const value = valueAt(from, i);
    const at = find(into, key);
    if (at < 0) {
      append(into, key, value);
      continue;
    }
    let present = valueAt(into, at);
    if (kindOf(present) != Kind.Object || kindOf(value) != Kind.Object) {
      insert(into, key, value);
      continue;
    }
    if (present < ownedFrom) {
      present = copyOf(present, lengthOf(value));
      insert(into, key, present);
    }
    merge(present, value, ownedFrom, depth + 1);
  }
}

/** A copy that may be changed, with room for so many more entries. */
function copyOf(object: u32, more: u32): u32 {
  const count = lengthOf(sorted(object));
  const copy = newObject(count + more);
  for (let i: u32 = 0; i < count; i++) append(copy, keyAt(object, i), valueAt(object, i));
  return copy;
}
