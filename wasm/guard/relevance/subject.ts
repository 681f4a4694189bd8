// What a text is about: its words with their weights, and the sum of their vectors; and how alike two such are.

import { count } from '../text';
import { addVector, DIMENSIONS, entryOf, weightOf } from './vectors';
import { nextWord, wordHash } from './words';

/** u32: distinct words; known words; root of the sum of squared weights; length of the vector; then the vector. */
const WORDS: usize = 0;
const KNOWN: usize = 4;
const WEIGHT: usize = 8;
const LENGTH: usize = 12;
const VECTOR: usize = 16;
const LIST: usize = VECTOR + 4 * DIMENSIONS;
/** Hash and squared weight. */
const LISTED: usize = 8;

/** Words of the subject that `has` is asked about; more than twice of what any subject has. */
const SLOTS: u32 = 2048;
const set: usize = memory.data(16384);
let generation: u32 = 0;

/** How many distinct words a subject has. */
export function wordsOf(subject: usize): u32 {
  return load<u32>(subject + WORDS);
}

/** How many of them the table knows. */
export function knownOf(subject: usize): u32 {
  return load<u32>(subject + KNOWN);
}

/** Begins a subject of 112 bytes and 8 for each distinct word; only one is made at a time. */
export function openSubject(subject: usize): void {
  memory.fill(subject, 0, LIST);
  generation++;
}

/** Adds the words of `[begin, end)`, each once; more than `most` words only to the vector. */
export function addText(subject: usize, begin: usize, end: usize, most: u32): void {
  for (let p = nextWord(begin, end); p != 0; p = nextWord(p, end)) {
    addWord(subject, wordHash, most);
  }
}

/** Adds one word by its hash. */
export function addWord(subject: usize, hash: u32, most: u32): void {
  const words = wordsOf(subject);
  const isListed = words < most && listed(hash);
  if (words < most && !isListed) return;
  const entry = entryOf(hash);
  if (entry != 0) {
    addVector(entry, subject + VECTOR);
    if (isListed) store<u32>(subject + KNOWN, knownOf(subject) + 1);
  }
  if (!isListed) return;
  const weight = weightOf(entry);
  const place = subject + LIST + <usize>words * LISTED;
  store<u32>(place, hash);
  store<u32>(place, weight * weight, 4);
  store<u32>(subject + WEIGHT, load<u32>(subject + WEIGHT) + weight * weight);
  store<u32>(subject + WORDS, words + 1);
}

/** Notes a word of the subject that is being made; false when it was there. */
function listed(hash: u32): bool {
  const place = slotOf(hash);
  if (load<u32>(place, 4) == generation) return false;
  store<u32>(place, hash);
  store<u32>(place, generation, 4);
  return true;
}

function slotOf(hash: u32): usize {
  let slot = hash & (SLOTS - 1);
  while (true) {
    const place = set + ((<usize>slot) << 3);
    if (load<u32>(place, 4) != generation || load<u32>(place) == hash) return place;
    slot = (slot + 1) & (SLOTS - 1);
  }
}

/** Ends the subject: what was summed becomes lengths. */
export function closeSubject(subject: usize): void {
  store<u32>(subject + WEIGHT, root(load<u32>(subject + WEIGHT)));
  let most: i32 = 0;
  for (let i: u32 = 0; i < DIMENSIONS; i++) most = max(most, abs(sumAt(subject, i)));
  // Below 2^20, so that a product of two vectors and a thousand stays within 64 bits.
  const shift = max<i32>(0, 12 - clz<i32>(most));
  let squares: u64 = 0;
  for (let i: u32 = 0; i < DIMENSIONS; i++) {
    const value = sumAt(subject, i) >> shift;
    store<i32>(subject + VECTOR + (i << 2), value);
    squares += <u64>(<i64>value * <i64>value);
  }
  store<u32>(subject + LENGTH, root(squares));
}

function sumAt(subject: usize, index: u32): i32 {
  return load<i32>(subject + VECTOR + (index << 2));
}

/**
 * How alike `subject` is to the one that was made last, in thousandths: the cosine of the vectors, and the cosine of
 * the words times four, so that words in common count for more than words of one field.
 */
export function likeness(subject: usize, last: usize): u32 {
  const words = wordsOf(subject);
  count(words + DIMENSIONS);
  let common: u64 = 0;
  for (let i: u32 = 0; i < words; i++) {
    const place = subject + LIST + <usize>i * LISTED;
    if (load<u32>(slotOf(load<u32>(place)), 4) == generation) common += load<u32>(place, 4);
  }
  const weights = <u64>load<u32>(subject + WEIGHT) * load<u32>(last + WEIGHT);
  const shared = weights == 0 ? 0 : <i64>((common * 4000) / weights);
  let product: i64 = 0;
  for (let i: u32 = 0; i < DIMENSIONS; i++) {
    product += <i64>sumAt(subject, i) * <i64>sumAt(last, i);
  }
  const lengths = <i64>load<u32>(subject + LENGTH) * <i64>load<u32>(last + LENGTH);
  const near = lengths == 0 ? 0 : (product * 1000) / lengths;
  return <u32>max<i64>(0, shared + near);
}

/** The whole part of a square root. */
function root(square: u64): u32 {
  let rest = square;
  let result: u64 = 0;
  for (let bit: u64 = (<u64>1) << 62; bit != 0; bit >>= 2) {
    if (rest >= result + bit) {
      rest -= result + bit;
      result = (result >> 1) + bit;
    } else result >>= 1;
  }
  return <u32>result;
}
