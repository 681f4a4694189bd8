// Reads folded text as words alone: digits and signs that stand for letters, letters set apart, words tied by signs.

import { count } from '../text';
import { classesOf, DIGIT, JOINER, LEET, LETTER, unleet } from './characters';
import { FOLDED_MAX } from './fold';

/** From so many single letters in a row on they are one word. */
const APART_MIN: u32 = 4;
/** A word that is tied to the next so many times without a space is read apart. */
const TIED_MIN: u32 = 2;
/** So many words that begin with a digit are leetspeak. */
const LEADING_MIN: u32 = 2;
/** Bytes of an emoji. */
const SYMBOL_BYTES: usize = 4;

const out: usize = memory.data(3072);

/** Where the text that `words`, `rotate` and `reverse` write begins. */
export const wordsBegin: usize = out;
/** Where it ends. */
export let wordsEnd: usize = out;

/**
 * Whether folded text holds a word with a digit or sign between letters, two words that begin with a digit, letters
 * set apart, or words tied together.
 */
export function hasHiddenWords(begin: usize, end: usize): bool {
  let before: u32 = 0;
  let last: u32 = 0;
  let apart: u32 = 0;
  let tied: u32 = 0;
  let leading: u32 = 0;
  count(<u32>(end - begin));
  for (let p = begin; p < end; p++) {
    const byte: u32 = load<u8>(p);
    const now: u32 = byte >= 0x80 ? (isSymbol(p, end) ? JOINER : LETTER) : classesOf(byte);
    if (now == JOINER && byte >= 0x80) p += SYMBOL_BYTES - 1 - (byte == 0xe2 ? 1 : 0);
    if ((now & LETTER) != 0) {
      if ((last & LETTER) != 0) apart = 0;
      else if ((last & LEET) != 0) {
        if ((before & LETTER) != 0) return true;
        if ((last & DIGIT) != 0 && ++leading >= LEADING_MIN) return true;
      } else if ((last & JOINER) != 0 && (before & LETTER) != 0) {
        if (++tied >= TIED_MIN) return true;
      }
    } else {
      if ((last & LETTER) != 0 && (before & LETTER) == 0) {
        if (++apart >= APART_MIN) return true;
      }
      if (byte == 0x20) tied = 0;
    }
    before = last;
    last = now;
  }
  return false;
}

function isWordByte(byte: u32): bool {
  return byte >= 0x80 || (classesOf(byte) & (LETTER | DIGIT | LEET)) != 0;
}

/** Whether an emoji or a symbol begins at `p`: U+2000 to U+2FFF, or U+1F000 to U+1FFFF. */
function isSymbol(p: usize, end: usize): bool {
  const lead: u32 = load<u8>(p);
  if (lead == 0xe2) return p + 3 <= end;
  return lead == 0xf0 && p + SYMBOL_BYTES <= end && load<u8>(p + 1) == 0x9f;
}

/** Writes the words of folded text with one space between them to `[wordsBegin, wordsEnd)`. */
export function words(begin: usize, end: usize): void {
  let p = begin;
  let q = out;
  let isSingle = false;
  let separator: u32 = 0;
  count(<u32>(end - begin));
  while (p < end) {
    const from = p;
    let letters: u32 = 0;
    while (p < end) {
      const byte: u32 = load<u8>(p);
      if (!isWordByte(byte) || (byte >= 0x80 && isSymbol(p, end))) break;
      if (byte >= 0x80 || (classesOf(byte) & LETTER) != 0) letters++;
      p++;
    }
    if (p == from) {
      p += load<u8>(p) < 0x80 ? 1 : load<u8>(p) == 0xe2 ? 3 : SYMBOL_BYTES;
      continue;
    }
    const wasSingle = isSingle;
    const mark: u32 = from > begin ? <u32>load<u8>(from - 1) : 0;
    isSingle = p - from == 1;
    // Letters set apart by one and the same sign are one word; another sign begins the next.
    if (q > out && !(wasSingle && isSingle && (separator == 0 || separator == mark))) {
      store<u8>(q++, 0x20);
      separator = 0;
    } else if (isSingle) separator = mark;
    q = copyWord(from, p, q, letters);
  }
  wordsEnd = q;
}

function copyWord(from: usize, to: usize, at: usize, letters: u32): usize {
  let q = at;
  let last = to;
  // What closes a sentence is no letter.
  while (last > from && (load<u8>(last - 1) == 0x21 || load<u8>(last - 1) == 0x7c)) last--;
  for (let p = from; p < last; p++) {
    const byte: u32 = load<u8>(p);
    if (letters == 0) store<u8>(q++, byte);
    else if (byte == 0x31 && isOne(p - 1, from, last, p + 1)) store<u8>(q++, 0x6c);
    else store<u8>(q++, unleet(byte));
  }
  return q;
}

/** Whether another `1` stands beside: the two are the l of `a11`, where one is the i of `1gnore`. */
function isOne(before: usize, from: usize, to: usize, after: usize): bool {
  return (before >= from && load<u8>(before) == 0x31) || (after < to && load<u8>(after) == 0x31);
}

/** Writes folded text with each letter moved by 13 to `[wordsBegin, wordsEnd)`. */
export function rotate(begin: usize, end: usize): void {
  let q = out;
  count(<u32>(end - begin));
  for (let p = begin; p < end; p++) {
    const byte: u32 = load<u8>(p);
    const isLetter = byte >= 0x61 && byte <= 0x7a;
    store<u8>(q++, isLetter ? ((byte - 0x61 + 13) % 26) + 0x61 : byte);
  }
  wordsEnd = q;
}

/** Writes folded text backwards, character by character, to `[wordsBegin, wordsEnd)`. */
export function reverse(begin: usize, end: usize): void {
  let q = out + min<usize>(end - begin, FOLDED_MAX);
  count(<u32>(end - begin));
  wordsEnd = q;
  let p = begin;
  while (p < end) {
    let next = p + 1;
    while (next < end && (load<u8>(next) & 0xc0) == 0x80) next++;
    q -= next - p;
    memory.copy(q, p, next - p);
    p = next;
  }
}
