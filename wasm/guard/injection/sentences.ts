// Cuts text into sentences by what has been read so far alone, so that a text in pieces is cut as the whole is.

import { BASE64, classesOf } from '../normalise/characters';
import { count } from '../text';

/** Fewest bytes of a sentence, so that lines of a word or a letter each stand together. */
const SENTENCE_MIN: usize = 48;
/** Most bytes of a sentence: a window is two of them, and what stands before the open one is kept by the frame. */
export const SENTENCE_MAX: usize = 252;
/** From so many bytes on a space ends a sentence. */
const SPACE_FROM: usize = 208;
/** From so many bytes on anything does, but for the last characters of a group of four or of a wide character. */
const CUT_FROM: usize = 248;
/** From so many digits on a run of base64 is cut between groups of four only. */
const RUN_FROM: usize = 16;

/** Where the open sentence begins. */
export let sentenceBegin: usize = 0;
/** The next byte to look at. */
let cursor: usize = 0;

/** Begins to cut the text at `begin`. */
export function openSentences(begin: usize): void {
  closeSentence(begin);
}

/** The text was moved down by `delta`. */
export function shiftSentences(delta: usize): void {
  sentenceBegin -= delta;
  cursor -= delta;
}

/** Begins the next sentence at `end`, which `nextSentence` returned. */
export function closeSentence(end: usize): void {
  sentenceBegin = end;
  cursor = end + SENTENCE_MIN;
}

/** Where the open sentence ends; 0 when the bytes up to `end` do not tell. */
export function nextSentence(end: usize): usize {
  const begin = sentenceBegin;
  const from = cursor;
  while (cursor < end) {
    if (endsBefore(cursor, cursor - begin)) {
      count(<u32>(cursor - from));
      return cursor;
    }
    cursor++;
  }
  count(<u32>(cursor - min(from, cursor)));
  return 0;
}

function isSpace(byte: u32): bool {
  return byte == 0x20 || byte - 9 < 5;
}

/** Whether the sentence of `length` bytes ends before the byte at `p`. */
function endsBefore(p: usize, length: usize): bool {
  const byte: u32 = load<u8>(p);
  if (length < SPACE_FROM) {
    if (isSpace(byte)) return false;
    const last: u32 = load<u8>(p - 1);
    if (last < 0x80) return isSpace(last) && isStop(p - 1);
    return (byte & 0xc0) != 0x80 && isWideStop(p);
  }
  if ((byte & 0xc0) == 0x80) return false;
  if (length < CUT_FROM) return isSpace(byte) || isStop(p - 1) || isWideStop(p);
  const run = runBefore(p);
  return run < RUN_FROM || (run & 3) == 0 || (classesOf(byte) & BASE64) == 0;
}

/** Whether a line ends, or a full stop, question mark or exclamation mark stands, before the spaces that end with the one at `p`. */
function isStop(p: usize): bool {
  let q = p;
  while (q > sentenceBegin && isSpace(load<u8>(q))) {
    if (load<u8>(q) == 10) return true;
    q--;
  }
  if (q == p) return false;
  const byte: u32 = load<u8>(q);
  return byte == 0x2e || byte == 0x21 || byte == 0x3f;
}

/** Whether one of 。！？, the danda or the Arabic question mark ends at `p`: they need no space. */
function isWideStop(p: usize): bool {
  const two: u32 = load<u16>(p - 2);
  if (two == 0x9fd8) return true;
  const three: u32 = <u32>load<u8>(p - 3) | (two << 8);
  return three == 0x8280e3 || three == 0x81bcef || three == 0x9fbcef || three == 0xa4a5e0;
}

/** How many digits of base64 stand before `p` in the open sentence, which begins between groups of four. */
function runBefore(p: usize): usize {
  let q = p;
  while (q > sentenceBegin && (classesOf(load<u8>(q - 1)) & BASE64) != 0) q--;
  return p - q;
}
