// The tokens of the encoding by their bytes: a hash table that is filled once, when the module is instantiated.

import { alloc, persist } from '../common/arena';
import { tokenBytes, tokenCount, tokenLengths } from './classes';

/** The rank of what is no token. */
export const NONE: u32 = 0xffffffff;

/** Bits of a slot for the rank and one; the rest are bits of the hash, which spare most comparisons. */
const RANK_BITS: u32 = 18;
const RANK_MASK: u32 = (1 << RANK_BITS) - 1;
const MIX: u64 = 0x9e3779b97f4a7c15;

/** The bytes of the longest token. */
export let tokenLengthMax: u32 = 0;

const bytes: u32 = tokenBytes();
const lengths: u32 = tokenLengths();
/** How far a hash is shifted to give a slot: the table is twice to four times the tokens. */
const shift: u32 = clz<u32>(tokenCount() << 1) + 32;
const slotMask: u32 = (1 << (64 - shift)) - 1;
const slots: u32 = alloc(4 << (64 - shift));
const offsets: u32 = alloc(tokenCount() << 2);

fill();
persist();

function fill(): void {
  memory.fill(slots, 0, 4 << (64 - shift));
  let offset: u32 = 0;
  for (let rank: u32 = 0; rank < tokenCount(); rank++) {
    const length: u32 = load<u8>(lengths + rank);
    store<u32>(offsets + (rank << 2), offset);
    const hash = hashOf(bytes + offset, length);
    let slot = <u32>(hash >> shift);
    while (load<u32>(slots + (slot << 2)) != 0) slot = (slot + 1) & slotMask;
    store<u32>(slots + (slot << 2), (tagOf(hash) << RANK_BITS) | (rank + 1));
    tokenLengthMax = max(tokenLengthMax, length);
    offset += length;
  }
}

/** The last `length` bytes, 1 to 8, of a number that was read from there. */
function only(value: u64, length: u32): u64 {
  return value & (<u64>-1 >> (64 - (length << 3)));
}

function hashOf(pointer: u32, length: u32): u64 {
  let hash: u64 = length;
  let p = pointer;
  let rest = length;
  while (rest > 8) {
    hash = (hash ^ load<u64>(p)) * MIX;
    hash ^= hash >> 32;
    p += 8;
    rest -= 8;
  }
  hash = (hash ^ only(load<u64>(p), rest)) * MIX;
  return (hash ^ (hash >> 32)) * MIX;
}

function tagOf(hash: u64): u32 {
  return <u32>hash >> RANK_BITS;
}

function areEqual(a: u32, b: u32, length: u32): bool {
  let i: u32 = 0;
  for (; i + 8 < length; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false;
  return only(load<u64>(a + i) ^ load<u64>(b + i), length - i) == 0;
}

/**
 * The rank of the token with these bytes, at least one, or NONE. Reads up to 7 bytes behind them, which must be
 * memory. The tokens are fixed, so that the longest row of filled slots is too: nobody can make one.
 */
export function rankOf(pointer: u32, length: u32): u32 {
  if (length > tokenLengthMax) return NONE;
  const hash = hashOf(pointer, length);
  const tag = tagOf(hash);
  let slot = <u32>(hash >> shift);
  while (true) {
    const entry = load<u32>(slots + (slot << 2));
    if (entry == 0) return NONE;
    if (entry >> RANK_BITS == tag) {
      const rank = (entry & RANK_MASK) - 1;
      const isSame =
        <u32>load<u8>(lengths + rank) == length &&
        areEqual(bytes + load<u32>(offsets + (rank << 2)), pointer, length);
      if (isSame) return rank;
    }
    slot = (slot + 1) & slotMask;
  }
}
