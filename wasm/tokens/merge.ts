// Byte-pair encoding of one piece: the neighbours that make the token of least rank are joined, again and again.

import { alloc, mark, release } from '../common/arena';
import { leastPair, openMinima, setRank, settle, settleAll } from './minima';
import { NONE, rankOf } from './vocabulary';

/** The length of each part, in the byte at its beginning and in the one at its end. */
let lengths: u32 = 0;

/**
 * How many tokens the piece of `length` bytes at `piece` becomes; each byte is a token, so that any piece does.
 * Takes memory in proportion to the piece, and frees it.
 */
export function mergedCount(piece: u32, length: u32): u32 {
  if (length < 2) return length;
  const before = mark();
  lengths = alloc(length);
  memory.fill(lengths, 1, length);
  openMinima(length);
  for (let i: u32 = 0; i + 1 < length; i++) setRank(i, rankOf(piece + i, 2));
  settleAll(length);
  let parts = length;
  for (let pair = leastPair(); pair != NONE; pair = leastPair()) {
    join(piece, length, pair);
    parts--;
  }
  release(before);
  return parts;
}

function lengthAt(part: u32): u32 {
  return load<u8>(lengths + part);
}

/** Joins the part at `left` with the one behind it, and ranks the pairs that it now makes with its neighbours. */
function join(piece: u32, length: u32, left: u32): void {
  const right = left + lengthAt(left);
  const joined = lengthAt(left) + lengthAt(right);
  const behind = left + joined;
  store<u8>(lengths + left, joined);
  store<u8>(lengths + behind - 1, joined);
  setRank(right, NONE);
  setRank(left, behind < length ? rankOf(piece + left, joined + lengthAt(behind)) : NONE);
  if (left > 0) {
    const before = left - lengthAt(left - 1);
    setRank(before, rankOf(piece + before, left - before + joined));
    settle(before);
  }
  settle(left);
  settle(right);
}
