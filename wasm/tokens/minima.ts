// The ranks of the neighbouring pairs of a piece, and over them a tree of minima, 16 to a block: the least rank
// that stands furthest left is found, and a rank changed, in a time that grows with the logarithm of the piece.

import { alloc } from '../common/arena';
import { NONE } from './vocabulary';

/** 16 to the sixth is more than any text has bytes. */
const LEVELS_MAX: u32 = 6;
const bases: u32 = <u32>memory.data(24);
let top: u32 = 0;

function base(level: u32): u32 {
  return load<u32>(bases + (level << 2));
}

/** Makes room for the ranks of `count` pairs, all NONE. */
export function openMinima(count: u32): void {
  let blocks = count;
  for (let level: u32 = 0; level < LEVELS_MAX; level++) {
    blocks = (blocks + 15) >> 4;
    const room = alloc(blocks << 6);
    memory.fill(room, 0xff, blocks << 6);
    store<u32>(bases + (level << 2), room);
    top = level;
    if (blocks == 1) return;
  }
  unreachable();
}

/** Sets a rank; the tree learns of it by `settle`. */
export function setRank(pair: u32, rank: u32): void {
  store<u32>(base(0) + (pair << 2), rank);
}

/** Computes all minima, after the first ranks were set. */
export function settleAll(count: u32): void {
  let blocks = count;
  for (let level: u32 = 0; level < top; level++) {
    blocks = (blocks + 15) >> 4;
    const from = base(level);
    const to = base(level + 1);
    for (let block: u32 = 0; block < blocks; block++) {
      store<u32>(to + (block << 2), leastOf(from + (block << 6)));
    }
  }
}

/** Computes the minima above the block of a pair, up to where nothing changes. */
export function settle(pair: u32): void {
  let block = pair >> 4;
  for (let level: u32 = 0; level < top; level++) {
    const least = leastOf(base(level) + (block << 6));
    const parent = base(level + 1) + (block << 2);
    if (load<u32>(parent) == least) return;
    store<u32>(parent, least);
    block >>= 4;
  }
}

/** The first pair with the least rank, or NONE when no pair has one. */
export function leastPair(): u32 {
  let block = base(top);
  const least = leastOf(block);
  if (least == NONE) return NONE;
  let pair = placeOf(block, least);
  for (let level = top; level > 0; level--) {
    block = base(level - 1) + (pair << 6);
    pair = (pair << 4) | placeOf(block, least);
  }
  return pair;
}

function leastOf(block: u32): u32 {
  const left = i32x4.min_u(v128.load(block), v128.load(block, 16));
  const right = i32x4.min_u(v128.load(block, 32), v128.load(block, 48));
  const four = i32x4.min_u(left, right);
  const two = i32x4.min_u(four, v128.shuffle<i32>(four, four, 2, 3, 0, 1));
  const one = i32x4.min_u(two, v128.shuffle<i32>(two, two, 1, 0, 3, 2));
  return i32x4.extract_lane(one, 0);
}

/** Where in the block the value stands first. */
function placeOf(block: u32, value: u32): u32 {
  const wanted = i32x4.splat(value);
  const first = i32x4.bitmask(i32x4.eq(v128.load(block), wanted));
  const second = i32x4.bitmask(i32x4.eq(v128.load(block, 16), wanted));
  const third = i32x4.bitmask(i32x4.eq(v128.load(block, 32), wanted));
  const fourth = i32x4.bitmask(i32x4.eq(v128.load(block, 48), wanted));
  return ctz(first | (second << 4) | (third << 8) | (fourth << 12));
}
