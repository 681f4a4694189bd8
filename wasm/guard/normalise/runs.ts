// Decodes runs of base64 and hexadecimal digits that hold text.

import { count } from '../text';
import { BASE64, base64Value, classesOf, HEX, hexValue, LETTER } from './characters';

/** Fewest bytes that a run must hold. */
const BYTES_MIN: usize = 6;
/** Runs that hold fewer bytes must hold letters and spaces alone: most words are base64 of something. */
const CERTAIN: usize = 12;
/** From so many digits on a run goes on in the next line. */
const LINE_MIN: usize = 40;
/** Fewest pairs of hexadecimal digits with signs between them. */
const PAIRS_MIN: u32 = 6;

let end: usize = 0;

/** Where the text that the last run held ends. */
export function runWritten(): usize {
  return end;
}

/** Decodes the base64 or base64url digits of `[p, stop)`, and of further lines, to `out`; 0 when they hold no text. */
export function base64Decode(p: usize, stop: usize, limit: usize, out: usize): usize {
  let from = p;
  let to = stop;
  let q = out;
  while (true) {
    q = base64Line(from, to, q);
    if (to - from < LINE_MIN || ((to - from) & 3) != 0) break;
    let next = to;
    while (next < limit && next < to + 2 && (load<u8>(next) == 10 || load<u8>(next) == 13)) next++;
    if (next == to || next >= limit || (classesOf(load<u8>(next)) & BASE64) == 0) break;
    from = next;
    to = next;
    while (to < limit && (classesOf(load<u8>(to)) & BASE64) != 0) to++;
  }
  if (!isText(out, q)) return 0;
  while (to < limit && load<u8>(to) == 0x3d) to++;
  return to;
}

function base64Line(from: usize, to: usize, out: usize): usize {
  let q = out;
  let bits: u32 = 0;
  let have: u32 = 0;
  count(<u32>(to - from));
  for (let p = from; p < to; p++) {
    bits = (bits << 6) | base64Value(load<u8>(p));
    have += 6;
    if (have < 8) continue;
    have -= 8;
    store<u8>(q++, (bits >> have) & 0xff);
  }
  return q;
}

/** Decodes the hexadecimal digits of `[p, stop)` to `out`; 0 when they hold no text. */
export function hexDecode(p: usize, stop: usize, out: usize): usize {
  let q = out;
  count(<u32>(stop - p));
  for (let at = p; at < stop; at += 2) {
    store<u8>(q++, (hexValue(load<u8>(at)) << 4) | hexValue(load<u8>(at + 1)));
  }
  return isText(out, q) ? stop : 0;
}

/** Decodes pairs of hexadecimal digits with one sign between two to `out`; 0 when they are few or hold no text. */
export function hexPairsDecode(p: usize, limit: usize, out: usize): usize {
  let at = p;
  let q = out;
  let pairs: u32 = 0;
  while (at + 2 <= limit && isHex(at) && isHex(at + 1)) {
    if (at + 2 < limit && (classesOf(load<u8>(at + 2)) & BASE64) != 0) break;
    store<u8>(q++, (hexValue(load<u8>(at)) << 4) | hexValue(load<u8>(at + 1)));
    pairs++;
    at += 3;
  }
  count(pairs * 3);
  if (pairs < PAIRS_MIN || !isText(out, q)) return 0;
  return min(at - 1, limit);
}

function isHex(p: usize): bool {
  return (classesOf(load<u8>(p)) & HEX) != 0;
}

/** Whether at least seven of eight bytes may be those of a text; the others become spaces. */
function isText(from: usize, to: usize): bool {
  const length = to - from;
  end = to;
  if (length < BYTES_MIN) return false;
  count(<u32>length);
  let strange: usize = 0;
  let letters: usize = 0;
  for (let p = from; p < to; p++) {
    const byte: u32 = load<u8>(p);
    if ((classesOf(byte) & LETTER) != 0 || byte == 0x20) letters++;
    else if (byte >= 0x80 ? !isWide(p, to) : byte < 0x20 && (byte < 9 || byte > 13)) strange++;
  }
  if (length < CERTAIN) return letters == length;
  if (strange * 8 > length) return false;
  return true;
}

/** Whether the byte at `p` is part of a character of UTF-8, judged by its neighbours. */
function isWide(p: usize, to: usize): bool {
  const byte: u32 = load<u8>(p);
  if (byte >= 0xc2) return byte <= 0xf4 && p + 1 < to && (load<u8>(p + 1) & 0xc0) == 0x80;
  return (byte & 0xc0) == 0x80 && load<u8>(p - 1) >= 0x80;
}
