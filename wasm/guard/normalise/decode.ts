// Replaces what is encoded in a text by what it says: base64, hexadecimal, percent signs, HTML entities, escapes.

import { count } from '../text';
import { BASE64, classesOf, ESCAPE, HEX, hexValue, LETTER } from './characters';
import { base64Decode, hexDecode, hexPairsDecode, runWritten } from './runs';
import { encodePoint } from './utf8';

/** Fewest characters of base64 or hexadecimal digits that are looked at. */
const RUN_MIN: usize = 8;
/** Most bytes of an entity or escape. */
const ESCAPE_MAX: usize = 12;

/** Whether the last `decode` replaced anything. */
export let decoded: bool = false;

/** What the escape that `escapeAt` has read stands for, and where it ends. */
let point: u32 = 0;
let isByte: bool = false;

/**
 * Whether a long run of base64 digits with a digit or a capital within, spaced pairs of hexadecimal digits or an
 * escape stands in `[begin, end)`. A word of small letters alone is base64 of no text.
 */
export function hasEncoded(begin: usize, end: usize): bool {
  let run: u32 = 0;
  let mixed: u32 = 0;
  let pairs: u32 = 0;
  count(<u32>(end - begin));
  for (let p = begin; p < end; p++) {
    const byte: u32 = load<u8>(p);
    const mask = classesOf(byte);
    if ((mask & BASE64) != 0) {
      if (run > 0 && byte < 0x5b && byte != 0x2d) mixed = 1;
      run++;
      if (run >= <u32>RUN_MIN && mixed != 0) return true;
      continue;
    }
    if ((mask & ESCAPE) != 0) return true;
    if (run == 2) {
      if (++pairs >= 5) return true;
    } else if (run > 0) pairs = 0;
    run = 0;
    mixed = 0;
  }
  return false;
}

/** Writes `[begin, end)` decoded once to `out`, where it is never longer, and returns where that ends. */
export function decode(begin: usize, end: usize, out: usize): usize {
  let p = begin;
  let q = out;
  decoded = false;
  count(<u32>(end - begin));
  while (p < end) {
    const byte: u32 = load<u8>(p);
    const mask = classesOf(byte);
    if ((mask & ESCAPE) != 0) {
      const next = escapeAt(p, end, byte);
      if (next != 0) {
        if (isByte) store<u8>(q++, point);
        else q = encodePoint(q, point);
        decoded = true;
        p = next;
        continue;
      }
    } else if ((mask & BASE64) != 0) {
      const next = runAt(p, end, q);
      if (next != 0) {
        q = written;
        p = next;
        continue;
      }
    }
    store<u8>(q++, byte);
    p++;
  }
  return q;
}

/** Where the last run was written to. */
let written: usize = 0;

/** Takes the run of base64 or hexadecimal digits at `p`, decoded or as it is, and returns where it ends. */
function runAt(p: usize, end: usize, q: usize): usize {
  let stop = p;
  let isHex = true;
  let isMixed = false;
  while (stop < end) {
    const byte: u32 = load<u8>(stop);
    const mask = classesOf(byte);
    if ((mask & BASE64) == 0) break;
    if ((mask & HEX) == 0) isHex = false;
    if (stop > p && byte < 0x5b && byte != 0x2d) isMixed = true;
    stop++;
  }
  const length = stop - p;
  let next: usize = 0;
  if (length == 2 && isHex) next = hexPairsDecode(p, end, q);
  else if (length >= RUN_MIN && isMixed) {
    if (isHex && (length & 1) == 0) next = hexDecode(p, stop, q);
    if (next == 0) next = base64Decode(p, stop, end, q);
  }
  if (next != 0) {
    written = runWritten();
    decoded = true;
    return next;
  }
  memory.copy(q, p, length);
  written = q + length;
  return stop;
}

