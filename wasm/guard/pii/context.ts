// Words that say what a number is: found once in the text, remembered by kind, asked for by the matchers.

import { PII_WORDS, section } from '../tables';
import { FIRST_KIND, PHONE } from './kinds';
import { begin, classes, count, isEscapeLetter, LETTER, LOWER, UPPER } from './text';

/** A word farther back than this never counts. */
export const CONTEXT_MAX: u32 = 96;
/** Between the words of a phrase stand at most so many bytes. */
const GAP_MAX: u32 = 4;
const KINDS: u32 = 64;
const BASIS: u32 = 0x811c9dc5;
const PRIME: u32 = 0x01000193;

const lastSeen: u32 = <u32>memory.data(256);
let scanned: u32 = 0;
/** The language of the last word for a telephone. */
export let phoneLanguage: u32 = 0;
let table: u32 = 0;

/** Hash, beginning and end of the last word, and of the phrase of the two last. */
let wordHash: u32 = 0;
let wordStart: u32 = 0;
let wordEnd: u32 = 0;
let pairHash: u32 = 0;
let pairStart: u32 = 0;

/** Forgets all words. */
export function resetContext(): void {
  table = <u32>section(PII_WORDS);
  memory.fill(lastSeen, 0, KINDS * 4);
  scanned = 0;
  phoneLanguage = 0;
  forgetPhrase();
}

/** The text has moved down by `delta` bytes. */
export function shiftContext(delta: u32): void {
  for (let i: u32 = 0; i < KINDS * 4; i += 4) {
    const seen = load<u32>(lastSeen + i);
    store<u32>(lastSeen + i, seen > delta ? seen - delta : 0);
  }
  scanned = scanned > delta ? scanned - delta : 0;
  wordStart = wordStart > delta ? wordStart - delta : 0;
  wordEnd = wordEnd > delta ? wordEnd - delta : 0;
  pairStart = pairStart > delta ? pairStart - delta : 0;
}

/** Whether a word for `kind` begins at most `within` bytes (at most CONTEXT_MAX) before `p`. */
export function near(kind: u32, p: u32, within: u32): bool {
  readWords(p);
  return load<u32>(lastSeen + ((kind - FIRST_KIND) << 2)) + within >= p;
}

/** Where the calling codes of the last telephone word's language stand: u16 each, 0 at the end. */
export function phoneRegions(): u32 {
  return table + load<u32>(table, 4) + phoneLanguage * load<u32>(table, 8);
}

function forgetPhrase(): void {
  wordHash = 0;
  wordStart = 0;
  wordEnd = 0;
  pairHash = 0;
  pairStart = 0;
}

/**
 * Length of the letter that begins at `p`, 0 when there is none. Letters are those of ASCII and of the
 * scripts up to U+1FFF; a character of Chinese, Japanese or Korean is a word of its own (`isIdeograph`).
 */
function letterAt(p: u32): u32 {
  const byte: u32 = load<u8>(p);
  if (byte < 0x80) return (<u32>load<u8>(classes + byte) & LETTER) != 0 ? 1 : 0;
  if (byte >= 0xc3 && byte <= 0xdf) return 2;
  return byte == 0xe0 || byte == 0xe1 ? 3 : 0;
}

function isIdeograph(byte: u32): bool {
  return byte >= 0xe3 && byte <= 0xed;
}

/** Whether a word goes on from the character before `p` to the one at `p`; camelCase begins a new word. */
function joins(p: u32): bool {
  if (letterAt(p) == 0) return false;
  let before = p - 1;
  while (before > begin && (load<u8>(before) & 0xc0) == 0x80) before--;
  if (before < begin || letterAt(before) == 0) return false;
  return !(is8(before, LOWER) && is8(p, UPPER));
}

function is8(p: u32, mask: u32): bool {
  return (<u32>load<u8>(classes + load<u8>(p)) & mask) != 0;
}

/** Looks up every word that ends before `p` and begins within reach of it; each byte is read once. */
function readWords(p: u32): void {
  if (p <= scanned) return;
  let q = scanned;
  const first = max(begin, p < CONTEXT_MAX ? 0 : p - CONTEXT_MAX);
  if (q < first) {
    // A word that begins before the reach counts no more, wherever reading began.
    q = first;
    forgetPhrase();
    while (q < p && (load<u8>(q) & 0xc0) == 0x80) q++;
    while (q < p && q > begin && joins(q)) q += letterAt(q);
  }
  count(p - q);
  while (q < p) {
    const byte: u32 = load<u8>(q);
    if (letterAt(q) != 0) q = readWord(q, p);
    else if (isIdeograph(byte)) q = readIdeograph(q, p);
    else q++;
  }
  scanned = p;
}

function readWord(from: u32, p: u32): u32 {
  // The letter of an escape such as \n is no part of the word.
  let q = from;
  let hash = BASIS;
  if (isEscapeLetter(from)) q++;
  const start = q;
  do {
    const next = q + letterAt(q);
    for (; q < next && q < p; q++) {
      let byte: u32 = load<u8>(q);
      if (byte >= 0x41 && byte <= 0x5a) byte |= 0x20;
      hash = (hash ^ byte) * PRIME;
    }
  } while (q < p && joins(q));
  if (q > start) learn(hash, start, q);
  return q;
}

function readIdeograph(from: u32, p: u32): u32 {
  let hash = BASIS;
  let q = from;
  for (; q < from + 3 && q < p; q++) hash = (hash ^ load<u8>(q)) * PRIME;
  learn(hash, from, q);
  return q;
}

/** Takes the next word: alone, and as the end of a phrase of two and of three words. */
function learn(hash: u32, start: u32, stop: u32): void {
  if (start - wordEnd > GAP_MAX) {
    wordHash = 0;
    pairHash = 0;
  }
  lookUp(hash, start);
  let pair: u32 = 0;
  if (wordHash != 0) {
    pair = phrase(wordHash, hash);
    lookUp(pair, wordStart);
    if (pairHash != 0) lookUp(phrase(pairHash, hash), pairStart);
  }
  pairHash = pair;
  pairStart = wordStart;
  wordHash = hash;
  wordStart = start;
  wordEnd = stop;
}

/** As wasm/guard/compiler/pii-words.ts joins hashes. */
function phrase(first: u32, second: u32): u32 {
  return (rotl(first, 5) ^ second) * PRIME;
}

function lookUp(hash: u32, start: u32): void {
  const mask = load<u32>(table) - 1;
  let slot = hash & mask;
  while (true) {
    const entry = table + 16 + (slot << 4);
    const found = load<u32>(entry);
    if (found == 0) return;
    if (found == hash) {
      const language = load<u32>(entry, 4);
      if (language != 0 && start >= lastPhone()) phoneLanguage = language;
      remember(load<u64>(entry, 8), start);
      return;
    }
    slot = (slot + 1) & mask;
  }
}

function lastPhone(): u32 {
  return load<u32>(lastSeen + ((PHONE - FIRST_KIND) << 2));
}

function remember(kinds: u64, start: u32): void {
  let rest = kinds;
  while (rest != 0) {
    const place = lastSeen + ((<u32>ctz(rest)) << 2);
    if (load<u32>(place) < start) store<u32>(place, start);
    rest &= rest - 1;
  }
}
