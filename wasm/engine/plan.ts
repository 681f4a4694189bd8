// What compiled plans call beside the built-ins: runtime/plan writes the calls, no host sees them.

import { alloc } from '../common/arena';
import { atoi64, isInt, parsed } from './builtins/atoi';
import { equal } from './compare';
import { Failure, stop } from './failure';
import { intern as internKept } from './intern';
import { numberFromText as numberOfJson, numberText, numberWithText } from './number';
import { append, find, get, insert, newObject } from './object';
import { codePoints } from './text';
import {
  elementAt,
  FALSE,
  integer,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  NULL,
  TRUE,
  textOf,
  valueAt,
} from './value';

export { useInput } from './clock';
export { compare, equal } from './compare';
export { clearFailure, stop } from './failure';
export { add, insert, newObject, newSet, sorted } from './object';
export { integer, newArray, push } from './value';

/** Objects that are merged nest no deeper. */
const MERGE_DEPTH_MAX: u32 = 1024;

/** A constant text of the plan, once, as an interned string. */
export function constantString(pointer: u32, length: u32): u32 {
  return internKept(pointer, length);
}

/** A constant number of the plan; Rego also takes `.5`, which is no JSON. */
export function numberFromText(pointer: u32, length: u32): u32 {
  const number = numberOfJson(pointer, length);
  return number == 0 ? numberWithText(pointer, length) : number;
}

export function nullValue(): u32 {
  return NULL;
}

export function booleanValue(truth: bool): u32 {
  return truth ? TRUE : FALSE;
}

/** Tables that are not in use; each begins with the address of the next. */
let freeTables: u32 = 0;

/** The first table of an evaluation: of so many results, none of them known yet. */
export function firstMemo(slots: u32): u32 {
  freeTables = 0;
  return memoTable(slots);
}

/** A table of so many results for documents that are replaced, until `freeMemo`. */
export function memoTable(slots: u32): u32 {
  let table = freeTables;
  if (table != 0) freeTables = load<u32>(table);
  else table = alloc((slots + 1) << 2);
  memory.fill(table, 0, slots << 2);
  return table;
}

/** Gives a table back, so that a `with` in a loop needs memory once. */
export function freeMemo(table: u32): void {
  store<u32>(table, freeTables);
  freeTables = table;
}

/** What a value has under a key: an element, the value of an object's key, an element of a set; 0 if nothing. */
export function dot(value: u32, key: u32): u32 {
  const kind = kindOf(value);
  if (kind == Kind.Object) return get(value, key);
  if (kind == Kind.Array) return isInt(key) ? elementNumbered(value, parsed) : 0;
  if (kind != Kind.Set) return 0;
  const at = find(value, key);
  return at < 0 ? 0 : keyAt(value, at);
}

/** As `dot`, in the data: a number is also the name that is its text, and a text the index, as in paths of OPA's store. */
export function storedDot(value: u32, key: u32): u32 {
  const found = dot(value, key);
  if (found != 0) return found;
  if (kindOf(key) == Kind.Number && kindOf(value) == Kind.Object)
    return get(value, numberText(key));
  if (kindOf(key) != Kind.String || kindOf(value) != Kind.Array) return 0;
  return atoi64(textOf(key), lengthOf(key)) ? elementNumbered(value, parsed) : 0;
}

function elementNumbered(array: u32, index: i64): u32 {
  return index >= 0 && index < <i64>lengthOf(array) ? elementAt(array, <u32>index) : 0;
}

/** The number of elements, entries or characters; 0 for any other value. */
export function lengthValue(value: u32): u32 {
  const kind = kindOf(value);
  if (kind == Kind.String) return integer(codePoints(value));
  return integer(kind > <u32>Kind.String ? lengthOf(value) : 0);
}

/** Sets the value of a key that an object does not have with another value, which would be a conflict. */
export function insertOnce(object: u32, key: u32, value: u32): void {
  const at = find(object, key);
  if (at < 0) append(object, key, value);
  else if (!equal(valueAt(object, at), value)) stop(Failure.Conflict);
}

/** What the data has and what the rules below the same path give; the data wins where both are no objects. */
export function mergeDocuments(base: u32, made: u32): u32 {
  return base == 0 ? made : merge(base, made, 0);
}

function merge(base: u32, made: u32, depth: u32): u32 {
  if (kindOf(base) != Kind.Object || kindOf(made) != Kind.Object) return base;
  if (depth == MERGE_DEPTH_MAX) stop(Failure.Depth);
  const merged = copyOf(base, lengthOf(made));
  const length = lengthOf(made);
  for (let i: u32 = 0; i < length; i++) {
    const key = keyAt(made, i);
    const at = find(base, key);
    if (at < 0) insert(merged, key, valueAt(made, i));
    else insert(merged, key, merge(valueAt(base, at), valueAt(made, i), depth + 1));
  }
  return merged;
}

/** The document with the value at a path of keys, where objects are made as needed (OPA's `with`). */
export function replaceAt(document: u32, path: u32, value: u32): u32 {
  const last = lengthOf(path) - 1;
  const replaced = objectLike(document);
  let node = replaced;
  for (let i: u32 = 0; i < last; i++) {
    const key = elementAt(path, i);
    const child = objectLike(get(node, key));
    insert(node, key, child);
    node = child;
  }
  insert(node, elementAt(path, last), value);
  return replaced;
}

/** A copy of an object, or an empty one in the place of anything else. */
function objectLike(value: u32): u32 {
  return value != 0 && kindOf(value) == Kind.Object ? copyOf(value, 1) : newObject(1);
}

/** An object with the same entries, and room for more. */
function copyOf(object: u32, more: u32): u32 {
  const length = lengthOf(object);
  const copy = newObject(length + more);
  for (let i: u32 = 0; i < length; i++) append(copy, keyAt(object, i), valueAt(object, i));
  return copy;
}
