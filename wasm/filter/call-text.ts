// Writes parts of a message anew: a value as canonical JSON, and its keys and strings as one text.

import {
  firstChild,
  Kind,
  keyLength,
  keyPointer,
  kindOf,
  nextSibling,
  numberLength,
  numberPointer,
  stringLength,
  stringPointer,
} from '../common/json';
import {
  writeAscii,
  writeByte,
  writeBytes,
  writeJsonByte,
  writeJsonString,
} from '../common/writer';

/** Writes a node as canonical JSON (RFC 8785); members of nodes are in its order already. */
export function writeNode(node: u32): void {
  const kind = kindOf(node);
  if (kind == Kind.Null) writeAscii('null');
  else if (kind == Kind.True) writeAscii('true');
  else if (kind == Kind.False) writeAscii('false');
  else if (kind == Kind.Number) writeBytes(numberPointer(node), numberLength(node));
  else if (kind == Kind.String) writeJsonString(stringPointer(node), stringLength(node));
  else writeContainer(node, kind == Kind.Object);
}

function writeContainer(node: u32, isObject: bool): void {
  writeByte(isObject ? 0x7b : 0x5b);
  const first = firstChild(node);
  for (let child = first; child != 0; child = nextSibling(child)) {
    if (child != first) writeByte(0x2c);
    if (isObject) {
      writeJsonString(keyPointer(child), keyLength(child));
      writeByte(0x3a);
    }
    writeNode(child);
  }
  writeByte(isObject ? 0x7d : 0x5d);
}

let isFirstLine: bool = true;

/**
 * Writes, as one JSON string, the keys and strings of a node in canonical order, each on a line of its
 * own, empty ones left out; runtime/mesh/message.ts says why it is not their JSON. A node of 0 is empty.
 */
export function writeTextOf(node: u32): void {
  isFirstLine = true;
  writeByte(0x22);
  if (node != 0) writeLines(node);
  writeByte(0x22);
}

function writeLines(node: u32): void {
  const kind = kindOf(node);
  if (kind == Kind.String) writeLine(stringPointer(node), stringLength(node));
  else if (kind == Kind.Array || kind == Kind.Object) {
    for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
      if (kind == Kind.Object) writeLine(keyPointer(child), keyLength(child));
      writeLines(child);
    }
  }
}

function writeLine(pointer: u32, length: u32): void {
  if (length == 0) return;
  if (!isFirstLine) writeJsonByte(0x0a);
  isFirstLine = false;
  for (let p = pointer; p < pointer + length; p++) writeJsonByte(load<u8>(p));
}
