// The last different results of evaluations, numbered, so that a host that knows a number needs no text of it.

import { alloc, mark, persist, resetArena } from '../common/arena';
import { equal, hashOf } from './compare';
import { bytesToCopy, copyTo, TOO_LARGE } from './copy';
import { canonicalText } from './json-dump';

/** How many different results are kept. */
const ANSWERS: u32 = 32;
/** Memory of each from the start; a larger result gets more once, and a very large one is never kept. */
const BYTES: u32 = 512;
const BYTES_MAX: u32 = 256 * 1024;

// An answer: its number (-1: none), its value, its memory and how much that is.
const NUMBER: u32 = 0;
const ANSWER: u32 = 4;
const BLOCK: u32 = 8;
const BLOCK_BYTES: u32 = 12;
const ANSWER_BYTES: u32 = 16;

const answers: u32 = makeAnswers();
let next: i32 = 0;
/** The answer that was given last, and the one to be replaced next. */
let last: u32 = answers;
let oldest: u32 = answers;

/** The result of the last evaluation, 0 when it was undefined, and its number. */
let current: u32 = 0;
let currentNumber: i32 = -1;
/** Bytes that the current result needs once the evaluation's memory is free; 0 when it is kept already. */
let wanted: u32 = 0;

function makeAnswers(): u32 {
  const table = alloc(ANSWERS * ANSWER_BYTES);
  for (let i: u32 = 0; i < ANSWERS; i++) {
    const slot = table + i * ANSWER_BYTES;
    store<i32>(slot, -1, NUMBER);
    store<u32>(slot, 0, ANSWER);
    store<u32>(slot, alloc(BYTES), BLOCK);
    store<u32>(slot, BYTES, BLOCK_BYTES);
  }
  persist();
  return table;
}

/** The value of the last evaluation's result, 0 when it was undefined; until the next `begin`. */
export function result(): u32 {
  return current;
}

/** The number of a result: that of an equal one among those kept, or a new one; -1 for undefined. */
export function answer(value: u32): i32 {
  wanted = 0;
  current = value;
  currentNumber = -1;
  if (value == 0) return -1;
  const known = search(value);
  if (known != 0) {
    last = known;
    currentNumber = load<i32>(known, NUMBER);
    return currentNumber;
  }
  currentNumber = next;
  next = next == i32.MAX_VALUE ? 0 : next + 1;
  const bytes = bytesToCopy(value, BYTES_MAX);
  if (bytes == TOO_LARGE) return currentNumber;
  if (bytes > load<u32>(oldest, BLOCK_BYTES)) wanted = bytes;
  else keep(copyTo(value, load<u32>(oldest, BLOCK), 0));
  return currentNumber;
}

/** The most recent answer is mostly the right one, and needs no hash. */
function search(value: u32): u32 {
  if (isAnswer(last, value)) return last;
  const hash = hashOf(value);
  const end = answers + ANSWERS * ANSWER_BYTES;
  for (let slot = answers; slot < end; slot += ANSWER_BYTES) {
    const kept = load<u32>(slot, ANSWER);
    if (kept != 0 && hashOf(kept) == hash && isAnswer(slot, value)) return slot;
  }
  return 0;
}

function isAnswer(slot: u32, value: u32): bool {
  const kept = load<u32>(slot, ANSWER);
  return kept != 0 && equal(value, kept);
}

function keep(copy: u32): void {
  store<i32>(oldest, currentNumber, NUMBER);
  store<u32>(oldest, copy, ANSWER);
  last = oldest;
  oldest += ANSWER_BYTES;
  if (oldest == answers + ANSWERS * ANSWER_BYTES) oldest = answers;
}

/** Keeps a result that needs more memory than there was, before the evaluation's memory is used again. */
export function settleAnswer(): void {
  if (wanted != 0) enlarge();
  current = 0;
}

/** The copy is made above everything and moved down to where the evaluation's memory began. */
function enlarge(): void {
  let bytes = BYTES;
  while (bytes < wanted) bytes <<= 1;
  const copy = alloc(bytes);
  resetArena();
  const block = (mark() + 7) & ~7;
  const value = copyTo(current, copy, block - copy);
  memory.copy(block, copy, wanted);
  alloc(bytes);
  persist();
  store<u32>(oldest, block, BLOCK);
  store<u32>(oldest, bytes, BLOCK_BYTES);
  keep(value);
  wanted = 0;
}

/** A string with the result of this number as canonical JSON (RFC 8785), 0 when it is not kept any more. */
export function answerText(number: i32): u32 {
  if (number == currentNumber && current != 0) return canonicalText(current);
  const end = answers + ANSWERS * ANSWER_BYTES;
  for (let slot = answers; slot < end; slot += ANSWER_BYTES) {
    const kept = load<u32>(slot, ANSWER);
    if (kept != 0 && load<i32>(slot, NUMBER) == number) return canonicalText(kept);
  }
  return 0;
}
