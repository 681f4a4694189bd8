// Finds where a compiled pattern matches and what its groups captured: leftmost, then first by preference, in time
// linear in the text times the program (Pike's virtual machine: all threads at once, the preferred ones first).

import { alloc, mark, release } from '../common/arena';
import { skipToFirst } from './first';
import { decode, decodedLength, HEADER_BYTES, INSTRUCTION_BYTES, isWord, Op } from './program';
import { inRanges } from './search';

/** What a slot holds that no group has set. */
export const UNSET: u32 = 0xffffffff;

// One generation of threads: their number; SPARSE and DENSE are the sparse set of their states (see search.ts),
// in the order of preference, SLOTS what each has captured, of those that read or match.
let sparse: usize = 0;
let dense: usize = 0;
let slotsOf: usize = 0;
let threads: u32 = 0;

let nextSparse: usize = 0;
let nextDense: usize = 0;
let nextSlotsOf: usize = 0;
let nextThreads: u32 = 0;

// The slots of the thread that is being followed, and the choices left to follow: a state, or a slot with the
// value to be put back (RESTORE set).
const RESTORE: u32 = 0x80000000;
let slots: usize = 0;
let slotCount: u32 = 0;
let stack: usize = 0;

/** How many slots `find` can fill for a program: two for the match and two for each group that captures. */
export function slotsOfProgram(program: usize): u32 {
  return (load<u32>(program, 8) + 1) * 2;
}

/** Most 32-bit words that the threads of one search may capture. */
const CAPTURED_MAX: u64 = 1 << 22;

/** Whether `count` slots can be followed for a program within the limit of memory; `find` does not check. */
export function canCapture(program: usize, count: u32): bool {
  return <u64>load<u32>(program) * <u64>count <= CAPTURED_MAX;
}

function prepare(program: usize, count: u32): void {
  const states = load<u32>(program);
  const words = states * count;
  const memory = alloc((states * 6 + words * 2 + count + 2) * 4);
  sparse = memory;
  dense = sparse + states * 4;
  nextSparse = dense + states * 4;
  nextDense = nextSparse + states * 4;
  // A state pushes at most one choice or one slot to be put back, and only when it enters the set.
  stack = nextDense + states * 4;
  slotsOf = stack + (states + 1) * 8;
  nextSlotsOf = slotsOf + words * 4;
  slots = nextSlotsOf + words * 4;
  slotCount = count;
}

function copySlots(target: usize, source: usize): void {
  for (let slot: u32 = 0; slot < slotCount; slot++) {
    store<u32>(target + slot * 4, load<u32>(source + slot * 4));
  }
}

/** Adds to the next generation what is reachable from `seed` at `position` without reading, with `slots`. */
function follow(program: usize, seed: u32, position: u32, before: i32, here: i32): void {
  let left: u32 = 1;
  store<u32>(stack, seed);
  while (left > 0) {
    left--;
    const entry = stack + left * 8;
    let state = load<u32>(entry);
    if ((state & RESTORE) != 0) {
      store<u32>(slots + (state ^ RESTORE) * 4, load<u32>(entry, 4));
      continue;
    }
    while (true) {
      const place = load<u32>(nextSparse + state * 4);
      if (place < nextThreads && load<u32>(nextDense + place * 4) == state) break;
      store<u32>(nextSparse + state * 4, nextThreads);
      store<u32>(nextDense + nextThreads * 4, state);
      const thread = nextThreads++;
      const at = program + HEADER_BYTES + state * INSTRUCTION_BYTES;
      const op = load<u32>(at);
      if (op == Op.Split) {
        store<u32>(stack + left * 8, load<u32>(at, 8));
        left++;
        state = load<u32>(at, 4);
      } else if (op == Op.Jump) {
        state = load<u32>(at, 4);
      } else if (op == Op.Save) {
        const slot = load<u32>(at, 4);
        if (slot < slotCount) {
          store<u32>(stack + left * 8, slot | RESTORE);
          store<u32>(stack + left * 8, load<u32>(slots + slot * 4), 4);
          left++;
          store<u32>(slots + slot * 4, position);
        }
        state++;
      } else if (op == Op.Char || op == Op.Class || op == Op.Match) {
        copySlots(nextSlotsOf + thread * slotCount * 4, slots);
        break;
      } else {
        if (!holds(op, before, here)) break;
        state++;
      }
    }
  }
}

