// Reads the words of a text, stemmed and without stop words, each as a hash.

import { count } from '../text';
import { hashOf } from './hash';
import { codePointAt, isLetter, isUnspaced, letterBytes, lowerCase } from './letters';
import { stem, WORD_MAX, word } from './stem';
import { isStopWord } from './stop-words';

/** The hash of the word that `nextWord` read. */
export let wordHash: u32 = 0;

/**
 * Reads on from `p` to the next word that says something; returns where to read on, or 0 when there is none before
 * `end`. In scripts without spaces any two neighbouring characters are such a word. Of a longer word than 48 bytes
 * the first ones count.
 */
export function nextWord(p: usize, end: usize): usize {
  let q = p;
  while (q < end) {
    const c = codePointAt(q);
    const behind = q + letterBytes;
    if (!isLetter(c)) {
      q = behind;
      continue;
    }
    const isRead = isUnspaced(c) ? readPair(q, behind, end) : readWord(q, end);
    count(<u32>(next - q));
    q = next;
    if (isRead) return q;
  }
  return 0;
}

/** Where the next word begins at the earliest. */
let next: usize = 0;

function readPair(first: usize, second: usize, end: usize): bool {
  next = second;
  if (second >= end || !isUnspaced(codePointAt(second))) return false;
  wordHash = hashOf(first, <u32>(second + letterBytes - first));
  return true;
}

function readWord(p: usize, end: usize): bool {
  let length: u32 = 0;
  let q = p;
  let letters: u32 = 0;
  while (q < end) {
    const c = codePointAt(q);
    if (!isLetter(c) || isUnspaced(c)) break;
    q += letterBytes;
    letters++;
    if (length + 4 <= WORD_MAX) length += writeLetter(word + length, lowerCase(c));
  }
  next = q;
  if (letters < 2 || isStopWord(hashOf(word, length))) return false;
  wordHash = hashOf(word, stem(length));
  return true;
}

function writeLetter(out: usize, c: u32): u32 {
  if (c < 0x80) {
    store<u8>(out, c);
    return 1;
  }
  if (c < 0x800) {
    store<u8>(out, 0xc0 | (c >> 6));
    store<u8>(out, 0x80 | (c & 0x3f), 1);
    return 2;
  }
  if (c < 0x10000) {
    store<u8>(out, 0xe0 | (c >> 12));
    store<u8>(out, 0x80 | ((c >> 6) & 0x3f), 1);
    store<u8>(out, 0x80 | (c & 0x3f), 2);
    return 3;
  }
  store<u8>(out, 0xf0 | (c >> 18));
  store<u8>(out, 0x80 | ((c >> 12) & 0x3f), 1);
  store<u8>(out, 0x80 | ((c >> 6) & 0x3f), 2);
  store<u8>(out, 0x80 | (c & 0x3f), 3);
  return 4;
}
