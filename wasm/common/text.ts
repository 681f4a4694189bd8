// Reads JSON strings: UTF-8 (RFC 3629 section 4) and escapes (RFC 8259 section 7), refused at the first fault.

import { INPUT_LONE_SURROGATE, INPUT_NOT_JSON, INPUT_NOT_UTF8, OK } from './errors';

/** Why the last scan returned 0. */
export let textError: i32 = OK;
/** Whether the last scanned string holds an escape, so that its text is not its bytes. */
export let textEscaped: bool = false;
/** Whether every escape of the last scanned string is the one that RFC 8785 would write. */
export let textCanonical: bool = true;

function fail(error: i32): u32 {
  textError = error;
  return 0;
}

/** Scans from behind the opening quote; returns where the closing quote is, or 0 with `textError`. */
export function scanString(start: u32, end: u32): u32 {
  let p = start;
  textEscaped = false;
  textCanonical = true;
  while (true) {
    p = skipPlain(p, end);
    if (p >= end) return fail(INPUT_NOT_JSON);
    const byte = <u32>load<u8>(p);
    if (byte == 0x22) return p;
    if (byte < 0x20) return fail(INPUT_NOT_JSON);
    if (byte == 0x5c) {
      p = scanEscape(p, end);
      if (p == 0) return 0;
    } else if (byte < 0x80) {
      p += 1;
    } else {
      // Stays here for a run of non-ASCII text instead of starting a vector compare for each character.
      do {
        p = scanUtf8(p, end);
        if (p == 0) return 0;
      } while (p < end && load<u8>(p) >= 0x80);
    }
  }
}

/** Skips 16 bytes at a time what is neither control, quote, backslash nor non-ASCII. */
function skipPlain(start: u32, end: u32): u32 {
  let p = start;
  while (p + 16 <= end) {
    const block = v128.load(p);
    // Signed, so that bytes from 0x80 count as below 0x20.
    const control = i8x16.lt_s(block, i8x16.splat(0x20));
    const quote = i8x16.eq(block, i8x16.splat(0x22));
    const backslash = i8x16.eq(block, i8x16.splat(0x5c));
    const special = i8x16.bitmask(v128.or(control, v128.or(quote, backslash)));
    if (special != 0) return p + ctz(special);
    p += 16;
  }
  return p;
}

/** Scans one non-ASCII character; returns where the next begins, or 0 with `textError`. */
export function scanUtf8(p: u32, end: u32): u32 {
  const first = <u32>load<u8>(p);
  if (first < 0xc2 || first > 0xf4) return fail(INPUT_NOT_UTF8);
  const length: u32 = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (p + length > end) return fail(INPUT_NOT_UTF8);
  for (let i: u32 = 1; i < length; i++) {
    if ((load<u8>(p + i) & 0xc0) != 0x80) return fail(INPUT_NOT_UTF8);
  }
  const second = <u32>load<u8>(p, 1);
  if (first == 0xe0 && second < 0xa0) return fail(INPUT_NOT_UTF8);
  if (first == 0xed && second > 0x9f) return fail(INPUT_LONE_SURROGATE);
  if (first == 0xf0 && second < 0x90) return fail(INPUT_NOT_UTF8);
  if (first == 0xf4 && second > 0x8f) return fail(INPUT_NOT_UTF8);
  return p + length;
}

/** Checks UTF-8 text that stands in no JSON; returns false with `textError`. */
export function validUtf8(pointer: u32, length: u32): bool {
  let p = pointer;
  const end = pointer + length;
  while (p < end) {
    if (load<u8>(p) < 0x80) p += 1;
    else {
      p = scanUtf8(p, end);
      if (p == 0) return false;
    }
  }
  return true;
}

function scanEscape(p: u32, end: u32): u32 {
  textEscaped = true;
  if (p + 2 > end) return fail(INPUT_NOT_JSON);
  const letter = <u32>load<u8>(p, 1);
  if (letter == 0x75) return scanUnicodeEscape(p, end);
  if (letter == 0x2f) textCanonical = false;
  else if (simpleEscape(letter) == 0) return fail(INPUT_NOT_JSON);
  return p + 2;
}

