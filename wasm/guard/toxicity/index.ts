// The Toxicity scanner: each sentence, folded and with disguised words made plain, under the toxicity model.

import { report } from '../findings';
import { logistic } from '../injection/score';
import { toxicityScore } from '../model/linear';
import { fold, foldedBegin, foldedEnd } from '../normalise/fold';
import { hasHiddenWords, words, wordsBegin, wordsEnd } from '../normalise/words';
import { TOXICITY } from '../scanners';
import { ABUSE } from './kinds';
import {
  closeSentence,
  nextSentence,
  openSentences,
  sentenceBegin,
  shiftSentences,
} from './sentences';

let isBegun: bool = false;

/** Forgets the last text. */
export function resetToxicity(): void {
  isBegun = false;
}

/**
 * Judges the text known so far, `[begin, end)`, sentence by sentence; returns where the open sentence begins, before
 * which nothing will be reported. With `last` the text ends at `end`. Looks at nothing behind that.
 */
export function advanceToxicity(begin: usize, end: usize, last: bool): usize {
  if (!isBegun) {
    isBegun = true;
    openSentences(begin);
  }
  while (true) {
    let stop = nextSentence(end);
    if (stop == 0) {
      if (!last || sentenceBegin == end) break;
      stop = end;
    }
    judge(sentenceBegin, stop);
    closeSentence(stop);
  }
  return sentenceBegin;
}

/** The buffer of the text has moved down by `delta`. */
export function shiftToxicity(delta: usize): void {
  shiftSentences(delta);
}

function judge(begin: usize, end: usize): void {
  fold(begin, end);
  const stop = foldedEnd;
  if (!hasWords(foldedBegin, stop)) return;
  let odds = toxicityScore(foldedBegin, stop);
  if (hasHiddenWords(foldedBegin, stop)) {
    words(foldedBegin, stop);
    odds = max(odds, toxicityScore(wordsBegin, wordsEnd));
  }
  const score = logistic(odds);
  if (score > 0) report(<u32>begin, <u32>end, TOXICITY, ABUSE, <u32>score);
}

/** Whether a folded sentence has three different letters: a run of one letter is no word, whatever it was learnt as. */
function hasWords(begin: usize, end: usize): bool {
  let seen: u32 = 0;
  for (let at = begin; at < end; at++) {
    const byte = <u32>load<u8>(at);
    if (byte >= 0x80) return true;
    if (byte >= 0x61 && byte <= 0x7a) seen |= 1 << (byte - 0x61);
    if (popcnt(seen) >= 3) return true;
  }
  return false;
}
