// The run of one rule over a text: where it may match, a filter that says where to look closer, and what to try there.

import { accept } from './accept';
import { attempt, attemptAt, attemptEnd, attemptState, Outcome } from './attempt';
import { Field, field, setField, touchedRules } from './context';
import { take } from './memory';
import { programAt } from './programs';
import {
  anchoredStart,
  countSteps,
  dropStates,
  isIdle,
  Mark,
  makeTransition,
  savedState,
  saveState,
  seedingStart,
  TRANSITIONS,
  UNKNOWN,
  withSeeds,
} from './states';
import { classCount, classMap, END_OF_TEXT } from './step';
import {
  BASE,
  Flag,
  RULE_COUNT,
  ruleFilter,
  ruleFlags,
  ruleLeast,
  ruleMax,
  ruleProgram,
  ruleReach,
} from './tables';
import { beforeAt, isLast, textEnd, textStart } from './text';
import { isMidWord } from './word';

namespace Phase {
  /** No match can be under way. */
  export const Idle: u32 = 0;
  /** The filter runs. */
  export const Filter: u32 = 1;
  /** Places are tried one by one. */
  export const Trying: u32 = 2;
}

// The run of a rule. Matches are looked for from FROM on: all that begins before is decided.
const PHASE: usize = 0;
const TOUCHED: usize = 4;
const FROM: usize = 8;
/** The last place at which a match may begin, as far as keywords tell. */
const SEEDS_TO: usize = 12;
/** How far the filter has read. */
const AT: usize = 16;
/** Before which place matches are tried to begin. */
const TRY_TO: usize = 20;
/** Of an attempt whose outcome is not known yet: how far it has read, 0 for none, and the end of the match so far. */
const ATTEMPT_AT: usize = 24;
const ATTEMPT_END: usize = 28;
const RUN_BYTES: u32 = 32;
/** More than any place. */
const EVERYWHERE: u32 = 0xfffffff0;

const runs: usize = take(RULE_COUNT * RUN_BYTES);

function runOf(rule: u32): usize {
  return runs + rule * RUN_BYTES;
}

function touch(rule: u32, run: usize): void {
  if (load<u32>(run, TOUCHED) != 0) return;
  store<u32>(run, 1, TOUCHED);
  const touched = field(Field.Touched);
  store<u16>(touchedRules() + (touched << 1), <u16>rule);
  setField(Field.Touched, touched + 1);
}

/** Forgets the runs of the text before. */
export function resetRuns(): void {
  const touched = field(Field.Touched);
  for (let index: u32 = 0; index < touched; index++) {
    const rule = <u32>load<u16>(touchedRules() + (index << 1));
    memory.fill(runOf(rule), 0, RUN_BYTES);
    dropStates(rule);
  }
  setField(Field.Touched, 0);
}

/** Lets a rule match anywhere from `begin` on. */
export function runEverywhere(rule: u32, begin: usize): void {
  const run = runOf(rule);
  touch(rule, run);
  store<u32>(run, EVERYWHERE, SEEDS_TO);
  restart(rule, run, begin);
}

/** Begins to filter at a place where no match is under way. */
function restart(rule: u32, run: usize, at: usize): void {
  store<u32>(run, <u32>at, FROM);
  store<u32>(run, <u32>at, AT);
  if (<u32>at > load<u32>(run, SEEDS_TO)) {
    store<u32>(run, Phase.Idle, PHASE);
    return;
  }
  store<u32>(run, Phase.Filter, PHASE);
  saveState(rule, 0, seedingStart(ruleFilter(rule), beforeAt(at)));
}

