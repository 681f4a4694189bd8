// A strict JSON reader (RFC 8259 with the refusals of RFC 7493) that leaves a tree of nodes in the arena.

import { alloc } from './arena';
import {
  INPUT_DUPLICATE_KEY,
  INPUT_KEY_TOO_LONG,
  INPUT_NOT_JSON,
  INPUT_TOO_DEEP,
  OK,
} from './errors';
import { firstChild, Kind, LENGTH, NEXT, NODE_BYTES, nextSibling, POINTER, VALUE } from './node';
import {
  NUMBER_BYTES_MAX,
  numberError,
  numberPlain,
  scanNumber,
  scannedValue,
  writeNumber,
} from './number';
import { compareMembers, KEY_LENGTH, KEY_POINTER, sortMembers } from './sort';
import { decodeString, scanString, scanUtf8, textError, textEscaped } from './text';

export {
  childCount,
  equalNodes,
  firstChild,
  Kind,
  keyLength,
  keyPointer,
  kindOf,
  member,
  nextSibling,
  numberLength,
  numberPointer,
  numberValue,
  stringLength,
  stringPointer,
} from './node';

export const DEPTH_MAX: u32 = 64;
export const KEY_BYTES_MAX: u32 = 256;

/** From this many members on, an object gets an index for binary search. */
const INDEX_FROM: u32 = 8;

let error: i32 = OK;
let at: u32 = 0;
let limit: u32 = 0;

/** The error number of the last `parseJson` that returned 0. */
export function jsonError(): i32 {
  return error;
}

function fail(number: i32): u32 {
  error = number;
  return 0;
}

/** Parses one JSON text; returns its root, or 0 with `jsonError()`. The input must stay in place: nodes point into it. */
export function parseJson(pointer: u32, length: u32): u32 {
  error = OK;
  at = pointer;
  limit = pointer + length;
  skipSpace();
  const root = parseValue(0);
  if (root == 0) return 0;
  skipSpace();
  return at == limit ? root : unexpected();
}

function skipSpace(): void {
  while (at < limit) {
    const byte = <u32>load<u8>(at);
    if (byte > 0x20 || (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09)) return;
    at += 1;
  }
}

/** The byte at `at`, or 0 behind the end. */
function peek(): u32 {
  return at < limit ? <u32>load<u8>(at) : 0;
}

/** The error for a byte that fits no rule: bad UTF-8 where it is none, bad JSON otherwise. */
export function unexpectedAt(p: u32, end: u32): i32 {
  if (p < end && load<u8>(p) >= 0x80 && scanUtf8(p, end) == 0) return textError;
  return INPUT_NOT_JSON;
}

function unexpected(): u32 {
  return fail(unexpectedAt(at, limit));
}

function newNode(kind: Kind): u32 {
  const node = alloc(NODE_BYTES);
  store<u32>(node, kind);
  store<u32>(node, 0, NEXT);
  return node;
}

function parseValue(depth: u32): u32 {
  const byte = peek();
  if (byte == 0x22) return parseString();
  if (byte == 0x7b) return parseObject(depth + 1);
  if (byte == 0x5b) return parseArray(depth + 1);
  if (byte == 0x2d || byte - 0x30 <= 9) return parseNumber();
  // The literals as little-endian 32-bit words: "null", "true", "fals".
  if (at + 4 <= limit) {
    const word = load<u32>(at);
    if (word == 0x6c6c756e) return parseLiteral(Kind.Null, 4);
    if (word == 0x65757274) return parseLiteral(Kind.True, 4);
    if (word == 0x736c6166 && at + 5 <= limit && load<u8>(at, 4) == 0x65) {
      return parseLiteral(Kind.False, 5);
    }
  }
  return unexpected();
}

function parseLiteral(kind: Kind, length: u32): u32 {
  at += length;
  return newNode(kind);
}

function parseNumber(): u32 {
  const start = at;
  at = scanNumber(start, limit);
  if (at == 0) return fail(numberError);
  const node = newNode(Kind.Number);
  let pointer = start;
  let end = at;
  if (!numberPlain) {
    pointer = alloc(NUMBER_BYTES_MAX);
    end = writeNumber(pointer);
  }
  store<u32>(node, pointer, POINTER);
  store<u32>(node, end - pointer, LENGTH);
  store<f64>(node, scannedValue(), VALUE);
  return node;
}

