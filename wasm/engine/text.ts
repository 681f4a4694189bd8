// Bytes of strings: equality, order and hash, eight at a time, and how many characters they are.

import { lengthOf, textOf } from './value';

/** From here on `memory.copy` is faster. */
const COPIED_MAX: u32 = 256;

const MIX: u64 = 0x9e3779b97f4a7c15;

/** Whether two runs of as many bytes are the same. */
export function equalBytes(a: u32, b: u32, length: u32): bool {
  if (length < 8) return equalFew(a, b, length);
  const last = length - 8;
  for (let i: u32 = 0; i < last; i += 8) {
    if (load<u64>(a + i) != load<u64>(b + i)) return false;
  }
  return load<u64>(a + last) == load<u64>(b + last);
}

function equalFew(a: u32, b: u32, length: u32): bool {
  if (length >= 4) {
    const last = length - 4;
    return load<u32>(a) == load<u32>(b) && load<u32>(a + last) == load<u32>(b + last);
  }
  for (let i: u32 = 0; i < length; i++) if (load<u8>(a + i) != load<u8>(b + i)) return false;
  return true;
}

/** Copies bytes; for the short runs of names, which `memory.copy` takes longer to begin with. */
export function copyBytes(to: u32, from: u32, length: u32): void {
  if (length < 16) {
    copyFew(to, from, length);
    return;
  }
  if (length > COPIED_MAX) {
    memory.copy(to, from, length);
    return;
  }
  const last = length - 16;
  for (let i: u32 = 0; i < last; i += 16) v128.store(to + i, v128.load(from + i));
  v128.store(to + last, v128.load(from + last));
}

function copyFew(to: u32, from: u32, length: u32): void {
  if (length >= 8) {
    const last = length - 8;
    store<u64>(to, load<u64>(from));
    store<u64>(to + last, load<u64>(from + last));
  } else if (length >= 4) {
    const last = length - 4;
    store<u32>(to, load<u32>(from));
    store<u32>(to + last, load<u32>(from + last));
  } else {
    for (let i: u32 = 0; i < length; i++) store<u8>(to + i, load<u8>(from + i));
  }
}

/** The order of two byte strings: below 0, 0 or above 0. */
export function compareBytes(a: u32, aLength: u32, b: u32, bLength: u32): i32 {
  const shorter = min(aLength, bLength);
  let i: u32 = 0;
  for (; i + 8 <= shorter; i += 8) {
    const x = load<u64>(a + i);
    const y = load<u64>(b + i);
    if (x != y) return bswap(x) < bswap(y) ? -1 : 1;
  }
  for (; i < shorter; i++) {
    const x = <i32>load<u8>(a + i);
    const y = <i32>load<u8>(b + i);
    if (x != y) return x - y;
  }
  return aLength == bLength ? 0 : aLength < bLength ? -1 : 1;
}

/** One step of every hash of the engine. */
export function mixed(hash: u64, word: u64): u64 {
  return (rotl<u64>(hash, 5) ^ word) * MIX;
}

/** The 32 bits that a table uses of a hash; never 0, which means that none is known. */
export function finished(hash: u64): u32 {
  const folded = (hash ^ (hash >> 29)) * MIX;
  const bits = <u32>(folded >> 32);
  return bits == 0 ? 1 : bits;
}

/** The hash of so many bytes. Anyone can find collisions, so no table relies on there being few. */
export function hashBytes(pointer: u32, length: u32): u32 {
  let hash: u64 = length;
  if (length >= 8) {
    const last = length - 8;
    for (let i: u32 = 0; i < last; i += 8) hash = mixed(hash, load<u64>(pointer + i));
    return finished(mixed(hash, load<u64>(pointer + last)));
  }
  if (length >= 4) {
    const word = ((<u64>load<u32>(pointer)) << 32) | load<u32>(pointer + length - 4);
    return finished(mixed(hash, word));
  }
  let word: u64 = 0;
  for (let i: u32 = 0; i < length; i++) word = (word << 8) | load<u8>(pointer + i);
  return finished(mixed(hash, word));
}

/** How many characters a string has. */
export function codePoints(value: u32): u32 {
  const start = textOf(value);
  const end = start + lengthOf(value);
  let count: u32 = 0;
  let p = start;
  // A byte that continues a character is below -64 when read as signed.
  for (; p + 16 <= end; p += 16) {
    count += popcnt(i8x16.bitmask(i8x16.ge_s(v128.load(p), i8x16.splat(-64))));
  }
  for (; p < end; p++) if (<i32>load<i8>(p) >= -64) count += 1;
  return count;
}

/** Where a byte is that is no plain ASCII, or the last place from which 16 bytes can be read. */
export function plainEnd(start: u32, limit: u32): u32 {
  let p = start;
  for (; p + 16 <= limit; p += 16) {
    const block = v128.load(p);
    // Signed, so that bytes from 0x80 count as below 0x20.
    const control = i8x16.lt_s(block, i8x16.splat(0x20));
    const quote = i8x16.eq(block, i8x16.splat(0x22));
    const backslash = i8x16.eq(block, i8x16.splat(0x5c));
    const special = i8x16.bitmask(v128.or(control, v128.or(quote, backslash)));
    if (special != 0) return p + ctz(special);
  }
  return p;
}
