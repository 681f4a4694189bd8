// Reads JSON text (RFC 8259) into values: for the host's input and data, for built-ins, and with marked sets.

import { alloc } from '../common/arena';
import {
  INPUT_DUPLICATE_KEY,
  INPUT_NOT_JSON,
  INPUT_NUMBER_NOT_PORTABLE,
  INPUT_TOO_DEEP,
  OK,
} from '../common/errors';
import { decodeString, scanString, scanUtf8, textError, textEscaped } from '../common/text';
import { beginKeys, expectedKey, rememberKey } from './expected-keys';
import { shared } from './intern';
import { numberOfScanned, scanJsonNumber } from './number';
import { objectOf } from './parsed';
import { copyBytes, plainEnd } from './text';
import {
  ELEMENTS,
  FALSE,
  integer,
  Kind,
  LENGTH,
  lengthOf,
  NULL,
  newArray,
  newString,
  stringOf,
  TRUE,
  textOf,
} from './value';

/** How deep the host's input may nest. */
export const DEPTH_MAX: u32 = 64;
/** Longer strings are not looked up among the interned ones. */
const SHARED_MAX: u32 = 128;
/** Digits behind the first that an i64 certainly holds. */
const PLAIN_DIGITS: u32 = 17;

let error: i32 = OK;
let at: u32 = 0;
let limit: u32 = 0;
let depthMax: u32 = 0;
let keep: bool = false;
let lastWins: bool = false;
/** The top of the stack of the values of all open containers. */
let stack: u32 = 0;

/** The error number (wasm/common/errors.ts) of the last parse that returned 0. */
export function jsonError(): i32 {
  return error;
}

function fail(number: i32): u32 {
  error = number;
  return 0;
}

/** A host's input: 0 with `jsonError()` when it is no JSON, nests deeper than 64, or has a key twice. */
export function parseInput(pointer: u32, length: u32): u32 {
  return run(pointer, length, DEPTH_MAX, false, false);
}

/** Begins the host's data (load.ts): as `parseInput`, every string interned, every object in order and indexed. */
export function beginKept(pointer: u32, length: u32): void {
  open(pointer, length, DEPTH_MAX, true, false);
}

/** For built-ins: any depth up to `depth`; the last of equal keys wins, as in Go. */
export function parseLenient(pointer: u32, length: u32, depth: u32): u32 {
  return run(pointer, length, depth, false, true);
}

function run(pointer: u32, length: u32, depth: u32, kept: bool, last: bool): u32 {
  open(pointer, length, depth, kept, last);
  return endOfText(parseValue(0));
}

function open(pointer: u32, length: u32, depth: u32, kept: bool, last: bool): void {
  error = OK;
  at = pointer;
  limit = pointer + length;
  depthMax = depth;
  keep = kept;
  lastWins = last;
  beginKeys(!kept && !last);
  // An element takes two bytes of text and four of the stack, a member five and eight.
  stack = alloc((length << 1) + 16);
  skipSpace();
}

/** The root, when it is not 0 and nothing follows it. */
export function endOfText(root: u32): u32 {
  if (root == 0) return 0;
  skipSpace();
  return at == limit ? root : unexpected();
}

/** How many bytes of the text are not read yet. */
export function remaining(): u32 {
  return limit - at;
}

function skipSpace(): void {
  if (at < limit && load<u8>(at) <= 0x20) skipSpaces();
}

function skipSpaces(): void {
  while (at < limit) {
    const byte = <u32>load<u8>(at);
    if (byte > 0x20 || (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09)) return;
    at += 1;
  }
}

/** The byte at `at`, or 0 behind the end. */
export function peek(): u32 {
  return at < limit ? <u32>load<u8>(at) : 0;
}

function unexpected(): u32 {
  if (at < limit && load<u8>(at) >= 0x80 && scanUtf8(at, limit) == 0) return fail(textError);
  return fail(INPUT_NOT_JSON);
}

/** Reads the value at hand, in a container of this depth; 0 with `jsonError()`. */
export function parseValue(depth: u32): u32 {
  const byte = peek();
  if (byte == 0x22) return parseString(false);
  if (byte == 0x7b) return parseObject(depth + 1);
  if (byte == 0x5b) return parseArray(depth + 1);
  if (byte == 0x2d || byte - 0x30 <= 9) return parseNumber();
  // The literals as little-endian 32-bit words: "null", "true", "fals".
  if (at + 4 <= limit) {
    const word = load<u32>(at);
    if (word == 0x6c6c756e) return literal(NULL, 4);
    if (word == 0x65757274) return literal(TRUE, 4);
    if (word == 0x736c6166 && at + 5 <= limit && load<u8>(at, 4) == 0x65) return literal(FALSE, 5);
  }
  return unexpected();
}

function literal(value: u32, length: u32): u32 {
  at += length;
  return value;
}

