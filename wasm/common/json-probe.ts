// A module for the tests alone: shows what the JSON reader read, through the same ABI as every module.

import { alloc } from './arena';
import { INPUT_INVALID, OK } from './errors';
import {
  childCount,
  equalNodes,
  firstChild,
  jsonError,
  Kind,
  keyLength,
  keyPointer,
  kindOf,
  member,
  nextSibling,
  numberLength,
  numberPointer,
  numberValue,
  parseJson,
  stringLength,
  stringPointer,
} from './json';
import {
  beginOutput,
  setOutput,
  writeAscii,
  writeByte,
  writeBytes,
  writeJsonString,
} from './writer';

export { output, outputLength, reserve } from './abi';

/** Reads and writes back: canonical JSON, when every accessor tells the truth. */
export function rewrite(pointer: u32, length: u32): i32 {
  const root = parseJson(pointer, length);
  if (root == 0) return jsonError();
  beginOutput();
  return write(root) ? OK : INPUT_INVALID;
}

function write(node: u32): bool {
  const kind = kindOf(node);
  if (kind == Kind.Null) writeAscii('null');
  else if (kind == Kind.False) writeAscii('false');
  else if (kind == Kind.True) writeAscii('true');
  else if (kind == Kind.Number) writeBytes(numberPointer(node), numberLength(node));
  else if (kind == Kind.String) writeJsonString(stringPointer(node), stringLength(node));
  else return writeChildren(node, kind == Kind.Object);
  return true;
}

function writeChildren(node: u32, isObject: bool): bool {
  let count: u32 = 0;
  writeByte(isObject ? 0x7b : 0x5b);
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
    if (count++ > 0) writeByte(0x2c);
    if (isObject) {
      if (member(node, keyPointer(child), keyLength(child)) != child) return false;
      writeJsonString(keyPointer(child), keyLength(child));
      writeByte(0x3a);
    }
    if (!write(child)) return false;
  }
  writeByte(isObject ? 0x7d : 0x5d);
  return count == childCount(node);
}

/** The value of a number: eight little-endian bytes of binary64. */
export function value(pointer: u32, length: u32): i32 {
  const root = parseJson(pointer, length);
  if (root == 0) return jsonError();
  if (kindOf(root) != Kind.Number) return INPUT_INVALID;
  const out = alloc(8);
  store<f64>(out, numberValue(root));
  setOutput(out, 8);
  return OK;
}

/** Whether the two elements of an array are equal: one byte, 0 or 1. */
export function equal(pointer: u32, length: u32): i32 {
  const root = parseJson(pointer, length);
  if (root == 0) return jsonError();
  if (kindOf(root) != Kind.Array || childCount(root) != 2) return INPUT_INVALID;
  const first = firstChild(root);
  beginOutput();
  writeByte(equalNodes(first, nextSibling(first)) ? 1 : 0);
  return OK;
}

/** Whether `[object, key]` has such a member: one byte, 0 or 1. */
export function has(pointer: u32, length: u32): i32 {
  const root = parseJson(pointer, length);
  if (root == 0) return jsonError();
  const object = firstChild(root);
  const key = nextSibling(object);
  beginOutput();
  writeByte(member(object, stringPointer(key), stringLength(key)) != 0 ? 1 : 0);
  return OK;
}
