// Escapes of one character as Go's package regexp reads them.

import { peek, skip } from './escapes';
import { CODE_POINT_MAX, RegexError } from './program';
import { fail } from './tree';

/** The value of a hexadecimal digit, or -1. */
function hexDigit(codePoint: i32): i32 {
  if (codePoint >= 0x30 && codePoint <= 0x39) return codePoint - 0x30;
  const lower = codePoint | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Reads what follows `\x`: two digits, or any number of them in braces; -1 when there is neither. */
function readHex(): i32 {
  if (peek() != 0x7b) {
    const high = hexDigit(peek());
    skip();
    const low = hexDigit(peek());
    skip();
    return high < 0 || low < 0 ? -1 : high * 16 + low;
  }
  skip();
  let value: i32 = 0;
  let digits: u32 = 0;
  while (peek() != 0x7d) {
    const digit = hexDigit(peek());
    if (digit < 0) return -1;
    value = value * 16 + digit;
    if (value > <i32>CODE_POINT_MAX) return -1;
    digits++;
    skip();
  }
  skip();
  return digits > 0 ? value : -1;
}

/** Reads up to two more octal digits behind a first one. */
function readOctal(first: u32): u32 {
  let value = first;
  for (let index: u32 = 1; index < 3 && peek() >= 0x30 && peek() <= 0x37; index++) {
    value = value * 8 + <u32>(peek() - 0x30);
    skip();
  }
  return value;
}

/** Reads the escape of one character at its backslash (regexp/syntax, parseEscape). */
export function parseRe2Escape(): u32 {
  skip();
  const letter = peek();
  skip();
  if (letter == 0x30) return readOctal(0);
  if (letter >= 0x31 && letter <= 0x37) {
    // A single digit would be a back-reference.
    if (peek() >= 0x30 && peek() <= 0x37) return readOctal(<u32>letter - 0x30);
    fail(RegexError.Syntax);
    return 0;
  }
  switch (letter) {
    case 0x78: {
      const value = readHex();
      if (value < 0) fail(RegexError.Syntax);
      return <u32>value;
    }
    case 0x61:
      return 0x07;
    case 0x66:
      return 0x0c;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    case 0x76:
      return 0x0b;
    default:
      break;
  }
  const lower = letter | 0x20;
  const word = (letter >= 0x30 && letter <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
  if (letter < 0 || letter >= 0x80 || word) fail(RegexError.Syntax);
  return <u32>letter;
}
