// Canonical JSON (RFC 8785) in one pass: validates, writes, and sorts members only where they are out of order.

import { alloc, mark, release } from '../common/arena';
import {
  INPUT_DUPLICATE_KEY,
  INPUT_KEY_TOO_LONG,
  INPUT_NOT_JSON,
  INPUT_TOO_DEEP,
  INPUT_TOO_LARGE,
  OK,
} from '../common/errors';
import { DEPTH_MAX, KEY_BYTES_MAX, unexpectedAt } from '../common/json';
import { numberError, numberPlain, scanNumber, writeNumber } from '../common/number';
import { compareMembers, KEY_LENGTH, KEY_POINTER, sortMembers } from '../common/sort';
import { decodeString, scanString, textCanonical, textError, textEscaped } from '../common/text';
import { setOutput } from '../common/writer';
import { escapeText } from './escape';

/** The largest text that is canonicalized, in bytes. */
const INPUT_BYTES_MAX: u32 = 1024 * 1024;

/** The most that canonical form can be longer: `1e15,` becomes `1000000000000000,`. */
const GROWTH: u32 = 4;
/** Room behind the output for copies of whole 16-byte blocks and for the longest number. */
const SLACK: u32 = 64;

// A member: where its text begins in the output, its key (where sort.ts expects it), where its text ends.
const TEXT_END: u32 = 12;
const MEMBER_BYTES: u32 = 16;
/** The shortest member, `"":0,`; bounds how many there can be. */
const MEMBER_TEXT_MIN: u32 = 5;

let error: i32 = OK;
let limit: u32 = 0;
/** Where the next output byte goes. */
let out: u32 = 0;
/** Stack of the members of all open objects. */
let members: u32 = 0;

/** Makes the canonical form of a JSON text the module's output; returns an error number. */
export function canonicalize(pointer: u32, length: u32): i32 {
  if (length > INPUT_BYTES_MAX) return INPUT_TOO_LARGE;
  error = OK;
  limit = pointer + length;
  members = alloc((length / MEMBER_TEXT_MIN + 1) * MEMBER_BYTES);
  const start = alloc(length * GROWTH + SLACK);
  out = start;
  let p = value(skipSpace(pointer), 0);
  if (p == 0) return error;
  p = skipSpace(p);
  if (p != limit) return unexpectedAt(p, limit);
  setOutput(start, out - start);
  return OK;
}

function fail(number: i32): u32 {
  error = number;
  return 0;
}

function peek(p: u32): u32 {
  return p < limit ? <u32>load<u8>(p) : 0;
}

function put(byte: u32): void {
  store<u8>(out, byte);
  out += 1;
}

function skipSpace(p: u32): u32 {
  // Canonical text has no space at all, so that one compare is the usual cost.
  return p < limit && load<u8>(p) <= 0x20 ? skipSpaces(p) : p;
}

function skipSpaces(start: u32): u32 {
  let p = start;
  while (p < limit) {
    const byte = <u32>load<u8>(p);
    if (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) break;
    p += 1;
  }
  return p;
}

/** Copies in blocks of 16; may read and write up to 15 bytes too many, which SLACK and the layout allow. */
function copy(from: u32, to: u32): void {
  let p = from;
  for (let q = out; p < to; p += 16, q += 16) v128.store(q, v128.load(p));
  out += to - from;
}

/** Each of these reads one construct at `p` and returns where the next byte is, or 0 with `error`. */
function value(p: u32, depth: u32): u32 {
  const byte = peek(p);
  if (byte == 0x22) return text(p);
  if (byte == 0x7b) return object(p, depth + 1);
  if (byte == 0x5b) return array(p, depth + 1);
  if (byte == 0x2d || byte - 0x30 <= 9) return number(p);
  // The literals as little-endian 32-bit words: "null", "true", "fals".
  if (p + 4 <= limit) {
    const word = load<u32>(p);
    if (word == 0x6c6c756e || word == 0x65757274) {
      store<u32>(out, word);
      out += 4;
      return p + 4;
    }
    if (word == 0x736c6166 && peek(p + 4) == 0x65) {
      store<u32>(out, word);
      store<u8>(out, 0x65, 4);
      out += 5;
      return p + 5;
    }
  }
  return fail(unexpectedAt(p, limit));
}

