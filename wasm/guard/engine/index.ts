// The engine of the rules: keywords in one pass, then each rule whose keyword was seen, as far as the text is known.

import { SECRETS } from '../scanners';
import { Field, field, setField, touchedRules, useContext } from './context';
import { COLLECT, deliverTo, matchCount } from './deliver';
import { findKeywords, keywordsHeld } from './keywords';
import { settle, shiftOverlaps } from './overlaps';
import { advanceRun, filterLimit, resetRuns, runEverywhere, runsFrontier, shiftRuns } from './runs';
import { BASE, ruleRecord, SET_COUNT, setRecord } from './tables';
import { openText } from './text';

export { matchEnd, matchRule, matchStart } from './deliver';
export { compareRuleKinds, ruleKindName, ruleKindNameLength, writeRuleKind } from './kinds';

/** The sets of rules; compiler/rules.ts numbers them. */
export const SECRET_RULES: u32 = 0;
export const INJECTION_RULES: u32 = 1;
export const INJECTION_WIDE_RULES: u32 = 2;

/** Bytes that are judged at once: what is found waits no longer for what it gives way to. */
const BLOCK: usize = 4096;

/** Forgets the text that a set of rules has judged. */
export function resetRules(set: u32): void {
  if (set >= SET_COUNT) return;
  useContext(set);
  resetRuns();
  setField(Field.Begun, 0);
  setField(Field.KeywordState, 0);
  setField(Field.Waiting, 0);
  setField(Field.Covered, 0);
}

/**
 * Judges the text `[begin, end)` by a set of rules as far as is certain, and reports what is found. Returns where
 * anything found later begins at the earliest; when `last`, all is judged.
 */
export function advanceRules(set: u32, begin: usize, end: usize, last: bool): usize {
  deliverTo(SECRETS);
  return advance(set, begin, end, last);
}

function advance(set: u32, begin: usize, end: usize, last: bool): usize {
  if (set >= SET_COUNT) return end;
  useContext(set);
  if (field(Field.Begun) == 0) beginText(set, begin);
  openText(field(Field.TextStart), end, last);
  let held = <usize>field(Field.Held);
  let at = <usize>field(Field.KeywordAt);
  do {
    at = min(end, at + BLOCK);
    const ends = last && at == end;
    findKeywords(set, at);
    advanceAll(at, ends);
    const frontier = ends ? end : min(runsFrontier(at), keywordsHeld(set, at));
    held = max(held, settle(max(held, frontier)));
  } while (at < end);
  setField(Field.Held, held);
  return held;
}

function beginText(set: u32, begin: usize): void {
  setField(Field.Begun, 1);
  setField(Field.TextStart, begin);
  setField(Field.KeywordAt, begin);
  setField(Field.Held, begin);
  openText(begin, begin, false);
  const everywhere = BASE + load<u32>(setRecord(set), 36);
  const count = load<u32>(setRecord(set), 40);
  for (let index: u32 = 0; index < count; index++) {
    runEverywhere(load<u16>(everywhere + (index << 1)), begin);
  }
}

/** Lets all rules that have a run read as far as they may. */
function advanceAll(at: usize, ends: bool): void {
  const touched = field(Field.Touched);
  for (let index: u32 = 0; index < touched; index++) {
    const rule = <u32>load<u16>(touchedRules() + (index << 1));
    advanceRun(rule, ends ? at : filterLimit(rule, at), ends);
  }
}

/** The buffer of the text has moved down by so many bytes. */
export function shiftRules(set: u32, delta: usize): void {
  if (set >= SET_COUNT || delta == 0) return;
  useContext(set);
  if (field(Field.Begun) == 0) return;
  // Held places are behind the beginning by now.
  setField(Field.TextStart, 0);
  setField(Field.KeywordAt, field(Field.KeywordAt) - <u32>delta);
  setField(Field.Held, field(Field.Held) - <u32>delta);
  shiftRuns(<u32>delta);
  shiftOverlaps(delta);
}

/**
 * Finds all matches of a set in a short text that is known as a whole, at most 1,024 of them: returns how many, which
 * matchRule, matchStart and matchEnd tell until the next call.
 */
export function matchAll(set: u32, begin: usize, end: usize): u32 {
  resetRules(set);
  deliverTo(COLLECT);
  advance(set, begin, end, true);
  return matchCount;
}

/** The weight of a rule, in thousandths. */
export function ruleScore(rule: u32): u32 {
  return load<u16>(ruleRecord(rule), 2);
}

/** The number of the kind that a rule finds. */
export function ruleKind(rule: u32): u32 {
  return load<u16>(ruleRecord(rule));
}
