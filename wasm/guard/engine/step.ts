// One step of an automaton: from the ordered states before a byte to those behind it (Thompson, with priorities).

import { take, takeUnset } from './memory';
import { INSTRUCTION_BYTES } from './programs';
import { BYTE_SETS } from './tables';

// What a program begins with; its instructions follow (see compiler/program-pack.ts).
const START: usize = 4;
const CLASS_MAP: usize = 8;
const CLASS_COUNT: usize = 12;
const PROGRAM_FLAGS: usize = 14;
const INSTRUCTIONS: usize = 16;

namespace Op {
  export const Set: u32 = 1;
  export const Split: u32 = 2;
  export const Assert: u32 = 3;
  export const Save: u32 = 4;
  export const Match: u32 = 5;
}

namespace Assertion {
  export const Begin: u32 = 0;
  export const End: u32 = 1;
  export const LineBegin: u32 = 2;
  export const LineEnd: u32 = 3;
  export const Word: u32 = 4;
}

/** What stands before a place, as far as assertions ask. */
export namespace Before {
  export const Nothing: u32 = 0;
  export const Newline: u32 = 1;
  export const Word: u32 = 2;
  export const Other: u32 = 3;
}

/** The byte that stands for the end of the text. */
export const END_OF_TEXT: i32 = -1;
/** No program has more instructions; see compiler/program.ts. */
export const INSTRUCTIONS_MAX: u32 = 12_000;

/** What is kept at an instruction: its list, 0 before it was asked for, or NO_LIST. */
const LIST_OF: usize = 8;
/** There is no list: an assertion decides, or there was no room. */
const NO_LIST: u32 = 1;
/** What stands in a list for the match; others are the set that is read (upper half) and where it goes on. */
const MATCH: u32 = 0xffffffff;
const LISTS_BYTES: u32 = 2 * 1024 * 1024;
/** Lists of what can be reached without reading: how many, then an entry of 32 bits each. */
const LISTS: usize = takeUnset(LISTS_BYTES);
let listsTop: usize = LISTS;
/** What is reached now, as in a list. */
const REACHED: usize = takeUnset(INSTRUCTIONS_MAX * 4 + 4);
let reached: u32 = 0;

// Which instructions were met in the present round, as they were reached and as they follow.
const SEEN: usize = take(INSTRUCTIONS_MAX * 4);
const FOLLOWS: usize = take(INSTRUCTIONS_MAX * 4);
// Each instruction is met once, and pushes one other at most.
const STACK: usize = takeUnset(INSTRUCTIONS_MAX * 2 + 2);
/** The states behind the step, in the order of preference. */
export const NEXT: usize = takeUnset(INSTRUCTIONS_MAX * 2);
/** How many they are. */
export let nextCount: u32 = 0;

let round: u32 = 0;
let stepRound: u32 = 0;

export function programStart(program: usize): u32 {
  return load<u32>(program, START);
}

/** The map of bytes to classes; the class of the end of the text is their number. */
export function classMap(program: usize, base: usize): usize {
  return base + load<u32>(program, CLASS_MAP);
}

export function classCount(program: usize): u32 {
  return load<u16>(program, CLASS_COUNT);
}

/** Whether what stands before a place can matter to the program. */
export function hasAssertions(program: usize): bool {
  return (<u32>load<u16>(program, PROGRAM_FLAGS) & 1) != 0;
}

export function isWordByte(byte: i32): bool {
  const lower = byte | 0x20;
  return (
    (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x7a && byte > 0) || byte == 0x5f
  );
}

/** What stands before the place behind this byte. */
export function beforeNext(byte: i32): u32 {
  if (byte == 0x0a) return Before.Newline;
  return isWordByte(byte) ? Before.Word : Before.Other;
}

/** Begins a new round, in which no instruction was met. */
function beginRound(): void {
  round++;
  if (round != 0) return;
  memory.fill(SEEN, 0, INSTRUCTIONS_MAX * 4);
  round = 1;
}

/** Whether an instruction is met for the first time in this round. */
function meets(instruction: u32): bool {
  const at = SEEN + (instruction << 2);
  if (load<u32>(at) == round) return false;
  store<u32>(at, round);
  return true;
}

/** Whether an assertion holds between what stands before and the next byte. */
export function holds(assertion: u32, before: u32, byte: i32): bool {
  switch (assertion) {
    case Assertion.Begin:
      return before == Before.Nothing;
    case Assertion.End:
      return byte == END_OF_TEXT;
    case Assertion.LineBegin:
      return before <= Before.Newline;
    case Assertion.LineEnd:
      return byte == END_OF_TEXT || byte == 0x0a;
    default:
      return ((before == Before.Word) != isWordByte(byte)) == (assertion == Assertion.Word);
  }
}

