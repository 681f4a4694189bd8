// Finds one text in another in linear time, whatever the two are.

import { alloc, mark, release } from '../../common/arena';

/** What a search returns that found nothing. */
export const NOT_FOUND: u32 = 0xffffffff;

/** Compared bytes for each byte gone by, after which the plain search hands over to the one with a table. */
const PLAIN_FACTOR: u32 = 4;
const PLAIN_MIN: u32 = 64;

/** The offset of the first place of `needle` in the text at or after `from`, or NOT_FOUND. */
export function find(text: u32, length: u32, needle: u32, size: u32, from: u32 = 0): u32 {
  if (size == 0) return from;
  if (size > length) return NOT_FOUND;
  const last = length - size;
  const first = load<u8>(needle);
  let compared: u32 = 0;
  for (let at = from; at <= last; at++) {
    if (load<u8>(text + at) != first) continue;
    let same: u32 = 1;
    while (same < size && load<u8>(text + at + same) == load<u8>(needle + same)) same++;
    if (same == size) return at;
    compared += same;
    if (compared > (at - from) * PLAIN_FACTOR + PLAIN_MIN)
      return findByTable(text, length, needle, size, at);
  }
  return NOT_FOUND;
}

/** Knuth, Morris and Pratt: for texts made so that the plain search compares most of the needle everywhere. */
function findByTable(text: u32, length: u32, needle: u32, size: u32, from: u32): u32 {
  const point = mark();
  const table = failures(needle, size);
  let matched: u32 = 0;
  let found = NOT_FOUND;
  for (let at = from; at < length; at++) {
    matched = advance(table, needle, matched, load<u8>(text + at));
    if (matched == size) {
      found = at + 1 - size;
      break;
    }
  }
  release(point);
  return found;
}

/** For each length of a beginning of the needle, how long the longest proper beginning is that also ends it. */
export function failures(needle: u32, size: u32): u32 {
  const table = alloc((size + 1) << 2);
  store<u32>(table, 0);
  store<u32>(table, 0, 4);
  let matched: u32 = 0;
  for (let i: u32 = 1; i < size; i++) {
    matched = advance(table, needle, matched, load<u8>(needle + i));
    store<u32>(table + ((i + 1) << 2), matched);
  }
  return table;
}

/** How much of the needle matches after one more byte; `matched` is below the needle's size. */
export function advance(table: u32, needle: u32, matched: u32, byte: u32): u32 {
  let length = matched;
  while (length > 0 && load<u8>(needle + length) != byte) length = load<u32>(table + (length << 2));
  return load<u8>(needle + length) == byte ? length + 1 : 0;
}
