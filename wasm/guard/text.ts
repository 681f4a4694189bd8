// The text under scan and the byte helpers that every matcher shares; no read leaves the text.

export const DIGIT: u32 = 1;
export const UPPER: u32 = 2;
export const LOWER: u32 = 4;
export const HEX: u32 = 8;
export const UNDERSCORE: u32 = 16;
export const DASH: u32 = 32;
export const DOT: u32 = 64;
/** `+` and `/` of base64. */
export const BASE64: u32 = 128;
export const LETTER: u32 = UPPER | LOWER;
export const ALNUM: u32 = DIGIT | LETTER;
export const TOKEN: u32 = ALNUM | UNDERSCORE | DASH;

/** First byte of the text. */
export let begin: u32 = 0;
/** One past its last byte. */
export let end: u32 = 0;
/** Work done on this text, in bytes looked at; tests show with it that the scan is linear. */
export let work: u32 = 0;

const classes: u32 = <u32>memory.data(256);

function classOf(byte: u32): u32 {
  let mask: u32 = 0;
  if (byte >= 0x30 && byte <= 0x39) mask |= DIGIT | HEX;
  if (byte >= 0x41 && byte <= 0x5a) mask |= UPPER;
  if (byte >= 0x61 && byte <= 0x7a) mask |= LOWER;
  if ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66) mask |= HEX;
  if (byte == 0x5f) mask |= UNDERSCORE;
  if (byte == 0x2d) mask |= DASH;
  if (byte == 0x2e) mask |= DOT;
  if (byte == 0x2b || byte == 0x2f) mask |= BASE64;
  return mask;
}

for (let byte: u32 = 0; byte < 256; byte++) store<u8>(classes + byte, <u8>classOf(byte));

/** Sets the text that all matchers look at. */
export function openText(pointer: u32, length: u32): void {
  begin = pointer;
  end = pointer + length;
}

/** Begins to count the work on a new text. */
export function resetWork(): void {
  work = 0;
}

/** Counts `steps` of work that a matcher does in a loop of its own. */
export function count(steps: u32): void {
  work += steps;
}

/** The byte at `p`, or 0 outside the text. */
export function at(p: u32): u32 {
  return p >= begin && p < end ? <u32>load<u8>(p) : 0;
}

/** Whether the byte at `p` is in the classes of `mask`. */
export function is(p: u32, mask: u32): bool {
  return p >= begin && p < end && (<u32>load<u8>(classes + load<u8>(p)) & mask) != 0;
}

/** The end of the run of `mask` bytes that begins at `p`, at most `most` bytes long. */
export function run(p: u32, mask: u32, most: u32): u32 {
  const last = min(end, p + most);
  let q = p;
  while (q < last && (<u32>load<u8>(classes + load<u8>(q)) & mask) != 0) q++;
  work += q - p + 1;
  return q;
}

/** Whether the ASCII literal stands at `p`. */
export function starts(p: u32, literal: string): bool {
  const length = <u32>literal.length;
  if (p < begin || p + length > end) return false;
  const source = <u32>changetype<usize>(literal);
  for (let i: u32 = 0; i < length; i++) {
    if (load<u8>(p + i) != load<u8>(source + (i << 1))) return false;
  }
  return true;
}

/** As `starts`, with the text's letters taken as lower case; the literal must be lower case. */
export function startsFolded(p: u32, literal: string): bool {
  const length = <u32>literal.length;
  if (p < begin || p + length > end) return false;
  const source = <u32>changetype<usize>(literal);
  for (let i: u32 = 0; i < length; i++) {
    let byte: u32 = load<u8>(p + i);
    if (byte >= 0x41 && byte <= 0x5a) byte |= 0x20;
    if (byte != load<u8>(source + (i << 1))) return false;
  }
  return true;
}

/** Whether the lower-case literal ends at `p` (exclusive), letters folded. */
export function endsFolded(p: u32, literal: string): bool {
  const length = <u32>literal.length;
  return p >= begin + length && startsFolded(p - length, literal);
}

/** Whether the lower-case literal stands anywhere in `[from, to)`, as a word's beginning. */
export function wordWithin(from: u32, to: u32, literal: string): bool {
  const first = max(from, begin);
  const letter = <u32>load<u16>(changetype<usize>(literal));
  work += to - first;
  for (let p = first; p + <u32>literal.length <= to; p++) {
    if ((<u32>load<u8>(p) | 0x20) != letter) continue;
    if (startsFolded(p, literal) && !is(p - 1, LETTER)) return true;
  }
  return false;
}

/** Whether any letter stands in `[from, to)`: without one there is no word to look for. */
export function letterWithin(from: u32, to: u32): bool {
  const first = max(from, begin);
  for (let p = to; p > first; p--) {
    if ((<u32>load<u8>(classes + load<u8>(p - 1)) & LETTER) == 0) continue;
    work += to - p;
    return true;
  }
  work += to - first;
  return false;
}

/**
 * Whether `p` is not in the middle of a word. The letter of a JSON escape such as `\n` is no part of a
 * word, so that a secret after a line break is found in text that is itself JSON.
 */
export function boundary(p: u32): bool {
  if (!is(p - 1, ALNUM)) return true;
  const letter = at(p - 1);
  const escape =
    letter == 0x6e || letter == 0x72 || letter == 0x74 || letter == 0x62 || letter == 0x66;
  if (escape && at(p - 2) == 0x5c) return true;
  return is(p - 1, HEX) && starts(p - 6, '\\u00');
}
