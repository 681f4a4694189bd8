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
import { interned, internHashed } from './intern';
import { numberOfScanned, scanJsonNumber } from './number';
import { objectOf } from './parsed';
import { copyBytes, hashBytes } from './text';
import {
  ELEMENTS,
  FALSE,
  HASH,
  INTERNED,
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

/** The host's data: as `parseInput`, and every string interned, every object in order and indexed. */
export function parseKept(pointer: u32, length: u32): u32 {
  return run(pointer, length, DEPTH_MAX, true, false);
}

/** For built-ins: any depth up to `depth`; the last of equal keys wins, as in Go. */
export function parseLenient(pointer: u32, length: u32, depth: u32): u32 {
  return run(pointer, length, depth, false, true);
}

function run(pointer: u32, length: u32, depth: u32, kept: bool, last: bool): u32 {
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
  const root = parseValue(0);
  if (root == 0) return 0;
  skipSpace();
  return at == limit ? root : unexpected();
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
function peek(): u32 {
  return at < limit ? <u32>load<u8>(at) : 0;
}

function unexpected(): u32 {
  if (at < limit && load<u8>(at) >= 0x80 && scanUtf8(at, limit) == 0) return fail(textError);
  return fail(INPUT_NOT_JSON);
}

function parseValue(depth: u32): u32 {
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
  let close = plainEnd(start);
  if (close >= limit || load<u8>(close) != 0x22) {
    close = scanString(start, limit);
    if (close == 0) return fail(textError);
    if (textEscaped) return parseEscaped(start, close, key);
  }
  at = close + 1;
  const length = close - start;
  if (length > SHARED_MAX && !keep && !key) return stringOf(start, length);
  return shared(start, length);
}

/** Where a byte is that is no plain ASCII, or the last place from which 16 bytes can be read. */
function plainEnd(start: u32): u32 {
  let p = start;
  for (; p + 16 <= limit; p += 16) {
    const block = v128.load(p);
    // Signed, so that bytes from 0x80 count as below 0x20.
    const control = i8x16.lt_s(block, i8x16.splat(0x20));
    const quote = i8x16.eq(block, i8x16.splat(0x22));
    const backslash = i8x16.eq(block, i8x16.splat(0x5c));
    const special = i8x16.bitmask(v128.or(control, v128.or(quote, backslash)));
    if (special != 0) return p + ctz(special);
  }
  return p;
}

/** An escaped string is decoded to memory of its own first. */
function parseEscaped(start: u32, close: u32, key: bool): u32 {
  at = close + 1;
  const string = newString(close - start);
  const length = decodeString(start, close, textOf(string)) - textOf(string);
  store<u32>(string, length, LENGTH);
  if (length > SHARED_MAX && !keep && !key) return string;
  return shared(textOf(string), length);
}

/** The interned string with this text where there is one. */
function shared(pointer: u32, length: u32): u32 {
  const hash = hashBytes(pointer, length);
  if (keep) return internHashed(pointer, length, hash);
  const known = interned(pointer, length, hash);
  if (known != 0) return known;
  const string = stringOf(pointer, length);
  store<u32>(string, hash, HASH);
  return string;
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
      skipSpace();
      if (peek() != 0x2c) break;
      at += 1;
      skipSpace();
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
  const base = stack;
  at += 1;
  skipSpace();
  if (peek() != 0x7d) {
    while (true) {
      if (!parseMember(depth)) return 0;
      skipSpace();
      if (peek() != 0x2c) break;
      at += 1;
      skipSpace();
    }
    if (peek() != 0x7d) return unexpected();
  }
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
function parseMember(depth: u32): bool {
  if (peek() != 0x22) return unexpected() != 0;
  const key = parseKey();
  if (key == 0) return false;
  skipSpace();
  if (peek() != 0x3a) return unexpected() != 0;
  at += 1;
  skipSpace();
  const value = parseValue(depth);
  if (value == 0) return false;
  store<u32>(stack, key);
  store<u32>(stack, value, 4);
  stack += 8;
  return true;
}