/** Reads the escape at `p`; returns where it ends, 0 when there is none. */
function escapeAt(p: usize, end: usize, byte: u32): usize {
  const last = min(end, p + ESCAPE_MAX);
  isByte = false;
  if (byte == 0x25) {
    isByte = true;
    return hexAt(p + 1, last, 2, 2);
  }
  if (byte == 0x26) return entityAt(p + 1, last);
  if (p + 1 >= last) return 0;
  const letter: u32 = load<u8>(p + 1);
  if (letter == 0x75 || letter == 0x55) {
    if (p + 2 < last && load<u8>(p + 2) == 0x7b) {
      const close = hexAt(p + 3, last, 1, 6);
      return close != 0 && close < last && load<u8>(close) == 0x7d ? close + 1 : 0;
    }
    if (letter == 0x55) return hexAt(p + 2, last, 8, 8);
    return surrogates(hexAt(p + 2, last, 4, 4), end);
  }
  if (letter == 0x78) {
    isByte = true;
    return hexAt(p + 2, last, 2, 2);
  }
  // \n, \r and \t of a text in quotation marks.
  if (letter != 0x6e && letter != 0x72 && letter != 0x74) return 0;
  point = 0x20;
  return p + 2;
}

/** Joins a high surrogate that ends at `next` with the low one after it. */
function surrogates(next: usize, end: usize): usize {
  if (next == 0 || point < 0xd800 || point > 0xdbff) return next;
  const high = point;
  if (next + 6 > end || load<u8>(next) != 0x5c || load<u8>(next + 1) != 0x75) return next;
  const after = hexAt(next + 2, end, 4, 4);
  if (after != 0 && point >= 0xdc00 && point <= 0xdfff) {
    point = 0x10000 + ((high - 0xd800) << 10) + (point - 0xdc00);
    return after;
  }
  point = high;
  return next;
}

/** Reads `least` to `most` hexadecimal digits at `p` as `point`; returns where they end, 0 when there are fewer. */
function hexAt(p: usize, end: usize, least: usize, most: usize): usize {
  let q = p;
  point = 0;
  while (q < end && q - p < most && (classesOf(load<u8>(q)) & HEX) != 0) {
    point = (point << 4) | hexValue(load<u8>(q));
    q++;
  }
  return q - p >= least ? q : 0;
}

function entityAt(p: usize, end: usize): usize {
  if (p + 2 >= end) return 0;
  let q: usize = 0;
  if (load<u8>(p) != 0x23) q = namedAt(p, end);
  else if ((<u32>load<u8>(p + 1) | 0x20) == 0x78) q = hexAt(p + 2, end, 1, 6);
  else q = decimalAt(p + 1, end);
  if (q == 0) return 0;
  return q < end && load<u8>(q) == 0x3b ? q + 1 : q;
}

function decimalAt(p: usize, end: usize): usize {
  let q = p;
  point = 0;
  while (q < end && q - p < 7 && load<u8>(q) >= 0x30 && load<u8>(q) <= 0x39) {
    point = point * 10 + (load<u8>(q) - 0x30);
    q++;
  }
  return q > p ? q : 0;
}

/** `lt`, `gt`, `amp`, `quot`, `apos`, `nbsp`, with their semicolon: the only named ones that texts are escaped with. */
function namedAt(p: usize, end: usize): usize {
  let q = p;
  let name: u64 = 0;
  while (q < end && q - p < 5 && (classesOf(load<u8>(q)) & LETTER) != 0) {
    name = (name << 8) | <u64>load<u8>(q);
    q++;
  }
  if (q >= end || load<u8>(q) != 0x3b) return 0;
  if (name == 0x6c74) point = 0x3c;
  else if (name == 0x6774) point = 0x3e;
  else if (name == 0x616d70) point = 0x26;
  else if (name == 0x71756f74) point = 0x22;
  else if (name == 0x61706f73) point = 0x27;
  else if (name == 0x6e627370) point = 0x20;
  else return 0;
  return q;
}
