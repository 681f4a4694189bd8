// What the matchers propose for one place of the text: the proposal with the highest score is reported.

import { near } from './context';
import { IDENTITY } from './kinds';

export let kind: u32 = 0;
export let start: u32 = 0;
export let stop: u32 = 0;
/** In thousandths; 0 with no proposal. */
export let score: u32 = 0;

/** Forgets the proposals of the last place. */
export function clearCandidate(): void {
  score = 0;
}

/** Proposes the bytes `[from, to)`; of equal scores the longer counts, then the first. */
export function propose(which: u32, from: u32, to: u32, thousandths: u32): void {
  if (thousandths < score || (thousandths == score && to - from <= stop - start)) return;
  kind = which;
  start = from;
  stop = to;
  score = thousandths;
}

/** How far before a number a word for it may begin, in bytes. */
const WORD_WITHIN: u32 = 64;
/** What a number that is likely by itself gets from a word for any identity number. */
const IDENTIFIED: u32 = 860;
const LIKELY: u32 = 500;

/** Proposes a number with `base` thousandths, or with `raised` where a word for the kind stands before it. */
export function offer(which: u32, from: u32, to: u32, base: u32, raised: u32): void {
  let thousandths = base;
  if (near(which, from, WORD_WITHIN)) thousandths = raised;
  else if (base >= LIKELY && base < IDENTIFIED && near(IDENTITY, from, WORD_WITHIN)) {
    thousandths = IDENTIFIED;
  }
  if (thousandths > 0) propose(which, from, to, thousandths);
}
