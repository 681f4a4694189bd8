// Reads the words of a text, stemmed and without stop words, each as a hash.

import { decodePoint, encodePoint, pointBytes } from '../normalise/utf8';
import { count } from '../text';
import { hashOf } from './hash';
import { isLetter, isUnspaced, lowerCase } from './letters';
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
    const c = decodePoint(q, end);
    const behind = q + pointBytes;
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
  if (second >= end || !isUnspaced(decodePoint(second, end))) return false;
  wordHash = hashOf(first, <u32>(second + pointBytes - first));
  return true;
}

function readWord(p: usize, end: usize): bool {
  let length: u32 = 0;
  let q = p;
  let letters: u32 = 0;
  while (q < end) {
    const c = decodePoint(q, end);
    if (!isLetter(c) || isUnspaced(c)) break;
    q += pointBytes;
    letters++;
    if (length + 4 <= WORD_MAX) {
      length = <u32>(encodePoint(word + length, lowerCase(c)) - word);
    }
  }
  next = q;
  if (letters < 2 || isStopWord(hashOf(word, length))) return false;
  wordHash = hashOf(word, stem(length));
  return true;
}
