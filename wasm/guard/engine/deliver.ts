// Where findings go: to the answer of the scan, or to the list that `matchAll` returns.

import { report } from '../findings';
import { RULE_KIND } from '../kinds';
import { takeUnset } from './memory';
import { ruleRecord } from './tables';

/** Most matches that one call of `matchAll` returns. */
const MATCHES_MAX: u32 = 1024;
const MATCH_BYTES: u32 = 12;
const matches: usize = takeUnset(MATCHES_MAX * MATCH_BYTES);

export let matchCount: u32 = 0;
/** The scanner in whose name findings are reported, or COLLECT. */
let scanner: u32 = 0;
export const COLLECT: u32 = 0xffffffff;

/** From now on findings are reported for a scanner, or collected from the first on. */
export function deliverTo(target: u32): void {
  scanner = target;
  matchCount = 0;
}

/** Hands on the finding of a rule. */
export function deliver(rule: u32, start: usize, end: usize): void {
  if (scanner != COLLECT) {
    const record = ruleRecord(rule);
    report(<u32>start, <u32>end, scanner, RULE_KIND | <u32>load<u16>(record), load<u16>(record, 2));
    return;
  }
  if (matchCount == MATCHES_MAX) return;
  const match = matches + matchCount * MATCH_BYTES;
  store<u32>(match, rule);
  store<u32>(match, <u32>start, 4);
  store<u32>(match, <u32>end, 8);
  matchCount++;
}

/** The rule of a match that was collected. */
export function matchRule(index: u32): u32 {
  return load<u32>(matches + index * MATCH_BYTES);
}

/** Where its finding starts. */
export function matchStart(index: u32): usize {
  return load<u32>(matches + index * MATCH_BYTES, 4);
}

/** Where its finding ends. */
export function matchEnd(index: u32): usize {
  return load<u32>(matches + index * MATCH_BYTES, 8);
}
