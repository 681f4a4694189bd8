// The states of all deterministic automata, made as texts ask for them and kept in a cache of fixed size.

import { take, takeUnset } from './memory';
import { programAt } from './programs';
import {
  Before,
  beforeNext,
  classCount,
  END_OF_TEXT,
  hasAssertions,
  INSTRUCTIONS_MAX,
  NEXT,
  nextCount,
  programStart,
  step,
} from './step';
import { BASE, NONE, PROGRAM_COUNT, RULE_COUNT, ruleFilter, ruleProgram } from './tables';

/**
 * A transition is the address of a state with marks in its low bits, or UNKNOWN. Match: a match ended before the byte
 * that was read. Dead: no match can follow, and none begin. Quiet: none is under way, but one may begin.
 */
export namespace Mark {
  export const Match: u32 = 1;
  export const Dead: u32 = 2;
  export const Quiet: u32 = 4;
  export const All: u32 = 7;
}
export const UNKNOWN: u32 = 0xffffffff;
/** Where the transitions of a state begin, four bytes for each class of bytes. */
export const TRANSITIONS: usize = 16;

// A state: its program, flags, how many instructions it stands for, the next of its bucket, the transitions, and
// the instructions in the order of preference.
const FLAGS: usize = 4;
const COUNT: usize = 8;
const LINK: usize = 12;
/** A match may begin at every byte. */
const SEEDS: u32 = 1;
/** The match that is preferred is wanted: what is preferred less is dropped. */
const CUTS: u32 = 2;
/** What stands before, above the other flags. */
const BEFORE_SHIFT: u32 = 4;

const BUCKETS: u32 = 8192;
const SPACE_MIN: u32 = 8 * 1024 * 1024;
const WIDEST: u32 = 16 + 257 * 4 + INSTRUCTIONS_MAX * 2 + 8;

const buckets: usize = take(BUCKETS * 4);
/** For each program, both kinds of start and what stands before: the state. */
const starts: usize = take(PROGRAM_COUNT * 8 * 4);
/** States that are kept when the cache is emptied: two for each rule. */
const saved: usize = take(RULE_COUNT * 2 * 4);
const SPACE: u32 = spaceBytes();
let space: usize = takeUnset(SPACE);
let other: usize = takeUnset(SPACE);
let top: usize = space;
/** States that are not cached, taken in turn. */
const scratch: usize = takeUnset(WIDEST);
const otherScratch: usize = takeUnset(WIDEST);

// When states are made nearly as fast as bytes are read, keeping them costs more than it saves.
const THRASHING: u32 = 10;
const UNCACHED_STEPS: u32 = 10_000;
let made: u32 = 0;
let stepped: u32 = 0;
let uncached: u32 = 0;

/** More than twice what all saved states can take, so that an emptied cache is never full. */
function spaceBytes(): u32 {
  let most: u32 = 0;
  for (let rule: u32 = 0; rule < RULE_COUNT; rule++) {
    most += widestState(ruleProgram(rule));
    if (ruleFilter(rule) != NONE) most += widestState(ruleFilter(rule));
  }
  return max<u32>(SPACE_MIN, most * 2 + WIDEST);
}

function widestState(number: u32): u32 {
  const program = programAt(number);
  return stateBytes(program, load<u32>(program));
}

function stateBytes(program: usize, count: u32): u32 {
  return (<u32>TRANSITIONS + (classCount(program) + 1) * 4 + count * 2 + 7) & ~7;
}

function instructionsOf(state: usize): usize {
  return state + TRANSITIONS + (classCount(load<u32>(state)) + 1) * 4;
}

/** Counts bytes that were read; tells whether the cache is of use. */
export function countSteps(bytes: u32): void {
  stepped += bytes;
}

function isScratch(state: usize): bool {
  return state == scratch || state == otherScratch;
}

function write(state: usize, program: usize, flags: u32, from: usize, count: u32): void {
  store<u32>(state, <u32>program);
  store<u32>(state, flags, FLAGS);
  store<u32>(state, count, COUNT);
  const transitions = (classCount(program) + 1) * 4;
  memory.fill(state + TRANSITIONS, 0xff, transitions);
  memory.copy(state + TRANSITIONS + transitions, from, count * 2);
}

function hashOf(program: usize, flags: u32, from: usize, count: u32): u32 {
  let hash = (<u32>program * 0x9e3779b1) ^ flags;
  for (let index: u32 = 0; index < count; index++) {
    hash = (rotl<u32>(hash, 5) ^ <u32>load<u16>(from + (index << 1))) * 0x9e3779b1;
  }
  return (hash ^ (hash >> 15)) & (BUCKETS - 1);
}

/** The state of so many instructions at `from`, which is not in the cache. */
function intern(program: usize, flags: u32, from: usize, count: u32): usize {
  let bucket = buckets + (hashOf(program, flags, from, count) << 2);
  let state = <usize>load<u32>(bucket);
  while (state != 0) {
    if (
      load<u32>(state) == <u32>program &&
      load<u32>(state, FLAGS) == flags &&
      load<u32>(state, COUNT) == count &&
      memory.compare(instructionsOf(state), from, count * 2) == 0
    )
      return state;
    state = load<u32>(state, LINK);
  }
  const bytes = stateBytes(program, count);
  if (top + bytes > space + SPACE) empty();
  state = top;
  top += bytes;
  made++;
  write(state, program, flags, from, count);
  bucket = buckets + (hashOf(program, flags, from, count) << 2);
  store<u32>(state, load<u32>(bucket), LINK);
  store<u32>(bucket, <u32>state);
  return state;
}

