// What a text is about: its words with their weights, and the sum of their vectors; and how alike two such are.

import { count } from '../text';
import { addVector, entryOf, NUMBERS, product, scale, weightOf } from './vectors';
import { nextWord, wordHash } from './words';

/** u32: distinct words; known words; root of the sum of squared weights; length of the vector; then sums, vector. */
const WORDS: usize = 0;
const KNOWN: usize = 4;
const WEIGHT: usize = 8;
const LENGTH: usize = 12;
const SUMS: usize = 16;
const VECTOR: usize = SUMS + 4 * NUMBERS;
const LIST: usize = VECTOR + 2 * NUMBERS;
/** Hash and squared weight. */
const LISTED: usize = 8;

/** Words of the subject that is made: more than twice of what any has. */
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

/** Where the sums of its vectors are. */
export function sumsOf(subject: usize): usize {
  return subject + SUMS;
}

/** Begins a subject of 208 bytes and, if its words are listed, 8 for each; only one is made at a time. */
export function openSubject(subject: usize): void {
  memory.fill(subject, 0, LIST);
  generation++;
}

/** Adds the words of `[begin, end)` and lists them; more than `most` different ones only to the vector. */
export function addText(subject: usize, begin: usize, end: usize, most: u32): void {
  for (let p = nextWord(begin, end); p != 0; p = nextWord(p, end)) {
    const entry = entryOf(wordHash);
    if (entry != 0) addVector(entry, sumsOf(subject));
    const words = wordsOf(subject);
    if (words == most) continue;
    const weight = weightOf(entry);
    if (!addWord(subject, wordHash, weight, entry != 0)) continue;
    store<u32>(subject + LIST + <usize>words * LISTED, wordHash);
    store<u32>(subject + LIST + <usize>words * LISTED, weight * weight, 4);
  }
}

/** Counts a word, but for its vector; false when it was there. */
export function addWord(subject: usize, hash: u32, weight: u32, isKnown: bool): bool {
  const place = slotOf(hash);
  if (load<u32>(place, 4) == generation) return false;
  store<u32>(place, hash);
  store<u32>(place, generation, 4);
  store<u32>(subject + WORDS, wordsOf(subject) + 1);
  store<u32>(subject + WEIGHT, load<u32>(subject + WEIGHT) + weight * weight);
  if (isKnown) store<u32>(subject + KNOWN, knownOf(subject) + 1);
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
  store<u32>(subject + LENGTH, root(scale(subject + SUMS, subject + VECTOR)));
}

/**
 * How alike `subject`, whose words are listed, is to the one that was made last, in thousandths: the cosine of the
 * vectors, and the cosine of the words times four, so that words in common count for more than words of one field.
 */
export function likeness(subject: usize, last: usize): u32 {
  const words = wordsOf(subject);
  count(words);
  let common: u64 = 0;
  for (let i: u32 = 0; i < words; i++) {
    const place = subject + LIST + <usize>i * LISTED;
    if (load<u32>(slotOf(load<u32>(place)), 4) == generation) common += load<u32>(place, 4);
  }
  const weights = <u64>load<u32>(subject + WEIGHT) * load<u32>(last + WEIGHT);
  const shared = weights == 0 ? 0 : <i64>((common * 4000) / weights);
  const lengths = <i64>load<u32>(subject + LENGTH) * <i64>load<u32>(last + LENGTH);
  const near = lengths == 0 ? 0 : (product(subject + VECTOR, last + VECTOR) * 1000) / lengths;
  return <u32>max<i64>(0, shared + near);
}

/** A likeness as a score of 1000: 500 at `half`, never quite 1000. */
export function similarityOf(likeness: u32, half: u32): u32 {
  return (likeness * 1000) / (likeness + half);
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