/** A keyword of the rule ends at `end`: matches may begin as far before as the pattern allows. */
export function keywordEnds(rule: u32, end: usize): void {
  const run = runOf(rule);
  const reach = ruleReach(rule);
  const from = load<u32>(run, FROM);
  let first = <u32>end > reach ? <u32>end - reach : 0;
  first = max(max(first, from), <u32>textStart);
  const last = <u32>end - ruleLeast(rule);
  if (last < first) return;
  touch(rule, run);
  const isDirect = (ruleFlags(rule) & Flag.Direct) != 0;
  if (!isDirect && load<u32>(run, PHASE) == Phase.Filter && first > load<u32>(run, SEEDS_TO) + 1) {
    advanceRun(rule, first, false);
    first = max(first, load<u32>(run, FROM));
    if (last < first) return;
  }
  const idle = load<u32>(run, PHASE) == Phase.Idle;
  if (idle || last > load<u32>(run, SEEDS_TO)) store<u32>(run, last, SEEDS_TO);
  if (isDirect) {
    store<u32>(run, last + 1, TRY_TO);
    if (!idle) return;
    store<u32>(run, first, FROM);
    store<u32>(run, Phase.Trying, PHASE);
    advanceRun(rule, first, false);
  } else if (idle) restart(rule, run, first);
}

/** How far a filter may read while keywords are known up to `keywordAt`: what is later must not begin before. */
export function filterLimit(rule: u32, keywordAt: usize): usize {
  if ((ruleFlags(rule) & Flag.Whole) != 0) return keywordAt;
  const reach = ruleReach(rule);
  return <u32>keywordAt > reach ? keywordAt - reach : 0;
}

/** Judges the rule's matches as far as its filter may read, and to the end of the text when `ends`. */
export function advanceRun(rule: u32, limit: usize, ends: bool): void {
  const run = runOf(rule);
  while (true) {
    const phase = load<u32>(run, PHASE);
    if (phase == Phase.Idle) return;
    if (phase == Phase.Trying) {
      if (!tryPlaces(rule, run)) return;
    } else if (!filter(rule, run, limit, ends)) return;
  }
}

/** Tries the places that are left; false when the text that is known does not tell. */
function tryPlaces(rule: u32, run: usize): bool {
  const number = ruleProgram(rule);
  const program = programAt(number);
  const most = ruleMax(rule);
  const isWord = (ruleFlags(rule) & Flag.Word) != 0;
  while (load<u32>(run, FROM) < load<u32>(run, TRY_TO)) {
    const from = <usize>load<u32>(run, FROM);
    let at = <usize>load<u32>(run, ATTEMPT_AT);
    let state: usize;
    if (at == 0) {
      at = from;
      if (at >= textEnd && !isLast) return false;
      if (isWord && at < textEnd && isMidWord(at)) {
        store<u32>(run, <u32>from + 1, FROM);
        continue;
      }
      state = anchoredStart(number, beforeAt(from));
    } else state = savedState(rule, 1);
    const outcome = attempt(program, at, state, load<u32>(run, ATTEMPT_END), from + most);
    if (outcome == Outcome.Unknown) {
      store<u32>(run, <u32>attemptAt, ATTEMPT_AT);
      store<u32>(run, <u32>attemptEnd, ATTEMPT_END);
      saveState(rule, 1, attemptState);
      return false;
    }
    store<u64>(run, 0, ATTEMPT_AT);
    if (outcome == Outcome.None) {
      store<u32>(run, <u32>from + 1, FROM);
      continue;
    }
    const end = attemptEnd;
    accept(rule, from, end);
    store<u32>(run, <u32>end, FROM);
    if ((ruleFlags(rule) & Flag.Direct) == 0) {
      restart(rule, run, end);
      return true;
    }
  }
  const isDirect = (ruleFlags(rule) & Flag.Direct) != 0;
  store<u32>(run, isDirect ? Phase.Idle : Phase.Filter, PHASE);
  return true;
}

/** Looks from `place` on for matches that end there or later. */
function look(rule: u32, run: usize, place: usize): void {
  const most = ruleMax(rule);
  const first = <u32>place > most ? <u32>place - most : 0;
  if (load<u32>(run, FROM) < first) store<u32>(run, first, FROM);
  store<u32>(run, <u32>place, TRY_TO);
  store<u32>(run, Phase.Trying, PHASE);
}

