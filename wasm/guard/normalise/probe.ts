// A module for tests and for training alone: what the normaliser makes of a text, and the windows it is cut into.

import { alloc } from '../../common/arena';
import { OK } from '../../common/errors';
import { beginOutput, writeByte, writeBytes } from '../../common/writer';
import { closeSentence, nextSentence, openSentences, sentenceBegin } from '../injection/sentences';
import { resetWork, work } from '../text';
import { decode, decoded, hasEncoded } from './decode';
import { FOLD_MAX, fold, foldedBegin, foldedEnd } from './fold';
import { hasHiddenWords, reverse, rotate, words, wordsBegin, wordsEnd } from './words';

export { output, outputLength, reserve } from '../../common/abi';

/** Bytes looked at since the last call. */
export function steps(): u32 {
  return work;
}

function writePart(from: usize, to: usize): void {
  writeBytes(<u32>from, <u32>(to - from));
  writeByte(0);
}

/**
 * The readings of a text of at most 512 bytes, each ended by a zero byte: folded; as words, or empty when nothing
 * asks for it; rotated by 13; reversed; decoded once, not folded, or empty when nothing is encoded.
 */
export function readings(pointer: u32, length: u32): i32 {
  const begin: usize = pointer;
  const end = begin + min(length, FOLD_MAX);
  resetWork();
  beginOutput();
  fold(begin, end);
  writePart(foldedBegin, foldedEnd);
  if (hasHiddenWords(foldedBegin, foldedEnd)) {
    words(foldedBegin, foldedEnd);
    writePart(wordsBegin, wordsEnd);
  } else writeByte(0);
  rotate(foldedBegin, foldedEnd);
  writePart(wordsBegin, wordsEnd);
  reverse(foldedBegin, foldedEnd);
  writePart(wordsBegin, wordsEnd);
  if (hasEncoded(begin, end)) {
    const out: usize = alloc(FOLD_MAX);
    const stop = decode(begin, end, out);
    if (decoded) writePart(out, stop);
    else writeByte(0);
  } else writeByte(0);
  return OK;
}

/** The folded windows of a text, each ended by a zero byte: every sentence with the one before it. */
export function windows(pointer: u32, length: u32): i32 {
  const end: usize = pointer + length;
  let before: usize = pointer;
  resetWork();
  beginOutput();
  openSentences(pointer);
  while (sentenceBegin < end) {
    const found = nextSentence(end);
    const stop = found == 0 ? end : found;
    fold(before, stop);
    writePart(foldedBegin, foldedEnd);
    before = sentenceBegin;
    closeSentence(stop);
  }
  return OK;
}