function scanUnicodeEscape(p: u32, end: u32): u32 {
  const unit = hex4(p + 2, end);
  if (unit < 0) return fail(INPUT_NOT_JSON);
  if (unit >= 0x20 || isShort(unit) || isUpperHex(load<u8>(p, 5))) textCanonical = false;
  if (unit < 0xd800 || unit > 0xdfff) return p + 6;
  if (unit > 0xdbff || p + 12 > end) return fail(INPUT_LONE_SURROGATE);
  if (load<u8>(p, 6) != 0x5c || load<u8>(p, 7) != 0x75) return fail(INPUT_LONE_SURROGATE);
  const low = hex4(p + 8, end);
  if (low < 0xdc00 || low > 0xdfff) return fail(INPUT_LONE_SURROGATE);
  return p + 12;
}

/** Whether RFC 8785 writes this control character as backslash and a letter. */
function isShort(unit: i32): bool {
  return unit == 8 || unit == 9 || unit == 10 || unit == 12 || unit == 13;
}

function isUpperHex(byte: u32): bool {
  return byte >= 0x41 && byte <= 0x46;
}

/** The character that backslash and this letter stand for; 0 when there is none. */
function simpleEscape(letter: u32): u32 {
  if (letter == 0x22 || letter == 0x5c || letter == 0x2f) return letter;
  if (letter == 0x6e) return 10;
  if (letter == 0x74) return 9;
  if (letter == 0x72) return 13;
  if (letter == 0x62) return 8;
  if (letter == 0x66) return 12;
  return 0;
}

/** The value of four hexadecimal digits, or -1. */
function hex4(p: u32, end: u32): i32 {
  if (p + 4 > end) return -1;
  let value: i32 = 0;
  for (let i: u32 = 0; i < 4; i++) {
    const byte = <i32>load<u8>(p + i);
    const lower = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) value = (value << 4) | (byte - 0x30);
    else if (lower >= 0x61 && lower <= 0x66) value = (value << 4) | (lower - 0x57);
    else return -1;
  }
  return value;
}

/** Decodes a scanned string's escapes to UTF-8 at `out`, never longer than the source; returns its end. */
export function decodeString(start: u32, close: u32, out: u32): u32 {
  let p = start;
  while (p < close) {
    const byte = <u32>load<u8>(p);
    if (byte != 0x5c) {
      store<u8>(out++, byte);
      p += 1;
      continue;
    }
    const letter = <u32>load<u8>(p, 1);
    if (letter != 0x75) {
      store<u8>(out++, simpleEscape(letter));
      p += 2;
      continue;
    }
    let point = hex4(p + 2, close);
    p += 6;
    if (point >= 0xd800 && point <= 0xdbff) {
      point = 0x10000 + ((point - 0xd800) << 10) + (hex4(p + 2, close) - 0xdc00);
      p += 6;
    }
    out = storeCodePoint(out, point);
  }
  return out;
}

function storeCodePoint(out: u32, point: u32): u32 {
  if (point < 0x80) {
    store<u8>(out, point);
    return out + 1;
  }
  if (point < 0x800) {
    store<u8>(out, 0xc0 | (point >> 6));
    store<u8>(out, 0x80 | (point & 63), 1);
    return out + 2;
  }
  if (point < 0x10000) {
    store<u8>(out, 0xe0 | (point >> 12));
    store<u8>(out, 0x80 | ((point >> 6) & 63), 1);
    store<u8>(out, 0x80 | (point & 63), 2);
    return out + 3;
  }
  store<u8>(out, 0xf0 | (point >> 18));
  store<u8>(out, 0x80 | ((point >> 12) & 63), 1);
  store<u8>(out, 0x80 | ((point >> 6) & 63), 2);
  store<u8>(out, 0x80 | (point & 63), 3);
  return out + 4;
}

/**
 * Orders two valid UTF-8 texts by their UTF-16 code units (RFC 8785 section 3.2.3): below 0, 0 or above 0.
 * That is byte order, except that characters beyond U+FFFF come before U+E000 to U+FFFF.
 */
export function compareUtf16(a: u32, aLength: u32, b: u32, bLength: u32): i32 {
  const shorter = min(aLength, bLength);
  for (let i: u32 = 0; i < shorter; i++) {
    const x = <i32>load<u8>(a + i);
    const y = <i32>load<u8>(b + i);
    if (x == y) continue;
    if (x >= 0xee && y >= 0xee && x >= 0xf0 != y >= 0xf0) return y - x;
    return x - y;
  }
  return <i32>aLength - <i32>bLength;
}
