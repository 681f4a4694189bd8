// json.patch: RFC 6902 on any value, with paths into sets as OPA has them (OPA's v1/topdown/json.go, internal/edittree).

import { equal } from '../compare';
import { Failure, failed } from '../failure';
import { get } from '../object';
import { asciiString, elementAt, Kind, kindOf, lengthOf } from '../value';
import { beginEdits, cleaned, fixEdits, inserted, lookedUp, removed } from './json-edit';
import { pathOf } from './json-path';

// The names of a patch's members, made once a call.
let nameOp: u32 = 0;
let namePath: u32 = 0;
let nameFrom: u32 = 0;
let nameValue: u32 = 0;

/** The document that is being patched, 0 once its root is removed. */
let root: u32 = 0;

export function b_json_patch(document: u32, patches: u32): u32 {
  if (kindOf(patches) != Kind.Array) return failed(Failure.Type);
  nameOp = asciiString('op');
  namePath = asciiString('path');
  nameFrom = asciiString('from');
  nameValue = asciiString('value');
  root = document;
  beginEdits();
  for (let i: u32 = 0; i < lengthOf(patches); i++) {
    const failure = apply(elementAt(patches, i));
    if (failure != Failure.None) return failed(failure);
  }
  cleaned();
  return root == 0 ? failed() : root;
}

function isNamed(text: u32, name: string): bool {
  return equal(text, asciiString(name));
}

/** Applies one operation; returns why it cannot be. */
function apply(patch: u32): Failure {
  if (kindOf(patch) != Kind.Object) return Failure.Builtin;
  const pointer = get(patch, namePath);
  const op = get(patch, nameOp);
  if (pointer == 0 || op == 0 || kindOf(op) != Kind.String) return Failure.Builtin;
  const path = pathOf(pointer);
  if (path == 0) return Failure.Type;
  const value = get(patch, nameValue);
  if (isNamed(op, 'add')) return put(path, value);
  if (isNamed(op, 'remove')) return take(path);
  if (isNamed(op, 'replace')) {
    const failure = take(path);
    return failure == Failure.None ? put(path, value) : failure;
  }
  if (isNamed(op, 'test')) {
    const found = lookedUp(root, path);
    return found != 0 && value != 0 && equal(found, value) ? Failure.None : Failure.Builtin;
  }
  const moves = isNamed(op, 'move');
  if (!moves && !isNamed(op, 'copy')) return Failure.Builtin;
  return copy(get(patch, nameFrom), path, moves);
}

function copy(pointer: u32, path: u32, moves: bool): Failure {
  if (pointer == 0) return Failure.Builtin;
  const from = pathOf(pointer);
  if (from == 0) return Failure.Type;
  const found = lookedUp(root, from);
  if (found == 0) return Failure.Builtin;
  if (moves) {
    const failure = take(from);
    if (failure != Failure.None) return failure;
  } else {
    // From now on it is in two places, so neither may be changed in place.
    fixEdits();
  }
  return put(path, found);
}

function put(path: u32, value: u32): Failure {
  if (value == 0) return Failure.Builtin;
  const edited = lengthOf(path) == 0 ? value : root == 0 ? 0 : inserted(root, path, value);
  if (edited == 0) return Failure.Builtin;
  root = edited;
  return Failure.None;
}

function take(path: u32): Failure {
  if (root == 0) return Failure.Builtin;
  if (lengthOf(path) == 0) {
    root = 0;
    return Failure.None;
  }
  const edited = removed(root, path);
  if (edited == 0) return Failure.Builtin;
  root = edited;
  return Failure.None;
}
