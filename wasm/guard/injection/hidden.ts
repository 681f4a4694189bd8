// Takes out of a text what characters that nobody sees spell: tag characters, variation selectors, zero-width bits.

import { decodePoint, pointBytes } from '../normalise/utf8';
import { count } from '../text';

const out: usize = memory.data(512);
const LENGTH_MAX: usize = 512;

/** Where the text that `reveal` found begins. */
export const hiddenBegin: usize = out;
/** Where it ends. */
export let hiddenEnd: usize = out;

/** Whether a character that may hide text stands in `[begin, end)`: only the lead bytes are looked at. */
export function mayHide(begin: usize, end: usize): bool {
  count(<u32>(end - begin));
  for (let p = begin; p + 2 < end; p++) {
    const lead: u32 = load<u8>(p);
    if (lead < 0xe2) continue;
    const second: u32 = load<u8>(p + 1);
    if (lead == 0xf3 && second == 0xa0) return true;
    if (lead == 0xef && second == 0xb8 && load<u8>(p + 2) <= 0x8f) return true;
    if (lead == 0xe2 && second == 0x80 && isBit(0x2000 | (load<u8>(p + 2) & 0x3f))) return true;
  }
  return false;
}

function isBit(point: u32): bool {
  return point == 0x200b || point == 0x200c;
}

let bits: u32 = 0;
let bitCount: u32 = 0;

function put(at: usize, byte: u32): usize {
  if (at - out >= LENGTH_MAX) return at;
  store<u8>(at, byte);
  return at + 1;
}

/** Writes what is hidden in `[begin, end)` to `[hiddenBegin, hiddenEnd)`, in the order in which it stands. */
export function reveal(begin: usize, end: usize): void {
  let q = out;
  let p = begin;
  bits = 0;
  bitCount = 0;
  count(<u32>(end - begin));
  while (p < end) {
    const byte: u32 = load<u8>(p);
    if (byte < 0x80) {
      p++;
      continue;
    }
    const point = decodePoint(p, end);
    p += pointBytes;
    // A tag stands for the ASCII character of the same number.
    if (point >= 0xe0020 && point <= 0xe007e) q = put(q, point - 0xe0000);
    // 256 variation selectors stand for the 256 bytes.
    else if (point >= 0xfe00 && point <= 0xfe0f) q = put(q, point - 0xfe00);
    else if (point >= 0xe0100 && point <= 0xe01ef) q = put(q, point - 0xe0100 + 16);
    // Zero-width space and non-joiner stand for 0 and 1, eight to a byte.
    else if (isBit(point)) {
      bits = (bits << 1) | (point & 1 ? 0 : 1);
      bitCount++;
      if (bitCount == 8) {
        q = put(q, bits & 0xff);
        bitCount = 0;
      }
    }
  }
  hiddenEnd = q;
}

/** How many letters of ASCII stand in what was hidden: emoji and flags hide few. */
export function hiddenLetters(): u32 {
  let letters: u32 = 0;
  for (let p = out; p < hiddenEnd; p++) {
    const letter = <u32>load<u8>(p) | 0x20;
    if (letter >= 0x61 && letter <= 0x7a) letters++;
  }
  return letters;
}
