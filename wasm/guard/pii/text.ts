// The text that the PII matchers look at, and what they ask of its bytes; a look past its known end is noted.

import { count } from '../text';

export { count } from '../text';

export const DIGIT: u32 = 1;
export const UPPER: u32 = 2;
export const LOWER: u32 = 4;
export const HEX: u32 = 8;
export const UNDERSCORE: u32 = 16;
export const DASH: u32 = 32;
export const DOT: u32 = 64;
/** What a matcher begins at: a digit, `@`, `+` or `(`. */
export const TRIGGER: u32 = 128;
export const LETTER: u32 = UPPER | LOWER;
export const ALNUM: u32 = DIGIT | LETTER;

/** First byte that is kept. */
export let begin: u32 = 0;
/** One past the last byte that is known. */
export let end: u32 = 0;
/** Whether a matcher asked for a byte past `end`: its answer counts only when no more text comes. */
export let starved: bool = false;

export const classes: u32 = <u32>memory.data(256);

function classOf(byte: u32): u32 {
  let mask: u32 = 0;
  if (byte >= 0x30 && byte <= 0x39) mask |= DIGIT | HEX | TRIGGER;
  if (byte >= 0x41 && byte <= 0x5a) mask |= UPPER;
  if (byte >= 0x61 && byte <= 0x7a) mask |= LOWER;
  if ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66) mask |= HEX;
  if (byte == 0x5f) mask |= UNDERSCORE;
  if (byte == 0x2d) mask |= DASH;
  if (byte == 0x2e) mask |= DOT;
  if (byte == 0x40 || byte == 0x2b || byte == 0x28) mask |= TRIGGER;
  return mask;
}

for (let byte: u32 = 0; byte < 256; byte++) store<u8>(classes + byte, <u8>classOf(byte));

/** Sets what is known of the text. */
export function openText(from: u32, to: u32): void {
  begin = from;
  end = to;
}

/** Begins the judgement of one place. */
export function feed(): void {
  starved = false;
}

/** The byte at `p`, or 0 outside the text. */
export function at(p: u32): u32 {
  if (p < end) return p >= begin ? <u32>load<u8>(p) : 0;
  starved = true;
  return 0;
}

/** Whether the byte at `p` is in the classes of `mask`. */
export function is(p: u32, mask: u32): bool {
  return (<u32>load<u8>(classes + at(p)) & mask) != 0;
}

/** The end of the run of `mask` bytes that begins at `p`, at most `most` bytes long. */
export function run(p: u32, mask: u32, most: u32): u32 {
  const stop = p + most;
  const last = min(end, stop);
  let q = p;
  while (q < last && (<u32>load<u8>(classes + load<u8>(q)) & mask) != 0) q++;
  if (q == end && q < stop) starved = true;
  count(q - p + 1);
  return q;
}

/** Whether the lower-case ASCII literal stands at `p`, the text's letters taken as lower case. */
export function startsFolded(p: u32, literal: string): bool {
  const length = <u32>literal.length;
  const source = <u32>changetype<usize>(literal);
  for (let i: u32 = 0; i < length; i++) {
    let byte = at(p + i);
    if (byte >= 0x41 && byte <= 0x5a) byte |= 0x20;
    if (byte != load<u8>(source + (i << 1))) return false;
  }
  return true;
}

/** Whether the byte at `p` is the letter of a JSON escape such as `\n`, which is no part of a word. */
export function isEscapeLetter(p: u32): bool {
  if (at(p - 1) != 0x5c) return false;
  const letter = at(p);
  return letter == 0x6e || letter == 0x72 || letter == 0x74 || letter == 0x62 || letter == 0x66;
}

/** Whether `p` is not in the middle of a word. */
export function boundary(p: u32): bool {
  if (!is(p - 1, ALNUM) || isEscapeLetter(p - 1)) return true;
  return is(p - 1, HEX) && at(p - 6) == 0x5c && startsFolded(p - 5, 'u00');
}