function number(p: u32): u32 {
  const end = scanNumber(p, limit);
  if (end == 0) return fail(numberError);
  if (numberPlain) copy(p, end);
  else out = writeNumber(out);
  return end;
}

function text(p: u32): u32 {
  const close = scanString(p + 1, limit);
  if (close == 0) return fail(textError);
  if (textCanonical) {
    copy(p, close + 1);
    return close + 1;
  }
  const point = mark();
  const decoded = alloc(close - p);
  put(0x22);
  out = escapeText(decoded, decodeString(p + 1, close, decoded), out);
  put(0x22);
  release(point);
  return close + 1;
}

function array(start: u32, depth: u32): u32 {
  if (depth > DEPTH_MAX) return fail(INPUT_TOO_DEEP);
  put(0x5b);
  let p = skipSpace(start + 1);
  if (peek(p) != 0x5d) {
    while (true) {
      p = value(p, depth);
      if (p == 0) return 0;
      p = skipSpace(p);
      if (peek(p) != 0x2c) break;
      put(0x2c);
      p = skipSpace(p + 1);
    }
    if (peek(p) != 0x5d) return fail(unexpectedAt(p, limit));
  }
  put(0x5d);
  return p + 1;
}

function object(start: u32, depth: u32): u32 {
  if (depth > DEPTH_MAX) return fail(INPUT_TOO_DEEP);
  put(0x7b);
  const first = members;
  let sorted = true;
  let p = skipSpace(start + 1);
  if (peek(p) != 0x7d) {
    while (true) {
      const entry = members;
      members += MEMBER_BYTES;
      store<u32>(entry, out);
      p = key(p, entry);
      if (p == 0) return 0;
      if (entry != first && compareMembers(entry - MEMBER_BYTES, entry) >= 0) sorted = false;
      p = skipSpace(p);
      if (peek(p) != 0x3a) return fail(unexpectedAt(p, limit));
      put(0x3a);
      p = value(skipSpace(p + 1), depth);
      if (p == 0) return 0;
      store<u32>(entry, out, TEXT_END);
      p = skipSpace(p);
      if (peek(p) != 0x2c) break;
      put(0x2c);
      p = skipSpace(p + 1);
    }
    if (peek(p) != 0x7d) return fail(unexpectedAt(p, limit));
  }
  if (!sorted && !reorder(first)) return fail(INPUT_DUPLICATE_KEY);
  members = first;
  put(0x7d);
  return p + 1;
}

/** Reads a key and writes it; its decoded text, which the order is of, goes into the member. */
function key(p: u32, entry: u32): u32 {
  if (peek(p) != 0x22) return fail(unexpectedAt(p, limit));
  const close = scanString(p + 1, limit);
  if (close == 0) return fail(textError);
  let pointer = p + 1;
  let end = close;
  if (textEscaped) {
    pointer = alloc(close - p);
    end = decodeString(p + 1, close, pointer);
  }
  if (end - pointer > KEY_BYTES_MAX) return fail(INPUT_KEY_TOO_LONG);
  store<u32>(entry, pointer, KEY_POINTER);
  store<u32>(entry, end - pointer, KEY_LENGTH);
  if (textCanonical) {
    copy(p, close + 1);
    return close + 1;
  }
  put(0x22);
  out = escapeText(pointer, end, out);
  put(0x22);
  return close + 1;
}

/** Brings the members from `first` on into order, in place; false when two keys are equal. */
function reorder(first: u32): bool {
  const point = mark();
  const count = (members - first) / MEMBER_BYTES;
  const index = alloc(count << 2);
  for (let i: u32 = 0; i < count; i++) store<u32>(index + (i << 2), first + i * MEMBER_BYTES);
  if (!sortMembers(index, count)) return false;
  const begin = load<u32>(first);
  const sorted = alloc(out - begin);
  let to = sorted;
  for (let i: u32 = 0; i < count; i++) {
    const entry = load<u32>(index + (i << 2));
    const length = load<u32>(entry, TEXT_END) - load<u32>(entry);
    if (i > 0) store<u8>(to++, 0x2c);
    memory.copy(to, load<u32>(entry), length);
    to += length;
  }
  memory.copy(begin, sorted, out - begin);
  release(point);
  return true;
}