/** Runs the filter; true when there is something to look at closer, false when it has read what it may. */
function filter(rule: u32, run: usize, limit: usize, ends: bool): bool {
  const program = programAt(ruleFilter(rule));
  const map = classMap(program, BASE);
  const seedsTo = <usize>load<u32>(run, SEEDS_TO);
  let state = savedState(rule, 0);
  let p = <usize>load<u32>(run, AT);
  const begin = p;
  // What began at the last place has ended here, or is too long; one byte more tells whether it ended.
  const last = seedsTo == EVERYWHERE ? seedsTo : seedsTo + ruleMax(rule) + 1;
  while (p < limit && p < last) {
    const seeds = p <= seedsTo;
    state = withSeeds(state, seeds);
    const stop = seeds ? min(limit, seedsTo + 1) : min(limit, last);
    while (p < stop) {
      const letter = <u32>load<u8>(map + load<u8>(p));
      let next = load<u32>(state + (letter << 2), TRANSITIONS);
      if ((next & Mark.All) != 0) {
        if (next == UNKNOWN) next = makeTransition(state, load<u8>(p));
        const mark = next & Mark.All;
        state = next & ~Mark.All;
        p++;
        if (mark == Mark.Match) {
          countSteps(<u32>(p - begin));
          store<u32>(run, <u32>p, AT);
          saveState(rule, 0, state);
          look(rule, run, p - 1);
          return true;
        }
        if (mark == Mark.Dead) {
          countSteps(<u32>(p - begin));
          store<u32>(run, max(load<u32>(run, FROM), <u32>seedsTo + 1), FROM);
          store<u32>(run, Phase.Idle, PHASE);
          return false;
        }
        if (mark == Mark.Quiet) store<u32>(run, max(load<u32>(run, FROM), <u32>p), FROM);
        continue;
      }
      state = next;
      p++;
    }
  }
  countSteps(<u32>(p - begin));
  if (p >= last && p < limit) {
    store<u32>(run, max(load<u32>(run, FROM), <u32>seedsTo + 1), FROM);
    store<u32>(run, Phase.Idle, PHASE);
    return false;
  }
  store<u32>(run, <u32>p, AT);
  saveState(rule, 0, state);
  if (!ends) return false;
  return atEnd(rule, run, withSeeds(state, p <= seedsTo));
}

/** Whether a match ends where the text does. */
function atEnd(rule: u32, run: usize, state: usize): bool {
  const program = programAt(ruleFilter(rule));
  store<u32>(run, Phase.Idle, PHASE);
  if (load<u32>(run, FROM) >= <u32>textEnd || load<u32>(run, AT) > <u32>textEnd) return false;
  let next = load<u32>(state + (classCount(program) << 2), TRANSITIONS);
  if (next == UNKNOWN) next = makeTransition(state, END_OF_TEXT);
  if ((next & Mark.Match) == 0) return false;
  look(rule, run, textEnd);
  return true;
}

/** Before which place nothing is found later, as far as the runs tell. */
export function runsFrontier(end: usize): usize {
  let frontier = end;
  const touched = field(Field.Touched);
  for (let index: u32 = 0; index < touched; index++) {
    const rule = <u32>load<u16>(touchedRules() + (index << 1));
    const run = runOf(rule);
    const phase = load<u32>(run, PHASE);
    if (phase == Phase.Idle) continue;
    let from = load<u32>(run, FROM);
    if (phase == Phase.Filter) {
      const at = load<u32>(run, AT);
      const most = ruleMax(rule);
      if (isIdle(savedState(rule, 0))) from = max(from, at);
      else if (at > most) from = max(from, at - most);
    }
    frontier = min(frontier, <usize>from);
  }
  return frontier;
}

/** The buffer has moved down: all places move with it. */
export function shiftRuns(delta: u32): void {
  const touched = field(Field.Touched);
  for (let index: u32 = 0; index < touched; index++) {
    const run = runOf(<u32>load<u16>(touchedRules() + (index << 1)));
    for (let offset = FROM; offset < RUN_BYTES; offset += 4) {
      const place = load<u32>(run + offset);
      if (place != EVERYWHERE) store<u32>(run + offset, place > delta ? place - delta : 0);
    }
  }
}
