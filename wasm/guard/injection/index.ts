// The PromptInjection scanner: each sentence with the one before it is a window, judged as soon as it ends.

import { report } from '../findings';
import { isOutput, observedInjection, thresholdOf } from '../request';
import { PROMPT_INJECTION } from '../scanners';
import { endsCanary, prepareCanaries } from './canaries';
import { dropCarried, hasCarried, joinCarried, joinedBegin, joinedEnd, noteGap } from './gaps';
import { isLeak, judge, kind, score } from './judge';
import { CANARY_LEAKED, MODEL } from './kinds';
import {
  closeSentence,
  nextSentence,
  openSentences,
  sentenceBegin,
  shiftSentences,
} from './sentences';

const CERTAIN: u32 = 1000;

let isBegun: bool = false;
/** Where the sentence before the open one begins; where the open one does when there is none that counts. */
let before: usize = 0;
let windows: u32 = 0;

/** Forgets the last text and reads the canaries of the request. */
export function resetInjection(): void {
  isBegun = false;
  windows = 0;
  dropCarried();
  prepareCanaries();
}

/**
 * Judges the text known so far, `[begin, end)`, sentence by sentence; returns where the open sentence begins, before
 * which nothing will be reported. With `last` the text ends at `end`. Looks at most 252 bytes behind that.
 */
export function advanceInjection(begin: usize, end: usize, last: bool): usize {
  if (!isBegun) {
    isBegun = true;
    openSentences(begin);
    before = begin;
  }
  while (true) {
    let stop = nextSentence(end);
    if (stop == 0) {
      if (!last || sentenceBegin == end) break;
      stop = end;
    }
    judgeSentence(stop, last && stop == end);
  }
  return sentenceBegin;
}

/** The buffer of the text has moved down by `delta`. */
export function shiftInjection(delta: usize): void {
  shiftSentences(delta);
  before -= delta;
}

function judgeSentence(stop: usize, isLast: bool): void {
  const from = <u32>sentenceBegin;
  // The model sees every sentence once, in pairs; what the rules found or was decoded it sees in any case.
  judge(before, stop, windows, isLast || (windows & 1) == 1);
  const leaks = (isOutput && endsCanary(from, stop)) || isLeak;
  let value = <u32>score;
  let what = kind;
  if (hasCarried()) {
    joinCarried(from, stop);
    judge(joinedBegin, joinedEnd, windows, false);
    if (<u32>score > value) {
      value = <u32>score;
      what = kind;
    }
  }
  // What another model says of the whole text counts once.
  if (windows == 0 && observedInjection > <i32>value) {
    value = <u32>observedInjection;
    what = MODEL;
  }
  windows++;
  const flagged = value >= thresholdOf(PROMPT_INJECTION);
  if (value > 0) report(from, <u32>stop, PROMPT_INJECTION, what, value);
  if (leaks) report(from, <u32>stop, PROMPT_INJECTION, CANARY_LEAKED, CERTAIN);
  if (flagged || isOutput) dropCarried();
  else noteGap(before, from, stop);
  // What was reported is not judged again together with the next sentence.
  before = flagged || leaks ? stop : <usize>from;
  closeSentence(stop);
}
