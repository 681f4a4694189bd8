// What the normaliser knows of each ASCII character, in tables of a byte each.

/** A letter. */
export const LETTER: u32 = 1;
/** A digit. */
export const DIGIT: u32 = 2;
/** A character that stands for a letter where it stands in a word: `0`, `3`, `@`, `$` and their kin. */
export const LEET: u32 = 4;
/** A character of base64 or base64url, but for the padding. */
export const BASE64: u32 = 8;
/** A hexadecimal digit. */
export const HEX: u32 = 16;
/** `%`, `&` or a backslash: an escape may begin here. */
export const ESCAPE: u32 = 32;
/** Space, or a control character. */
export const SPACE: u32 = 64;
/** A mark that may stand between the words or the letters of hidden text: `-`, `_`, `.`, `*`, `~`, `|`, `/`, `+`. */
export const JOINER: u32 = 128;

const classes: usize = memory.data(256);
const lower: usize = memory.data(256);
const leet: usize = memory.data(256);
/** Values of base64 digits, 255 for none. */
const digits: usize = memory.data(256);

function isLeet(byte: u32): bool {
  if (byte >= 0x30 && byte <= 0x39) return byte != 0x32 && byte != 0x36 && byte != 0x39;
  return byte == 0x40 || byte == 0x24 || byte == 0x21 || byte == 0x7c;
}

function classOf(byte: u32): u32 {
  let mask: u32 = 0;
  const letter = byte | 0x20;
  if (letter >= 0x61 && letter <= 0x7a) mask |= LETTER | BASE64;
  if (letter >= 0x61 && letter <= 0x66) mask |= HEX;
  if (byte >= 0x30 && byte <= 0x39) mask |= DIGIT | HEX | BASE64;
  if (isLeet(byte)) mask |= LEET;
  if (byte == 0x2b || byte == 0x2f || byte == 0x2d || byte == 0x5f) mask |= BASE64 | JOINER;
  if (byte == 0x2e || byte == 0x2a || byte == 0x7e || byte == 0x7c) mask |= JOINER;
  if (byte == 0x25 || byte == 0x26 || byte == 0x5c) mask |= ESCAPE;
  if (byte <= 0x20 || byte == 0x7f) mask |= SPACE;
  return mask;
}

function leetOf(byte: u32): u32 {
  switch (byte) {
    case 0x30:
      return 0x6f;
    case 0x31:
    case 0x21:
      return 0x69;
    case 0x33:
      return 0x65;
    case 0x34:
    case 0x40:
      return 0x61;
    case 0x35:
    case 0x24:
      return 0x73;
    case 0x37:
      return 0x74;
    case 0x38:
      return 0x62;
    case 0x7c:
      return 0x6c;
    default:
      return byte;
  }
}

function digitOf(byte: u32): u32 {
  if (byte >= 0x41 && byte <= 0x5a) return byte - 0x41;
  if (byte >= 0x61 && byte <= 0x7a) return byte - 0x61 + 26;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30 + 52;
  if (byte == 0x2b || byte == 0x2d) return 62;
  return byte == 0x2f || byte == 0x5f ? 63 : 255;
}

for (let byte: u32 = 0; byte < 256; byte++) {
  store<u8>(classes + byte, <u8>classOf(byte));
  const upper = byte >= 0x41 && byte <= 0x5a;
  store<u8>(lower + byte, <u8>((classOf(byte) & SPACE) != 0 ? 0x20 : upper ? byte | 0x20 : byte));
  store<u8>(leet + byte, <u8>leetOf(byte));
  store<u8>(digits + byte, <u8>digitOf(byte));
}

/** The classes of a byte; 0 for every byte that is no ASCII. */
export function classesOf(byte: u32): u32 {
  return load<u8>(classes + byte);
}

/** A byte in lower case; a control character becomes a space. */
export function lowered(byte: u32): u32 {
  return load<u8>(lower + byte);
}

/** The letter that a character stands for in a word, itself for most. */
export function unleet(byte: u32): u32 {
  return load<u8>(leet + byte);
}

/** The value of a base64 digit, 255 for none. */
export function base64Value(byte: u32): u32 {
  return load<u8>(digits + byte);
}

/** The value of a hexadecimal digit; only for one. */
export function hexValue(byte: u32): u32 {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
}
