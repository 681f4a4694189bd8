// What the table knows of words: how much a word says, and where it lies among the others.

import { section, sectionBytes, WORD_VECTORS } from '../tables';

/** Numbers of a sum of vectors: 24 that words have, and 8 that stay 0. */
export const NUMBERS: u32 = 32;
/** A byte of weight, three of hash, twelve with two numbers of four bits each. */
const ENTRY: u32 = 16;
/** What a word says that the table does not know, in twentieths of the natural logarithm of its rarity. */
const UNKNOWN_WEIGHT: u32 = 180;

/** For each beginning of 12 bits of a hash the first entry that does not come before it. */
const FIRSTS: u32 = 4096;
const firsts: usize = memory.data(8196);
let table: usize = 0;

index();

function index(): void {
  table = section(WORD_VECTORS);
  if (table == 0) return;
  const entries = sectionBytes(WORD_VECTORS) / ENTRY;
  let entry: u32 = 0;
  for (let first: u32 = 0; first <= FIRSTS; first++) {
    while (entry < entries && load<u32>(table + entry * ENTRY) >> 20 < first) entry++;
    store<u16>(firsts + (first << 1), <u16>entry);
  }
}

/** The entry of a word by its hash, 0 when the table has none: 24 bits of the hash are compared. */
export function entryOf(hash: u32): usize {
  if (table == 0) return 0;
  const first = firsts + ((hash >> 20) << 1);
  const end = table + <u32>load<u16>(first, 2) * ENTRY;
  for (let entry = table + <u32>load<u16>(first) * ENTRY; entry < end; entry += ENTRY) {
    if (load<u32>(entry) >> 8 == hash >> 8) return entry;
  }
  return 0;
}

/** How much a word says, 1 to 255. */
export function weightOf(entry: usize): u32 {
  return entry == 0 ? UNKNOWN_WEIGHT : <u32>load<u8>(entry);
}

/** Adds a word's vector, times its weight, to sums of i32. The order of the numbers is the same for all words. */
export function addVector(entry: usize, sums: usize): void {
  const weight = i16x8.splat(<i16>weightOf(entry));
  // Without weight and hash.
  const pairs = v128.and(v128.load(entry), i32x4(0, -1, -1, -1));
  addEight(sums, i16x8.mul(i16x8.extend_low_i8x16_s(i8x16.shr_s(pairs, 4)), weight));
  addEight(sums + 32, i16x8.mul(i16x8.extend_high_i8x16_s(i8x16.shr_s(pairs, 4)), weight));
  const second = i8x16.shr_s(i8x16.shl(pairs, 4), 4);
  addEight(sums + 64, i16x8.mul(i16x8.extend_low_i8x16_s(second), weight));
  addEight(sums + 96, i16x8.mul(i16x8.extend_high_i8x16_s(second), weight));
}

// A weight is at most 255 and a number at most 8: their product fits 16 bits.
function addEight(sums: usize, values: v128): void {
  v128.store(sums, i32x4.add(v128.load(sums), i32x4.extend_low_i16x8_s(values)));
  v128.store(sums + 16, i32x4.add(v128.load(sums + 16), i32x4.extend_high_i16x8_s(values)));
}

/** Adds sums to sums. */
export function addSums(sums: usize, more: usize): void {
  for (let i: usize = 0; i < 4 * NUMBERS; i += 16) {
    v128.store(sums + i, i32x4.add(v128.load(sums + i), v128.load(more + i)));
  }
}

/** Scales sums to i16 below 2^14 at `vector`, so that products of two fit 32 bits; returns the sum of squares. */
export function scale(sums: usize, vector: usize): u64 {
  let most: i32 = 0;
  for (let i: u32 = 0; i < NUMBERS; i++) most = max(most, abs(load<i32>(sums + (i << 2))));
  const shift = max<i32>(0, 18 - clz<i32>(most));
  for (let i: u32 = 0; i < NUMBERS; i++) {
    store<i16>(vector + (i << 1), <i16>(load<i32>(sums + (i << 2)) >> shift));
  }
  return <u64>product(vector, vector);
}

/** The sum of the products of two scaled vectors. */
export function product(a: usize, b: usize): i64 {
  let sum = i32x4.dot_i16x8_s(v128.load(a), v128.load(b));
  for (let i: usize = 16; i < 2 * NUMBERS; i += 16) {
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load(a + i), v128.load(b + i)));
  }
  return (
    <i64>i32x4.extract_lane(sum, 0) +
    <i64>i32x4.extract_lane(sum, 1) +
    <i64>i32x4.extract_lane(sum, 2) +
    <i64>i32x4.extract_lane(sum, 3)
  );
}