/** Whether an instruction reads this byte. */
export function reads(instruction: usize, byte: u32): bool {
  const set = BYTE_SETS + ((<u32>load<u16>(instruction, 4)) << 5);
  return ((<u32>load<u8>(set + (byte >> 3)) >> (byte & 7)) & 1) != 0;
}

/** Fills REACHED from an instruction on, the preferred first; false when an assertion was among it. */
function reach(program: usize, from: u32, before: u32, byte: i32): bool {
  beginRound();
  reached = 0;
  let plain = true;
  let left: u32 = 1;
  store<u16>(STACK, <u16>from);
  while (left > 0) {
    left--;
    let state = <u32>load<u16>(STACK + (left << 1));
    while (meets(state)) {
      const instruction = program + INSTRUCTIONS + state * INSTRUCTION_BYTES;
      const op = <u32>load<u8>(instruction);
      const next = <u32>load<u16>(instruction, 2);
      if (op == Op.Set || op == Op.Match) {
        const entry = op == Op.Match ? MATCH : ((<u32>load<u16>(instruction, 4)) << 16) | next;
        store<u32>(REACHED + (reached << 2), entry);
        reached++;
        break;
      }
      if (op == Op.Split) {
        store<u16>(STACK + (left << 1), load<u16>(instruction, 4));
        left++;
      } else if (op == Op.Assert) {
        plain = false;
        if (!holds(load<u8>(instruction, 1), before, byte)) break;
      } else if (op != Op.Save) break;
      state = next;
    }
  }
  return plain;
}

/** What can be reached from an instruction: a list that is kept, or one that holds for this place only. */
function listOf(program: usize, from: u32, before: u32, byte: i32): usize {
  const kept = program + INSTRUCTIONS + from * INSTRUCTION_BYTES + LIST_OF;
  const known = load<u32>(kept);
  if (known > NO_LIST) return known;
  const plain = reach(program, from, before, byte);
  const bytes = (reached + 1) << 2;
  if (known == NO_LIST || !plain || listsTop + bytes > LISTS + LISTS_BYTES) {
    store<u32>(kept, NO_LIST);
    return 0;
  }
  const list = listsTop;
  listsTop += bytes;
  store<u32>(list, reached);
  memory.copy(list + 4, REACHED, reached << 2);
  store<u32>(kept, <u32>list);
  return list;
}

/** Adds what follows an instruction over a byte to NEXT; true when the match can be reached from it. */
function follow(program: usize, from: u32, before: u32, byte: i32, cuts: bool): bool {
  const list = listOf(program, from, before, byte);
  let entry = list == 0 ? REACHED : list + 4;
  const end = entry + ((list == 0 ? reached : load<u32>(list)) << 2);
  let matched = false;
  // At the end of the text nothing is read: no set has a bit behind its own.
  const offset: u32 = byte == END_OF_TEXT ? 0 : <u32>byte >> 3;
  const bit: u32 = byte == END_OF_TEXT ? 0 : 1 << (byte & 7);
  for (; entry < end; entry += 4) {
    const value = load<u32>(entry);
    if (value == MATCH) {
      matched = true;
      if (cuts) break;
      continue;
    }
    if ((<u32>load<u8>(BYTE_SETS + ((value >> 16) << 5) + offset) & bit) == 0) continue;
    const target = value & 0xffff;
    const met = FOLLOWS + (target << 2);
    if (load<u32>(met) == stepRound) continue;
    store<u32>(met, stepRound);
    store<u16>(NEXT + (nextCount << 1), <u16>target);
    nextCount++;
  }
  return matched;
}

/**
 * Steps from the `count` states at `states` over a byte, or the end of the text; NEXT has those behind it. With
 * `seeds` a match may begin here as well; with `cuts` what is preferred less than a match is dropped. Returns
 * whether a match ends before the byte.
 */
export function step(
  program: usize,
  states: usize,
  count: u32,
  before: u32,
  byte: i32,
  seeds: bool,
  cuts: bool,
): bool {
  stepRound++;
  if (stepRound == 0) {
    memory.fill(FOLLOWS, 0, INSTRUCTIONS_MAX * 4);
    stepRound = 1;
  }
  nextCount = 0;
  let matched = false;
  for (let index: u32 = 0; index < count && !(matched && cuts); index++) {
    if (follow(program, load<u16>(states + (index << 1)), before, byte, cuts)) matched = true;
  }
  if (seeds && !(matched && cuts)) {
    if (follow(program, programStart(program), before, byte, cuts)) matched = true;
  }
  return matched;
}
