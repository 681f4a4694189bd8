// Code points as letters: which belong to words, and what they are in lower case.

function within(value: u32, first: u32, last: u32): bool {
  return value - first <= last - first;
}

/** Whether a code point is part of a word: letters and digits, and beyond ASCII all but signs by their blocks. */
export function isLetter(c: u32): bool {
  if (c < 0x80) return within(c | 0x20, 0x61, 0x7a) || within(c, 0x30, 0x39);
  if (c < 0xc0) return c == 0xaa || c == 0xb5 || c == 0xba;
  if (c == 0xd7 || c == 0xf7) return false;
  if (c < 0x2000) return !isScriptSign(c);
  if (within(c, 0x2000, 0x2bff) || within(c, 0x3000, 0x3020) || c == 0x30fb) return false;
  return !within(c, 0xe000, 0xf8ff) && !within(c, 0xfe00, 0xff0f) && !within(c, 0x1f000, 0x1faff);
}

/** Punctuation of Armenian, Hebrew, Arabic, Devanagari and Ethiopic. */
function isScriptSign(c: u32): bool {
  return (
    within(c, 0x55a, 0x55f) ||
    c == 0x5be ||
    c == 0x60c ||
    c == 0x61b ||
    c == 0x61f ||
    c == 0x6d4 ||
    within(c, 0x964, 0x965) ||
    within(c, 0x1361, 0x1368)
  );
}

/** Whether words of this script are written without spaces between them: Thai to Khmer, Chinese, Japanese. */
export function isUnspaced(c: u32): bool {
  return (
    within(c, 0xe00, 0xeff) ||
    within(c, 0x1000, 0x109f) ||
    within(c, 0x1780, 0x17ff) ||
    within(c, 0x3040, 0x30ff) ||
    within(c, 0x3400, 0x9fff) ||
    within(c, 0xf900, 0xfaff) ||
    within(c, 0x20000, 0x3ffff)
  );
}

/** The lower case of Latin, Greek, Cyrillic and Armenian capitals; any other code point as it is. */
export function lowerCase(c: u32): u32 {
  if (c < 0x80) return within(c, 0x41, 0x5a) ? c + 32 : c;
  if (within(c, 0xc0, 0xde) || within(c, 0x391, 0x3a9) || within(c, 0x410, 0x42f)) return c + 32;
  if (within(c, 0x400, 0x40f)) return c + 80;
  if (within(c, 0x531, 0x556)) return c + 48;
  if (within(c, 0x100, 0x137) || within(c, 0x14a, 0x177) || within(c, 0x460, 0x481)) return c | 1;
  if (within(c, 0x139, 0x148)) return c + (c & 1);
  return c;
}
