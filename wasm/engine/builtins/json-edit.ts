// Edits of one document, one after another: what an edit has copied, the next ones change in place.

import { mark } from '../../common/arena';
import { equal, VALUE_DEPTH_MAX } from '../compare';
import { Failure, stop } from '../failure';
import {
  add,
  append,
  find,
  get,
  has,
  insert,
  LINEAR_MAX,
  newObject,
  newSet,
  sorted,
} from '../object';
import {
  CONTAINER_BYTES,
  ELEMENTS,
  elementAt,
  flagsOf,
  HASH,
  Kind,
  keyAt,
  kindOf,
  LENGTH,
  lengthOf,
  newArray,
  push,
  textOf,
  valueAt,
} from '../value';
import { atoi64, isInt, parsed } from './atoi';

/** Containers from here on were made by these edits and stand in one place only. */
let ownedFrom: u32 = 0;
/** Large objects of which entries were removed: those have no value until `cleaned`. */
let gaps: u32 = 0;
/** The flag of an object in `gaps`, beside those of value.ts. */
const HAS_GAPS: u32 = 64;

// What the edit at hand does at the end of its path.
let path: u32 = 0;
let value: u32 = 0;
let inserting: bool = false;

/** Begins the edits of another document. */
export function beginEdits(): void {
  gaps = newArray(0);
  fixEdits();
}

/** Lets nothing be changed in place that is there now. */
export function fixEdits(): void {
  ownedFrom = mark();
}

/** Takes removed entries out of large objects; before anyone looks at the document. */
export function cleaned(): void {
  for (let i: u32 = 0; i < lengthOf(gaps); i++) {
    const object = elementAt(gaps, i);
    const count = lengthOf(object);
    const whole = newObject(count);
    for (let j: u32 = 0; j < count; j++) {
      if (valueAt(object, j) != 0) append(whole, keyAt(object, j), valueAt(object, j));
    }
    memory.copy(object, whole, CONTAINER_BYTES);
  }
  store<u32>(gaps, 0, LENGTH);
}

/** The value at a path, or 0; 0 for a root of 0. */
export function lookedUp(root: u32, steps: u32): u32 {
  cleaned();
  let node = root;
  for (let i: u32 = 0; i < lengthOf(steps) && node != 0; i++)
    node = child(node, elementAt(steps, i));
  return node;
}

/** The document with a value put in at a path of at least one step, or 0. */
export function inserted(root: u32, steps: u32, what: u32): u32 {
  path = steps;
  value = what;
  inserting = true;
  return edited(root, 0);
}

/** The document without the value at a path of at least one step, or 0. */
export function removed(root: u32, steps: u32): u32 {
  path = steps;
  inserting = false;
  return edited(root, 0);
}

/** The number of an element: Go's toIndex; -1 for none, the length for `-`. */
function indexIn(array: u32, step: u32): i64 {
  if (kindOf(step) != Kind.String) return isInt(step) ? parsed : -1;
  const length = lengthOf(step);
  const first = length == 0 ? 0 : <u32>load<u8>(textOf(step));
  if (length == 1 && first == 0x2d) return lengthOf(array);
  if (first == 0x30 && length > 1) return -1;
  return atoi64(textOf(step), length) ? parsed : -1;
}

function child(node: u32, step: u32): u32 {
  const kind = kindOf(node);
  if (kind == Kind.Object) return get(node, step);
  if (kind == Kind.Set) return has(node, step) ? step : 0;
  if (kind != Kind.Array) return 0;
  const index = indexIn(node, step);
  return index < 0 || index >= <i64>lengthOf(node) ? 0 : elementAt(node, <u32>index);
}

/** The node after the edit of what is below it, or 0. */
function edited(node: u32, depth: u32): u32 {
  if (depth == VALUE_DEPTH_MAX) stop(Failure.Depth);
  const step = elementAt(path, depth);
  if (depth + 1 == lengthOf(path)) return inserting ? put(node, step) : take(node, step);
  const before = child(node, step);
  if (before == 0) return 0;
  const after = edited(before, depth + 1);
  if (after == 0) return 0;
  const kind = kindOf(node);
  if (kind == Kind.Set) {
    const set = without(node, step);
    add(set, after);
    return set;
  }
  const own = owned(node);
  if (kind == Kind.Object) insert(own, step, after);
  else store<u32>(load<u32>(own, ELEMENTS) + ((<u32>indexIn(node, step)) << 2), after);
  return own;
}

function put(node: u32, step: u32): u32 {
  const kind = kindOf(node);
  if (kind == Kind.Object) {
    const own = owned(node);
    insert(own, step, value);
    return own;
  }
  if (kind == Kind.Set) {
    if (!equal(step, value)) return 0;
    const set = without(node, step);
    add(set, value);
    return set;
  }
  if (kind != Kind.Array) return 0;
  const index = indexIn(node, step);
  const length = lengthOf(node);
  if (index < 0 || index > <i64>length) return 0;
  const own = owned(node);
  push(own, value);
  const at = load<u32>(own, ELEMENTS) + ((<u32>index) << 2);
  memory.copy(at + 4, at, (length - <u32>index) << 2);
  store<u32>(at, value);
  return own;
}

function take(node: u32, step: u32): u32 {
  if (child(node, step) == 0) return 0;
  const kind = kindOf(node);
  if (kind == Kind.Set) return without(node, step);
  const own = owned(node);
  const length = lengthOf(own);
  if (kind == Kind.Array) {
    const at = load<u32>(own, ELEMENTS) + ((<u32>indexIn(node, step)) << 2);
    memory.copy(at, at + 4, load<u32>(own, ELEMENTS) + (length << 2) - at - 4);
  } else if (length > LINEAR_MAX) {
    insert(own, step, 0);
    if ((flagsOf(own) & HAS_GAPS) == 0) push(gaps, own);
    store<u8>(own, <u8>(flagsOf(own) | HAS_GAPS), 1);
    return own;
  } else {
    const at = load<u32>(own, ELEMENTS) + ((<u32>find(own, step)) << 3);
    memory.copy(at, at + 8, load<u32>(own, ELEMENTS) + (length << 3) - at - 8);
  }
  store<u32>(own, length - 1, LENGTH);
  return own;
}

/** A copy of a set without one element. */
function without(set: u32, element: u32): u32 {
  const rest = newSet(lengthOf(set));
  sorted(set);
  for (let i: u32 = 0; i < lengthOf(set); i++) {
    if (!equal(keyAt(set, i), element)) append(rest, keyAt(set, i), keyAt(set, i));
  }
  return rest;
}

/** The container itself when it may be changed, otherwise a copy of it. */
function owned(node: u32): u32 {
  if (node >= ownedFrom) {
    store<u32>(node, 0, HASH);
    return node;
  }
  const count = lengthOf(node);
  if (kindOf(node) == Kind.Array) {
    const array = newArray(count + 1);
    memory.copy(load<u32>(array, ELEMENTS), load<u32>(node, ELEMENTS), count << 2);
    store<u32>(array, count, LENGTH);
    return array;
  }
  const object = newObject(count + 1);
  for (let i: u32 = 0; i < count; i++) append(object, keyAt(node, i), valueAt(node, i));
  return object;
}