/** Empties the cache but for the states that are saved, which move to the other space. */
function empty(): void {
  if (stepped < made * THRASHING) uncached = UNCACHED_STEPS;
  const from = space;
  space = other;
  other = from;
  top = space;
  made = 0;
  stepped = 0;
  memory.fill(buckets, 0, BUCKETS * 4);
  memory.fill(starts, 0, PROGRAM_COUNT * 8 * 4);
  for (let slot: u32 = 0; slot < RULE_COUNT * 2; slot++) {
    const state = <usize>load<u32>(saved + (slot << 2));
    if (state == 0) continue;
    const moved = intern(
      load<u32>(state),
      load<u32>(state, FLAGS),
      instructionsOf(state),
      load<u32>(state, COUNT),
    );
    store<u32>(saved + (slot << 2), <u32>moved);
  }
}

/** Keeps a state of a rule's filter (0) or of its attempt (1) until it is taken back. */
export function saveState(rule: u32, which: u32, state: usize): void {
  let kept = state;
  if (isScratch(state)) {
    kept = intern(
      load<u32>(state),
      load<u32>(state, FLAGS),
      instructionsOf(state),
      load<u32>(state, COUNT),
    );
  }
  store<u32>(saved + (((rule << 1) + which) << 2), <u32>kept);
}

export function savedState(rule: u32, which: u32): usize {
  return load<u32>(saved + (((rule << 1) + which) << 2));
}

/** Forgets what was saved for a rule. */
export function dropStates(rule: u32): void {
  store<u64>(saved + (rule << 3), 0);
}

/** The state in which a match begins here, and the preferred one is wanted. */
export function anchoredStart(number: u32, before: u32): usize {
  return startState(number, CUTS, before);
}

/** The state in which a match may begin here and at every byte from here on, and any is wanted. */
export function seedingStart(number: u32, before: u32): usize {
  return startState(number, SEEDS, before);
}

function startState(number: u32, flags: u32, before: u32): usize {
  const program = programAt(number);
  const known = hasAssertions(program) ? before : Before.Other;
  const at = starts + (((number << 3) + (flags == CUTS ? 4 : 0) + known) << 2);
  let state = <usize>load<u32>(at);
  if (state != 0) return state;
  store<u16>(NEXT, <u16>programStart(program));
  state = intern(program, flags | (known << BEFORE_SHIFT), NEXT, flags == CUTS ? 1 : 0);
  store<u32>(at, <u32>state);
  return state;
}

/** The state with the same instructions in which matches begin at every byte, or no longer. */
export function withSeeds(state: usize, seeds: bool): usize {
  const flags = load<u32>(state, FLAGS);
  const wanted = seeds ? flags | SEEDS : flags & ~SEEDS;
  if (wanted == flags) return state;
  const count = load<u32>(state, COUNT);
  memory.copy(NEXT, instructionsOf(state), count * 2);
  return intern(load<u32>(state), wanted, NEXT, count);
}

/** Whether no match is under way in a state. */
export function isIdle(state: usize): bool {
  return load<u32>(state, COUNT) == 0;
}

/** The transition of a state for a byte that is not known yet; it is kept where that pays. */
export function makeTransition(state: usize, byte: i32): u32 {
  const program = <usize>load<u32>(state);
  const flags = load<u32>(state, FLAGS);
  const seeds = (flags & SEEDS) != 0;
  const cuts = (flags & CUTS) != 0;
  const before = flags >> BEFORE_SHIFT;
  const matched = step(
    program,
    instructionsOf(state),
    load<u32>(state, COUNT),
    before,
    byte,
    seeds,
    cuts,
  );
  let behind = Before.Other;
  if (hasAssertions(program) && byte != END_OF_TEXT) behind = beforeNext(byte);
  if (!cuts) sortNext();
  const count = nextCount;
  const next = (flags & (SEEDS | CUTS)) | (behind << BEFORE_SHIFT);
  let target: usize;
  if (uncached > 0) {
    uncached--;
    target = state == scratch ? otherScratch : scratch;
    write(target, program, next, NEXT, count);
    return <u32>target | markOf(matched, count, seeds);
  }
  const usedSpace = space;
  target = intern(program, next, NEXT, count);
  const transition = <u32>target | markOf(matched, count, seeds);
  if (space == usedSpace && !isScratch(state)) {
    const letter = byte == END_OF_TEXT ? classCount(program) : classOf(program, byte);
    store<u32>(state + (letter << 2), transition, TRANSITIONS);
  }
  return transition;
}

function classOf(program: usize, byte: i32): u32 {
  return load<u8>(BASE + load<u32>(program, 8) + byte);
}

function markOf(matched: bool, count: u32, seeds: bool): u32 {
  if (matched) return Mark.Match;
  if (count > 0) return 0;
  return seeds ? Mark.Quiet : Mark.Dead;
}

/** Longer lists are kept as they are: two orders of one set then are two states. */
const SORTED_MAX: u32 = 64;

/** Sorts the states behind a step where their order does not matter. */
function sortNext(): void {
  if (nextCount > SORTED_MAX) return;
  for (let index: u32 = 1; index < nextCount; index++) {
    const value = load<u16>(NEXT + (index << 1));
    let place = index;
    while (place > 0 && load<u16>(NEXT + ((place - 1) << 1)) > value) {
      store<u16>(NEXT + (place << 1), load<u16>(NEXT + ((place - 1) << 1)));
      place--;
    }
    store<u16>(NEXT + (place << 1), value);
  }
}
