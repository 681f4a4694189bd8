// Runs a compiled pattern over a text in time linear in the text, by stepping all states at once.

import { skipToFirst } from './first';
import {
  decode,
  decodedLength,
  HEADER_BYTES,
  INSTRUCTION_BYTES,
  isWord,
  Op,
  RANGE_BYTES,
  RE2_INSTRUCTIONS_MAX,
  SCRATCH,
} from './program';

// A sparse set (Briggs and Torczon, 1993): `dense` lists the members, `sparse[x]` says where x would
// be listed, so that clearing the set is setting its size to 0.
const DENSE: usize = SCRATCH;
const SPARSE: usize = DENSE + RE2_INSTRUCTIONS_MAX * 4;
const SEEDS: usize = SPARSE + RE2_INSTRUCTIONS_MAX * 4;
// A state enters the stack only when it enters the set, so no area can overflow.
const STACK: usize = SEEDS + RE2_INSTRUCTIONS_MAX * 4 + 4;

let visited: u32 = 0;
let stacked: u32 = 0;
let steps: u32 = 0;

/** The number of steps that the last `search` took: one for each state at each position. */
export function searchSteps(): u32 {
  return steps;
}

function visit(state: u32): void {
  const slot = load<u32>(SPARSE + (state << 2));
  if (slot < visited && load<u32>(DENSE + (slot << 2)) == state) return;
  store<u32>(SPARSE + (state << 2), visited);
  store<u32>(DENSE + (visited << 2), state);
  visited++;
  store<u32>(STACK + (stacked << 2), state);
  stacked++;
}

/** Adds what is reachable from `seed` without reading; true when the pattern has matched. */
function follow(program: usize, seed: u32, before: i32, here: i32): bool {
  visit(seed);
  while (stacked > 0) {
    stacked--;
    const state = load<u32>(STACK + (stacked << 2));
    const at = program + HEADER_BYTES + state * INSTRUCTION_BYTES;
    switch (load<u32>(at)) {
      case Op.Match:
        stacked = 0;
        return true;
      case Op.Jump:
        visit(load<u32>(at, 4));
        break;
      case Op.Split:
        visit(load<u32>(at, 8));
        visit(load<u32>(at, 4));
        break;
      case Op.Start:
        if (before < 0) visit(state + 1);
        break;
      case Op.End:
        if (here < 0) visit(state + 1);
        break;
      case Op.LineStart:
        if (before < 0 || before == 0x0a) visit(state + 1);
        break;
      case Op.LineEnd:
        if (here < 0 || here == 0x0a) visit(state + 1);
        break;
      case Op.Save:
        visit(state + 1);
        break;
      case Op.Word:
        if (isWord(before) != isWord(here)) visit(state + 1);
        break;
      case Op.NotWord:
        if (isWord(before) == isWord(here)) visit(state + 1);
        break;
      default:
        break;
    }
  }
  return false;
}

/** Whether the `count` sorted ranges at `ranges` hold the code point. */
export function inRanges(ranges: usize, count: u32, codePoint: u32): bool {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    const range = ranges + middle * RANGE_BYTES;
    if (codePoint < load<u32>(range)) high = middle;
    else if (codePoint > load<u32>(range, 4)) low = middle + 1;
    else return true;
  }
  return false;
}

/** Lists in SEEDS the states that follow a visited state which reads `here`; returns how many. */
function advance(program: usize, here: u32): u32 {
  let seeds: u32 = 0;
  for (let index: u32 = 0; index < visited; index++) {
    const state = load<u32>(DENSE + (index << 2));
    const at = program + HEADER_BYTES + state * INSTRUCTION_BYTES;
    const op = load<u32>(at);
    const reads =
      op == Op.Char
        ? load<u32>(at, 4) == here
        : op == Op.Class && inRanges(program + load<u32>(at, 4), load<u32>(at, 8), here);
    if (!reads) continue;
    store<u32>(SEEDS + (seeds << 2), state + 1);
    seeds++;
  }
  return seeds;
}

/**
 * Whether the pattern matches anywhere in `length` bytes of UTF-8 at `text`: 1 yes, 0 no, -1 when
 * the answer needs more than `stepsMax` steps. Allocates nothing.
 */
export function search(program: usize, text: usize, length: u32, stepsMax: u32): i32 {
  const anchored = load<u32>(program, 4) != 0;
  const end = text + length;
  let at = text;
  let before: i32 = -1;
  let seeds: u32 = 0;
  steps = 0;
  while (true) {
    if (seeds == 0 && !anchored) {
      const first = skipToFirst(program, at, end);
      if (first > at) {
        // Only bytes of ASCII are stepped over.
        steps += <u32>(first - at);
        at = first;
        before = <i32>load<u8>(at - 1);
      }
    }
    const here: i32 = at < end ? <i32>decode(at, end) : -1;
    const width: u32 = at < end ? decodedLength : 0;
    visited = 0;
    for (let index: u32 = 0; index < seeds; index++) {
      if (follow(program, load<u32>(SEEDS + (index << 2)), before, here)) return 1;
    }
    if ((before < 0 || !anchored) && follow(program, 0, before, here)) return 1;
    steps += visited + 1;
    if (here < 0) return 0;
    if (steps > stepsMax) return -1;
    seeds = advance(program, <u32>here);
    if (seeds == 0 && anchored) return 0;
    before = here;
    at += width;
  }
}
