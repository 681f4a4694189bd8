// The Relevance scanner: whether the beginning of a response has anything to do with its prompt.

import { stringLength, stringPointer } from '../../common/json';
import { report } from '../findings';
import { IRRELEVANT } from '../kinds';
import { prompt } from '../request';
import { RELEVANCE } from '../scanners';
import {
  BLOCKS,
  blockBegin,
  blocksClosed,
  closeBlock,
  openBlocks,
  shiftBlocks,
  windowSubject,
} from './blocks';
import { addText, closeSubject, knownOf, likeness, openSubject, similarityOf } from './subject';

/** Of a longer prompt the last bytes count. */
const PROMPT_BYTES: u32 = 64 * 1024;
/** Distinct words of a prompt that are compared. */
const PROMPT_WORDS: u32 = 1000;
/** Fewest words, known to the table, of a prompt and of a response that can be judged. */
const PROMPT_KNOWN: u32 = 2;
const RESPONSE_KNOWN: u32 = 8;
/** The likeness, in thousandths, that scores 500 (scripts/guard/relevance-eval.ts). */
const HALF: u32 = 480;

const cutter: usize = memory.data(4688);
const asked: usize = memory.data(8208);
const answered: usize = memory.data(208);
let isOpen: bool = false;
let isJudged: bool = false;

/** Forgets the last text and reads the prompt. */
export function resetRelevance(): void {
  isOpen = false;
  isJudged = prompt == 0;
  openSubject(asked);
  if (prompt == 0) return;
  const end = <usize>stringPointer(prompt) + stringLength(prompt);
  let begin = end - min(stringLength(prompt), PROMPT_BYTES);
  while (begin < end && (load<u8>(begin) & 0xc0) == 0x80) begin++;
  addText(asked, begin, end, PROMPT_WORDS);
  closeSubject(asked);
  if (knownOf(asked) < PROMPT_KNOWN) isJudged = true;
}

/** The text has moved down by `delta`. */
export function shiftRelevance(delta: usize): void {
  if (isOpen) shiftBlocks(cutter, delta);
}

/** Judges once, when four blocks of the response are known or all of it; see scan.ts for the contract. */
export function advanceRelevance(begin: usize, end: usize, last: bool): usize {
  if (!isOpen) {
    openBlocks(cutter, begin);
    isOpen = true;
  }
  while (!isJudged) {
    const from = blockBegin(cutter);
    const stop = closeBlock(cutter, end, last);
    if (stop == 0) return from;
    if (blocksClosed(cutter) < BLOCKS && !(last && stop == end)) continue;
    isJudged = true;
    judge(from, stop);
  }
  return end;
}

function judge(from: usize, to: usize): void {
  windowSubject(cutter, answered);
  if (knownOf(answered) < RESPONSE_KNOWN) return;
  const similarity = similarityOf(likeness(asked, answered), HALF);
  report(<u32>from, <u32>to, RELEVANCE, IRRELEVANT, 1000 - similarity);
}
