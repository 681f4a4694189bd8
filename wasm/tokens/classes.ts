// The tables of the encoding that are linked into the module, and the class of a code point in its pattern.

/** Where the build puts the tables (wasm/guard/compiler/segments.ts). */
const TABLES: u32 = 1024;

/** Lu and Lt. */
export const UPPER: u32 = 1;
/** Ll. */
export const LOWER: u32 = 2;
/** Lm and Lo. */
export const OTHER_LETTER: u32 = 4;
export const LETTER: u32 = UPPER | LOWER | OTHER_LETTER;
export const MARK: u32 = 8;
export const NUMBER: u32 = 16;
/** What `\s` takes in JavaScript, line breaks included. */
export const SPACE: u32 = 32;
/** U+000A and U+000D. */
export const LINE: u32 = 64;

const classIndex: u32 = part(8);
const classBlocks: u32 = part(12);

function part(field: u32): u32 {
  return TABLES + load<u32>(TABLES + field);
}

/** 0 when the text is split as for cl100k_base, 1 for o200k_base. */
export function patternNumber(): u32 {
  return load<u32>(TABLES);
}

export function tokenCount(): u32 {
  return load<u32>(TABLES, 4);
}

/** The length of each token in a byte, in the order of rank. */
export function tokenLengths(): u32 {
  return part(16);
}

/** The bytes of all tokens, in the order of rank. */
export function tokenBytes(): u32 {
  return part(20);
}

/** How long the code point is that begins at `p` of valid UTF-8. */
export function lengthAt(p: u32): u32 {
  const lead: u32 = load<u8>(p);
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** The class of the code point that begins at `p` of valid UTF-8; 0 for what is in none. */
export function classAt(p: u32): u32 {
  const lead: u32 = load<u8>(p);
  if (lead < 0x80) return classOf(lead);
  const second: u32 = load<u8>(p, 1) & 0x3f;
  if (lead < 0xe0) return classOf(((lead & 0x1f) << 6) | second);
  const third: u32 = load<u8>(p, 2) & 0x3f;
  if (lead < 0xf0) return classOf(((lead & 0x0f) << 12) | (second << 6) | third);
  const fourth: u32 = load<u8>(p, 3) & 0x3f;
  return classOf(((lead & 7) << 18) | (second << 12) | (third << 6) | fourth);
}

function classOf(codePoint: u32): u32 {
  const block: u32 = load<u16>(classIndex + ((codePoint >> 6) << 1));
  return load<u8>(classBlocks + (block << 6) + (codePoint & 63));
}
