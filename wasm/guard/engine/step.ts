// One step of an automaton: from the ordered states before a byte to those behind it (Thompson, with priorities).

import { take } from './memory';
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

// Which instructions were met in the present round; `LIST` are those that read, in the order of preference.
const SEEN: usize = take(INSTRUCTIONS_MAX * 4);
const LIST: usize = take(INSTRUCTIONS_MAX * 2);
// Each instruction is met once, and pushes one other at most.
const STACK: usize = take(INSTRUCTIONS_MAX * 2 + 2);
/** The states behind the step, in the order of preference. */
export const NEXT: usize = take(INSTRUCTIONS_MAX * 2);
/** How many they are. */
export let nextCount: u32 = 0;

let round: u32 = 0;
let listed: u32 = 0;

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

/** Lists the reading instructions that can be reached; true when the match is among what was reached. */
function follow(program: usize, from: u32, before: u32, byte: i32, cuts: bool): bool {
  let matched = false;
  let left: u32 = 1;
  store<u16>(STACK, <u16>from);
  while (left > 0) {
    left--;
    let state = <u32>load<u16>(STACK + (left << 1));
    while (meets(state)) {
      const instruction = program + INSTRUCTIONS + (state << 3);
      const op = <u32>load<u8>(instruction);
      if (op == Op.Set) {
        store<u16>(LIST + (listed << 1), <u16>state);
        listed++;
        break;
      }
      if (op == Op.Match) {
        if (cuts) return true;
        matched = true;
        break;
      }
      if (op == Op.Split) {
        store<u16>(STACK + (left << 1), load<u16>(instruction, 4));
        left++;
      } else if (op == Op.Assert) {
        if (!holds(load<u8>(instruction, 1), before, byte)) break;
      } else if (op != Op.Save) break;
      state = <u32>load<u16>(instruction, 2);
    }
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
  beginRound();
  listed = 0;
  let matched = false;
  for (let index: u32 = 0; index < count && !(matched && cuts); index++) {
    if (follow(program, load<u16>(states + (index << 1)), before, byte, cuts)) matched = true;
  }
  if (seeds && !(matched && cuts)) {
    if (follow(program, programStart(program), before, byte, cuts)) matched = true;
  }
  nextCount = 0;
  if (byte == END_OF_TEXT) return matched;
  beginRound();
  for (let index: u32 = 0; index < listed; index++) {
    const at = program + INSTRUCTIONS + ((<u32>load<u16>(LIST + (index << 1))) << 3);
    if (!reads(at, byte)) continue;
    const target = <u32>load<u16>(at, 2);
    if (!meets(target)) continue;
    store<u16>(NEXT + (nextCount << 1), <u16>target);
    nextCount++;
  }
  return matched;
}