/** Scans the string at `at` and writes its decoded text's place to two fields of the node; false on error. */
function readText(node: u32, pointerField: u32): bool {
  const start = at + 1;
  const close = scanString(start, limit);
  if (close == 0) {
    error = textError;
    return false;
  }
  at = close + 1;
  let pointer = start;
  let end = close;
  if (textEscaped) {
    pointer = alloc(close - start);
    end = decodeString(start, close, pointer);
  }
  store<u32>(node + pointerField, pointer);
  store<u32>(node + pointerField, end - pointer, 4);
  return true;
}

function parseString(): u32 {
  const node = newNode(Kind.String);
  return readText(node, POINTER) ? node : 0;
}

function parseArray(depth: u32): u32 {
  if (depth > DEPTH_MAX) return fail(INPUT_TOO_DEEP);
  const node = newNode(Kind.Array);
  let count: u32 = 0;
  let link = node + POINTER;
  store<u32>(link, 0);
  at += 1;
  skipSpace();
  if (peek() != 0x5d) {
    while (true) {
      const child = parseValue(depth);
      if (child == 0) return 0;
      count += 1;
      store<u32>(link, child);
      link = child + NEXT;
      skipSpace();
      if (peek() != 0x2c) break;
      at += 1;
      skipSpace();
    }
    if (peek() != 0x5d) return unexpected();
  }
  at += 1;
  store<u32>(node, count, LENGTH);
  return node;
}

function parseObject(depth: u32): u32 {
  if (depth > DEPTH_MAX) return fail(INPUT_TOO_DEEP);
  const node = newNode(Kind.Object);
  let count: u32 = 0;
  let last: u32 = 0;
  let sorted = true;
  store<u32>(node, 0, POINTER);
  at += 1;
  skipSpace();
  if (peek() != 0x7d) {
    while (true) {
      const child = parseMember(depth);
      if (child == 0) return 0;
      if (last == 0) store<u32>(node, child, POINTER);
      else {
        store<u32>(last, child, NEXT);
        if (sorted && compareMembers(last, child) >= 0) sorted = false;
      }
      last = child;
      count += 1;
      skipSpace();
      if (peek() != 0x2c) break;
      at += 1;
      skipSpace();
    }
    if (peek() != 0x7d) return unexpected();
  }
  at += 1;
  store<u32>(node, count, LENGTH);
  return finishObject(node, count, sorted);
}

/** Reads `"key": value`; the key's place goes into the value's node. */
function parseMember(depth: u32): u32 {
  if (peek() != 0x22) return unexpected();
  const key = alloc(8);
  if (!readText(key, 0)) return 0;
  const pointer = load<u32>(key);
  const length = load<u32>(key, 4);
  if (length > KEY_BYTES_MAX) return fail(INPUT_KEY_TOO_LONG);
  skipSpace();
  if (peek() != 0x3a) return unexpected();
  at += 1;
  skipSpace();
  const child = parseValue(depth);
  if (child == 0) return 0;
  store<u32>(child, pointer, KEY_POINTER);
  store<u32>(child, length, KEY_LENGTH);
  return child;
}

/** Brings members into canonical order, which finds duplicates too, and indexes large objects. */
function finishObject(node: u32, count: u32, sorted: bool): u32 {
  store<u32>(node, 0, VALUE);
  if (sorted && count < INDEX_FROM) return node;
  const index = alloc(count << 2);
  let child = firstChild(node);
  for (let i: u32 = 0; i < count; i++) {
    store<u32>(index + (i << 2), child);
    child = nextSibling(child);
  }
  if (!sorted) {
    if (!sortMembers(index, count)) return fail(INPUT_DUPLICATE_KEY);
    let link = node + POINTER;
    for (let i: u32 = 0; i < count; i++) {
      const next = load<u32>(index + (i << 2));
      store<u32>(link, next);
      link = next + NEXT;
    }
    store<u32>(link, 0);
  }
  store<u32>(node, index, VALUE);
  return node;
}
