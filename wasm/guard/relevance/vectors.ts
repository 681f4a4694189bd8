// What the table knows of words: how much a word says, and where it lies among the others.

import { section, sectionBytes, WORD_VECTORS } from '../tables';

/** Dimensions of a word's vector, four bits each. */
export const DIMENSIONS: u32 = 24;
/** Four bytes of hash and weight, then the vector. */
const ENTRY: u32 = 16;
/** What a word says that the table does not know, in twentieths of the natural logarithm of its rarity. */
const UNKNOWN_WEIGHT: u32 = 180;

/** The entry of a word by its hash, 0 when the table has none: 24 bits of the hash are compared. */
export function entryOf(hash: u32): usize {
  const table = section(WORD_VECTORS);
  if (table == 0) return 0;
  const wanted = hash >> 8;
  let low: u32 = 0;
  let high = sectionBytes(WORD_VECTORS) / ENTRY;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(table + middle * ENTRY) >> 8 < wanted) low = middle + 1;
    else high = middle;
  }
  if (low == sectionBytes(WORD_VECTORS) / ENTRY) return 0;
  const entry = table + low * ENTRY;
  return load<u32>(entry) >> 8 == wanted ? entry : 0;
}

/** How much a word says, 1 to 255. */
export function weightOf(entry: usize): u32 {
  return entry == 0 ? UNKNOWN_WEIGHT : <u32>load<u8>(entry);
}

/** Adds a word's vector, times its weight, to `DIMENSIONS` sums (i32). */
export function addVector(entry: usize, sums: usize): void {
  const weight = <i32>weightOf(entry);
  for (let i: u32 = 0; i < DIMENSIONS; i += 2) {
    const pair = <i32>load<i8>(entry + 4 + (i >> 1));
    const place = sums + (i << 2);
    store<i32>(place, load<i32>(place) + weight * (pair >> 4));
    store<i32>(place, load<i32>(place, 4) + weight * ((pair << 28) >> 28), 4);
  }
}
