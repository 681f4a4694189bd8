// Judges one window in all its readings: folded, as words, turned back, decoded and decoded again, and what is hidden in it.

import { injectionScore } from '../model/linear';
import { decode, decoded, hasEncoded } from '../normalise/decode';
import { FOLD_MAX, fold, foldedBegin, foldedEnd, foldedWide } from '../normalise/fold';
import { hasHiddenWords, reverse, rotate, words, wordsBegin, wordsEnd } from '../normalise/words';
import { isOutput, SOURCE_USER, source } from '../request';
import { INJECTION_MODEL, section } from '../tables';
import { hasCanaries, holdsCanary } from './canaries';
import { hasQuotes, isReversed, isRotated, strongest, talk, weigh, weight } from './evidence';
import { hiddenBegin, hiddenEnd, hiddenLetters, mayHide, reveal } from './hidden';
import { HIDDEN_INSTRUCTION, MODEL } from './kinds';
import { combined } from './score';

/** How often what was decoded is decoded again. */
const DEPTH_MAX: u32 = 2;
/** Text that is hidden although it is no emoji and no flag: so many letters are no accident. */
const HIDDEN_LETTERS_MIN: u32 = 12;
const HIDDEN_SCORE: i32 = 700;
/** What the rules weigh more in text that was encoded or hidden, or that comes from a tool or a document. */
const ENCODED_BONUS: i32 = 100;
const UNTRUSTED_BONUS: i32 = 100;

const buffers: usize = memory.data(1024);
const hasModel: bool = section(INJECTION_MODEL) != 0;

/** The score of the window, of 1000. */
export let score: i32 = 0;
/** The kind of what scored it. */
export let kind: u32 = MODEL;
/** Whether a canary stands in it. */
export let isLeak: bool = false;

let window: u32 = 0;
let asksModel: bool = false;
/** Whether the window holds anything but ASCII. */
let isWide: bool = false;
/** Whether quotation marks stood where a reading has none. */
let isQuoting: bool = false;

/** Judges `[begin, end)`, at most FOLD_MAX bytes, the window of this number; `askModel` says whether the model is asked. */
export function judge(begin: usize, end: usize, number: u32, askModel: bool): void {
  window = number;
  asksModel = askModel;
  score = 0;
  kind = MODEL;
  isLeak = false;
  read(begin, end, 0);
  if (!isWide || !mayHide(begin, end)) return;
  reveal(begin, end);
  const letters = hiddenLetters();
  const isFew = letters < HIDDEN_LETTERS_MIN;
  if (isFew && !(isOutput && hasCanaries())) return;
  const seen = score;
  read(hiddenBegin, hiddenEnd, 1);
  if (isFew) return;
  score = max(score, HIDDEN_SCORE);
  if (score > seen) kind = HIDDEN_INSTRUCTION;
}

/** Reads `[begin, end)`, which was decoded `depth` times. */
function read(begin: usize, end: usize, depth: u32): void {
  fold(begin, end);
  const stop = foldedEnd;
  const wide = foldedWide;
  if (depth == 0) isWide = wide;
  if (isOutput) {
    if (hasCanaries()) lookForCanaries(stop);
  } else readFolded(stop, wide, depth);
  if (depth == DEPTH_MAX || !hasEncoded(begin, end)) return;
  const out = buffers + depth * FOLD_MAX;
  const to = decode(begin, end, out);
  if (decoded) read(out, to, depth + 1);
}

/** Weighs what `fold` left, and the other readings that it gives reason for. */
function readFolded(stop: usize, wide: bool, depth: u32): void {
  isQuoting = false;
  weighReading(foldedBegin, stop, wide, depth, true);
  const rotated = isRotated;
  const reversed = isReversed;
  if (hasHiddenWords(foldedBegin, stop)) {
    words(foldedBegin, stop);
    isQuoting = hasQuotes(foldedBegin, stop);
    weighReading(wordsBegin, wordsEnd, wide, depth, false);
    isQuoting = false;
  }
  if (rotated) {
    rotate(foldedBegin, stop);
    weighReading(wordsBegin, wordsEnd, wide, depth + 1, false);
  }
  if (reversed) {
    reverse(foldedBegin, stop);
    weighReading(wordsBegin, wordsEnd, wide, depth + 1, false);
  }
}

function weighReading(begin: usize, end: usize, wide: bool, depth: u32, hasOdds: bool): void {
  const untrusted = source != SOURCE_USER;
  weigh(begin, end, wide, untrusted, isQuoting);
  let total = weight;
  if (total > 0) {
    if (depth > 0) total += ENCODED_BONUS;
    if (untrusted) total += UNTRUSTED_BONUS;
  }
  const isJudged = hasModel && hasOdds && (asksModel || total > 0 || depth > 0);
  const value = combined(total, isJudged ? injectionScore(begin, end) : 0, isJudged, talk, window);
  if (value <= score) return;
  score = value;
  kind = total > 0 ? strongest : MODEL;
}

function lookForCanaries(stop: usize): void {
  if (isLeak) return;
  isLeak = holdsCanary(foldedBegin, stop);
  if (isLeak) return;
  rotate(foldedBegin, stop);
  isLeak = holdsCanary(wordsBegin, wordsEnd);
  if (isLeak) return;
  reverse(foldedBegin, stop);
  isLeak = holdsCanary(wordsBegin, wordsEnd);
}
