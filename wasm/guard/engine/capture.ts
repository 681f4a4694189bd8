// Finds what the group of a match captured: all threads at once, the preferred ones first (Pike), within the match.

import { take, takeUnset } from './memory';
import { INSTRUCTION_BYTES } from './programs';
import { beforeNext, END_OF_TEXT, holds, INSTRUCTIONS_MAX, programStart, reads } from './step';
import { beforeAt, textEnd } from './text';

const INSTRUCTIONS: usize = 16;
const SET: u32 = 1;
const SPLIT: u32 = 2;
const ASSERT: u32 = 3;
const SAVE: u32 = 4;
const MATCH: u32 = 5;
/** A thread: its instruction, where the group began and where it ended, 0 for not yet. */
const THREAD: u32 = 12;

const SEEN: usize = take(INSTRUCTIONS_MAX * 4);
const STACK: usize = takeUnset((INSTRUCTIONS_MAX + 1) * THREAD);
let threads: usize = takeUnset(INSTRUCTIONS_MAX * THREAD);
let nextThreads: usize = takeUnset(INSTRUCTIONS_MAX * THREAD);
let count: u32 = 0;
let round: u32 = 0;

/** Where the group of the last match began and ended; 0 when it took no part. */
export let groupStart: usize = 0;
export let groupEnd: usize = 0;

function push(at: usize, instruction: u32, start: usize, end: usize): void {
  store<u32>(at, instruction);
  store<u32>(at, <u32>start, 4);
  store<u32>(at, <u32>end, 8);
}

/** Adds the threads that follow from one; true when the match is reached, whose group is then noted. */
function follow(
  program: usize,
  from: u32,
  start: usize,
  end: usize,
  place: usize,
  before: u32,
  byte: i32,
): bool {
  let left: u32 = 1;
  push(STACK, from, start, end);
  while (left > 0) {
    left--;
    const top = STACK + left * THREAD;
    let state = load<u32>(top);
    let groupFrom = <usize>load<u32>(top, 4);
    let groupTo = <usize>load<u32>(top, 8);
    while (load<u32>(SEEN + (state << 2)) != round) {
      store<u32>(SEEN + (state << 2), round);
      const instruction = program + INSTRUCTIONS + state * INSTRUCTION_BYTES;
      const op = <u32>load<u8>(instruction);
      if (op == SET) {
        push(threads + count * THREAD, state, groupFrom, groupTo);
        count++;
        break;
      }
      if (op == MATCH) {
        groupStart = groupFrom;
        groupEnd = groupTo;
        return true;
      }
      if (op == SPLIT) {
        push(STACK + left * THREAD, load<u16>(instruction, 4), groupFrom, groupTo);
        left++;
      } else if (op == ASSERT) {
        if (!holds(load<u8>(instruction, 1), before, byte)) break;
      } else if (op == SAVE) {
        if (load<u8>(instruction, 1) == 0) groupFrom = place;
        else groupTo = place;
      } else break;
      state = <u32>load<u16>(instruction, 2);
    }
  }
  return false;
}

function beginRound(): void {
  round++;
  if (round != 0) return;
  memory.fill(SEEN, 0, INSTRUCTIONS_MAX * 4);
  round = 1;
}

/** Finds the group of the preferred match of `[from, to)`; the byte behind it is known, or is the end of the text. */
export function findGroup(program: usize, from: usize, to: usize): void {
  groupStart = 0;
  groupEnd = 0;
  let waiting: u32 = 1;
  push(nextThreads, programStart(program), 0, 0);
  let before = beforeAt(from);
  for (let p = from; p <= to; p++) {
    const byte: i32 = p < textEnd ? <i32>load<u8>(p) : END_OF_TEXT;
    beginRound();
    count = 0;
    for (let index: u32 = 0; index < waiting; index++) {
      const thread = nextThreads + index * THREAD;
      const start = <usize>load<u32>(thread, 4);
      if (follow(program, load<u32>(thread), start, load<u32>(thread, 8), p, before, byte)) break;
    }
    if (p == to) return;
    waiting = 0;
    for (let index: u32 = 0; index < count; index++) {
      const thread = threads + index * THREAD;
      const instruction = program + INSTRUCTIONS + load<u32>(thread) * INSTRUCTION_BYTES;
      if (!reads(instruction, byte)) continue;
      const next = nextThreads + waiting * THREAD;
      push(next, load<u16>(instruction, 2), load<u32>(thread, 4), load<u32>(thread, 8));
      waiting++;
    }
    before = beforeNext(byte);
  }
}
