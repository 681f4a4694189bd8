// json.filter and json.remove: the parts of a document at some paths, or all others (OPA's v1/topdown/json.go).

import { VALUE_DEPTH_MAX } from '../compare';
import { Failure, failed, stop } from '../failure';
import { writeI64 } from '../number';
import { add, append, get, insert, newObject, newSet, sorted } from '../object';
import {
  elementAt,
  HASH,
  Kind,
  keyAt,
  kindOf,
  LENGTH,
  lengthOf,
  NULL,
  newArray,
  newString,
  push,
  textOf,
  valueAt,
} from '../value';
import { pathOf } from './json-path';

/** All paths as one object, null where one ends; 0 when an operand is of the wrong kind. */
function treeOf(paths: u32): u32 {
  const kind = kindOf(paths);
  if (kind != Kind.Array && kind != Kind.Set) return 0;
  const root = newObject(0);
  for (let i: u32 = 0; i < lengthOf(paths); i++) {
    const path = pathOf(kind == Kind.Set ? keyAt(paths, i) : elementAt(paths, i));
    if (path == 0) return 0;
    addPath(root, path);
  }
  return root;
}

/** A shorter path takes the place of the longer ones that begin with it. */
function addPath(root: u32, path: u32): void {
  const length = lengthOf(path);
  if (length == 0) return;
  let node = root;
  for (let i: u32 = 0; i < length - 1; i++) {
    const key = elementAt(path, i);
    let child = get(node, key);
    if (child == 0) {
      child = newObject(0);
      insert(node, key, child);
    }
    if (child == NULL) return;
    node = child;
  }
  insert(node, elementAt(path, length - 1), NULL);
}

// The number of an array's element as a string, for looking it up: written anew each time.
let number: u32 = 0;

function stepOf(index: u32): u32 {
  const end = writeI64(index, textOf(number));
  store<u32>(number, end - textOf(number), LENGTH);
  store<u32>(number, 0, HASH);
  return number;
}

export function b_json_remove(object: u32, paths: u32): u32 {
  return parts(object, paths, false);
}

export function b_json_filter(object: u32, paths: u32): u32 {
  return parts(object, paths, true);
}

function parts(object: u32, paths: u32, only: bool): u32 {
  if (kindOf(object) != Kind.Object) return failed(Failure.Type);
  const tree = treeOf(paths);
  if (tree == 0) return failed(Failure.Type);
  number = newString(20);
  return only ? kept(object, tree, 0) : rest(object, tree, 0);
}

/** What of a value the paths leave, or 0 when one ends here. */
function rest(value: u32, tree: u32, depth: u32): u32 {
  if (tree == 0) return value;
  if (tree == NULL) return 0;
  return each(value, tree, false, depth);
}

/** What of a value the paths choose, or 0 when none leads here. */
function kept(value: u32, tree: u32, depth: u32): u32 {
  if (tree == 0) return 0;
  if (tree == NULL) return value;
  return each(value, tree, true, depth);
}

function part(value: u32, tree: u32, only: bool, depth: u32): u32 {
  return only ? kept(value, tree, depth) : rest(value, tree, depth);
}

function each(value: u32, tree: u32, only: bool, depth: u32): u32 {
  const kind = kindOf(value);
  if (kind < <u32>Kind.Array) return value;
  if (depth == VALUE_DEPTH_MAX) stop(Failure.Depth);
  const count = lengthOf(value);
  if (kind == Kind.Array) {
    const array = newArray(0);
    for (let i: u32 = 0; i < count; i++) {
      const left = part(elementAt(value, i), get(tree, stepOf(i)), only, depth + 1);
      if (left != 0) push(array, left);
    }
    return array;
  }
  sorted(value);
  const isSet = kind == Kind.Set;
  const result = isSet ? newSet(0) : newObject(0);
  for (let i: u32 = 0; i < count; i++) {
    const key = keyAt(value, i);
    const left = part(isSet ? key : valueAt(value, i), get(tree, key), only, depth + 1);
    if (left == 0) continue;
    // Parts of two elements of a set may be the same.
    if (isSet) add(result, left);
    else append(result, key, left);
  }
  return result;
}
