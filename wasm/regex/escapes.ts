// Reads a pattern code point by code point, and the escapes that stand for one code point.

import { CODE_POINT_MAX, decode, decodedLength, RegexError } from './program';
import { fail } from './tree';

let at: usize = 0;
let end: usize = 0;
let width: u32 = 0;

/** Begins to read `length` bytes of UTF-8. */
export function setSource(pattern: usize, length: u32): void {
  at = pattern;
  end = pattern + length;
}

/** The next code point, or -1 at the end. */
export function peek(): i32 {
  if (at >= end) return -1;
  const codePoint = <i32>decode(at, end);
  width = decodedLength;
  return codePoint;
}

/** Steps over the next code point, if there is one. */
export function skip(): void {
  if (peek() >= 0) at += width;
}

/** Where the next code point lies. */
export function position(): usize {
  return at;
}

/** How many bytes are left. */
export function remaining(): u32 {
  return <u32>(end - at);
}

/** The value of a hexadecimal digit, or -1. */
function hexDigit(codePoint: i32): i32 {
  if (codePoint >= 0x30 && codePoint <= 0x39) return codePoint - 0x30;
  const lower = codePoint | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Reads exactly `digits` hexadecimal digits; -1 and nothing read when there are fewer. */
function hexDigits(digits: u32): i32 {
  const start = at;
  let value: i32 = 0;
  for (let index: u32 = 0; index < digits; index++) {
    const digit = hexDigit(peek());
    if (digit < 0) {
      at = start;
      return -1;
    }
    value = value * 16 + digit;
    skip();
  }
  return value;
}

/** Reads what follows `\u`: four digits, two such escapes that are a surrogate pair, or `{digits}`. */
function unicodeEscape(): i32 {
  if (peek() == 0x7b) {
    skip();
    let value: i32 = 0;
    let digits: u32 = 0;
    for (let digit = hexDigit(peek()); digit >= 0; digit = hexDigit(peek())) {
      value = min(value * 16 + digit, 0x1000000);
      digits++;
      skip();
    }
    const closed = peek() == 0x7d;
    skip();
    return digits > 0 && closed && value <= <i32>CODE_POINT_MAX ? value : -1;
  }
  const high = hexDigits(4);
  if (high < 0xd800 || high > 0xdbff) return high;
  const start = at;
  if (remaining() >= 6 && load<u8>(at) == 0x5c && load<u8>(at, 1) == 0x75) {
    at += 2;
    const low = hexDigits(4);
    if (low >= 0xdc00 && low <= 0xdfff) return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    at = start;
  }
  return high;
}

/** Whether a code point is ASCII punctuation, whose escape is the code point itself. */
function isPunctuation(codePoint: i32): bool {
  return (
    (codePoint >= 0x21 && codePoint <= 0x2f) ||
    (codePoint >= 0x3a && codePoint <= 0x40) ||
    (codePoint >= 0x5b && codePoint <= 0x60 && codePoint != 0x5f) ||
    (codePoint >= 0x7b && codePoint <= 0x7e)
  );
}

/**
 * Reads the escape of one code point after its backslash (ECMA-262, CharacterEscape). ASCII
 * punctuation may be escaped too where the u flag does not need it, as authors write it and no
 * dialect reads it differently. Back-references and properties are refused as unsupported.
 */
export function parseCodePointEscape(inClass: bool): u32 {
  const letter = peek();
  skip();
  switch (letter) {
    case 0x74:
      return 0x09;
    case 0x6e:
      return 0x0a;
    case 0x76:
      return 0x0b;
    case 0x66:
      return 0x0c;
    case 0x72:
      return 0x0d;
    case 0x30:
      // \0 followed by a digit would be an octal escape.
      if (peek() >= 0x30 && peek() <= 0x39) fail(RegexError.Syntax);
      return 0;
    case 0x63: {
      const lower = peek() | 0x20;
      skip();
      if (lower < 0x61 || lower > 0x7a) fail(RegexError.Syntax);
      return <u32>lower & 0x1f;
    }
    case 0x78:
      return checked(hexDigits(2));
    case 0x75:
      return checked(unicodeEscape());
    case 0x6b:
    case 0x70:
    case 0x50:
      fail(RegexError.Unsupported);
      return 0;
    default:
      break;
  }
  if (letter >= 0x31 && letter <= 0x39) fail(inClass ? RegexError.Syntax : RegexError.Unsupported);
  else if (!isPunctuation(letter)) fail(RegexError.Syntax);
  return <u32>letter;
}

function checked(codePoint: i32): u32 {
  if (codePoint < 0) fail(RegexError.Syntax);
  return <u32>codePoint;
}