/** Whether an assertion holds between two code points, -1 for none. */
function holds(op: u32, before: i32, here: i32): bool {
  switch (op) {
    case Op.Start:
      return before < 0;
    case Op.End:
      return here < 0;
    case Op.LineStart:
      return before < 0 || before == 0x0a;
    case Op.LineEnd:
      return here < 0 || here == 0x0a;
    case Op.Word:
      return isWord(before) != isWord(here);
    default:
      return isWord(before) == isWord(here);
  }
}

/** Makes the next generation the present one. */
function turn(): void {
  let swap = sparse;
  sparse = nextSparse;
  nextSparse = swap;
  swap = dense;
  dense = nextDense;
  nextDense = swap;
  swap = slotsOf;
  slotsOf = nextSlotsOf;
  nextSlotsOf = swap;
  threads = nextThreads;
  nextThreads = 0;
}

/** The code point before `at`, which is a code point's start after `text`. */
function codePointBefore(text: usize, at: usize, end: usize): i32 {
  let start = at - 1;
  const first = at > text + 3 ? at - 4 : text;
  while (start > first && (load<u8>(start) & 0xc0) == 0x80) start--;
  const codePoint = decode(start, end);
  return start + decodedLength == at ? <i32>codePoint : 0xfffd;
}

/**
 * Whether the pattern matches in `length` bytes of UTF-8 at `text`, at the offset `from` or later, which is the
 * start of a code point; assertions see the whole text. The first `count` slots (at least 2, see `slotsOfProgram`)
 * at `found` are then the offsets of the match and of the groups, UNSET for one that took no part.
 */
export function find(
  program: usize,
  text: usize,
  length: u32,
  from: u32,
  count: u32,
  found: usize,
): bool {
  const point = mark();
  prepare(program, count);
  const matched = run(program, text, length, from, found);
  release(point);
  return matched;
}

function run(program: usize, text: usize, length: u32, from: u32, found: usize): bool {
  const anchored = load<u32>(program, 4) != 0;
  const end = text + length;
  let at = text + from;
  let before: i32 = at > text ? codePointBefore(text, at, end) : -1;
  let here: i32 = at < end ? <i32>decode(at, end) : -1;
  let width: u32 = at < end ? decodedLength : 0;
  let matched = false;
  nextThreads = 0;
  while (true) {
    if (nextThreads == 0 && !matched && !anchored) {
      const first = skipToFirst(program, at, end);
      if (first > at) {
        // Only bytes of ASCII are stepped over.
        before = <i32>load<u8>(first - 1);
        here = first < end ? <i32>decode(first, end) : -1;
        width = first < end ? decodedLength : 0;
        at = first;
      }
    }
    // A new match begins here, preferred less than all that began before.
    if (!matched && (at == text || !anchored)) {
      for (let slot: u32 = 1; slot < slotCount; slot++) store<u32>(slots + slot * 4, UNSET);
      store<u32>(slots, <u32>(at - text));
      follow(program, 0, <u32>(at - text), before, here);
    }
    turn();
    if (threads == 0 && (matched || anchored)) return matched;
    const next = at + width;
    const following: i32 = next < end ? <i32>decode(next, end) : -1;
    const followingWidth: u32 = next < end ? decodedLength : 0;
    for (let thread: u32 = 0; thread < threads; thread++) {
      const state = load<u32>(dense + thread * 4);
      const instruction = program + HEADER_BYTES + state * INSTRUCTION_BYTES;
      const op = load<u32>(instruction);
      const held = slotsOf + thread * slotCount * 4;
      if (op == Op.Match) {
        copySlots(found, held);
        store<u32>(found, <u32>(at - text), 4);
        matched = true;
        // All that is preferred less is dropped.
        break;
      }
      if (here < 0 || !reads(program, instruction, op, here)) continue;
      copySlots(slots, held);
      follow(program, state + 1, <u32>(next - text), here, following);
    }
    if (here < 0) return matched;
    at = next;
    before = here;
    here = following;
    width = followingWidth;
  }
}

/** Whether an instruction reads this code point. */
function reads(program: usize, instruction: usize, op: u32, codePoint: i32): bool {
  if (op == Op.Char) return load<u32>(instruction, 4) == <u32>codePoint;
  if (op != Op.Class) return false;
  return inRanges(program + load<u32>(instruction, 4), load<u32>(instruction, 8), <u32>codePoint);
}