function parseNumber(): u32 {
  const start = at;
  const first = <u32>load<u8>(start) - 0x30;
  const next: u32 = start + 1 < limit ? load<u8>(start, 1) : 0;
  if (first <= 9 && (first != 0 || next - 0x30 > 9)) {
    const value = plainInteger(first, start + 1);
    if (value != 0) return value;
  }
  const end = scanJsonNumber(start, limit);
  if (end == 0) return unexpected();
  at = end;
  const number = numberOfScanned(start, end - start);
  return number == 0 ? fail(INPUT_NUMBER_NOT_PORTABLE) : number;
}

/** An integer of so few digits that an i64 holds it, with neither point nor exponent; 0 when it is another. */
function plainInteger(first: u64, from: u32): u32 {
  let value = first;
  let p = from;
  const end = min(limit, from + PLAIN_DIGITS);
  for (; p < end && <u32>load<u8>(p) - 0x30 <= 9; p++) value = value * 10 + load<u8>(p) - 0x30;
  if (p == end && p < limit) return 0;
  if (p < limit && (load<u8>(p) == 0x2e || (load<u8>(p) | 0x20) == 0x65)) return 0;
  at = p;
  return integer(value);
}

/** Reads the string at `at`; keys get their hash, which finds duplicates. */
function parseString(key: bool): u32 {
  const start = at + 1;
  let close = plainEnd(start, limit);
  if (close >= limit || load<u8>(close) != 0x22) {
    close = scanString(start, limit);
    if (close == 0) return fail(textError);
    if (textEscaped) return parseEscaped(start, close, key);
  }
  at = close + 1;
  const length = close - start;
  if (length > SHARED_MAX && !keep && !key) return stringOf(start, length);
  return shared(start, length, keep);
}

/** An escaped string is decoded to memory of its own first. */
function parseEscaped(start: u32, close: u32, key: bool): u32 {
  at = close + 1;
  const string = newString(close - start);
  const length = decodeString(start, close, textOf(string)) - textOf(string);
  store<u32>(string, length, LENGTH);
  if (length > SHARED_MAX && !keep && !key) return string;
  return shared(textOf(string), length, keep);
}

function parseArray(depth: u32): u32 {
  if (depth > depthMax) return fail(INPUT_TOO_DEEP);
  const base = stack;
  at += 1;
  skipSpace();
  if (peek() != 0x5d) {
    while (true) {
      const element = parseValue(depth);
      if (element == 0) return 0;
      store<u32>(stack, element);
      stack += 4;
      if (!another()) break;
    }
    if (peek() != 0x5d) return unexpected();
  }
  at += 1;
  const count = (stack - base) >> 2;
  const array = newArray(count);
  copyBytes(load<u32>(array, ELEMENTS), base, count << 2);
  store<u32>(array, count, LENGTH);
  stack = base;
  return array;
}

function parseObject(depth: u32): u32 {
  if (depth > depthMax) return fail(INPUT_TOO_DEEP);
  const base = openObject();
  if (peek() != 0x7d) {
    do {
      if (!parseMember(depth)) return 0;
    } while (another());
  }
  return closeObject(base);
}

/** Goes past the brace at hand; returns where the members of the object will be. */
export function openObject(): u32 {
  at += 1;
  skipSpace();
  return stack;
}

/** Whether a comma follows, which is gone past. */
export function another(): bool {
  skipSpace();
  if (peek() != 0x2c) return false;
  at += 1;
  skipSpace();
  return true;
}

/** The object of the members from `base` on; 0 with `jsonError()` when it does not end here. */
export function closeObject(base: u32): u32 {
  if (peek() != 0x7d) return unexpected();
  at += 1;
  const object = objectOf(base, (stack - base) >> 3, keep, lastWins);
  stack = base;
  return object == 0 ? fail(INPUT_DUPLICATE_KEY) : object;
}

function parseKey(): u32 {
  const start = at + 1;
  const expected = expectedKey(start, limit);
  if (expected != 0) {
    at = start + lengthOf(expected) + 1;
    return expected;
  }
  const key = parseString(true);
  if (key != 0) rememberKey(key, lengthOf(key) == at - start - 1);
  return key;
}

/** Reads `"key": value` onto the stack. */
export function parseMember(depth: u32): bool {
  const key = parseName();
  if (key == 0) return false;
  const value = parseValue(depth);
  if (value == 0) return false;
  pushMember(key, value);
  return true;
}

/** Reads `"key":`; 0 with `jsonError()`. */
export function parseName(): u32 {
  if (peek() != 0x22) return unexpected();
  const key = parseKey();
  if (key == 0) return 0;
  skipSpace();
  if (peek() != 0x3a) return unexpected();
  at += 1;
  skipSpace();
  return key;
}

/** Adds a member to the innermost open object. */
export function pushMember(key: u32, value: u32): void {
  store<u32>(stack, key);
  store<u32>(stack, value, 4);
  stack += 8;
}
