// The findings of one scan: the first 256 by start, end, scanner and kind, kept sorted as they come.

import { kindPrecedes } from './kinds';
import { thresholdOf } from './request';
import { SCANNERS } from './scanners';

/** More findings than this are counted as `truncated`; the answer is a denial either way. */
export const FINDINGS_MAX: u32 = 256;

const ENTRY: u32 = 20;
const entries: u32 = <u32>memory.data(5120);
/** The highest score that each scanner has seen, in thousandths, also below its threshold. */
const scores: u32 = <u32>memory.data(32);

/** How many findings are listed. */
export let found: u32 = 0;
export let truncated: bool = false;
/** The offset of the earliest finding of the text, also one that is listed no more; `u32.MAX_VALUE` with none. */
export let earliest: u32 = u32.MAX_VALUE;

let base: u32 = 0;

/** Forgets the findings and the scores of the last text. */
export function resetFindings(): void {
  found = 0;
  truncated = false;
  earliest = u32.MAX_VALUE;
  memory.fill(scores, 0, SCANNERS * 4);
}

/** Says where byte 0 of the text is, or would be: findings are kept as offsets from there. */
export function setBase(pointer: u32): void {
  base = pointer;
}

/** Forgets the listed findings, which were answered; scores and `earliest` stay. */
export function clearFindings(): void {
  found = 0;
}

/** In bytes from the text's beginning. */
export function findingStart(index: u32): u32 {
  return load<u32>(entries + index * ENTRY);
}

export function findingEnd(index: u32): u32 {
  return load<u32>(entries + index * ENTRY, 4);
}

export function findingScanner(index: u32): u32 {
  return load<u32>(entries + index * ENTRY, 8);
}

/** See kinds.ts. */
export function findingKind(index: u32): u32 {
  return load<u32>(entries + index * ENTRY, 12);
}

/** In thousandths. */
export function findingScore(index: u32): u32 {
  return load<u32>(entries + index * ENTRY, 16);
}

/** The highest score that a scanner has seen, in thousandths. */
export function scoreOf(scanner: u32): u32 {
  return load<u32>(scores + scanner * 4);
}

/** Notes a score that makes no finding by itself. */
export function noteScore(scanner: u32, score: u32): void {
  if (score > scoreOf(scanner)) store<u32>(scores + scanner * 4, score);
}

function precedes(start: u32, end: u32, scanner: u32, kind: u32, index: u32): bool {
  const otherStart = findingStart(index);
  if (start != otherStart) return start < otherStart;
  const otherEnd = findingEnd(index);
  if (end != otherEnd) return end < otherEnd;
  const otherScanner = findingScanner(index);
  if (scanner != otherScanner) return scanner < otherScanner;
  return kindPrecedes(kind, findingKind(index));
}

/**
 * Adds the finding of `kind` at the pointers `[from, to)`, when its score of 1000 reaches the scanner's
 * threshold. Matchers report nearly in order, so the insertion is short; once full, a later finding
 * costs one comparison.
 */
export function report(from: u32, to: u32, scanner: u32, kind: u32, score: u32): void {
  noteScore(scanner, score);
  if (score < thresholdOf(scanner)) return;
  const start = from - base;
  const end = to - base;
  if (start < earliest) earliest = start;
  let index = found;
  if (found == FINDINGS_MAX) {
    truncated = true;
    index = FINDINGS_MAX - 1;
    if (!precedes(start, end, scanner, kind, index)) return;
  } else {
    found++;
  }
  while (index > 0 && precedes(start, end, scanner, kind, index - 1)) {
    memory.copy(entries + index * ENTRY, entries + (index - 1) * ENTRY, ENTRY);
    index--;
  }
  const entry = entries + index * ENTRY;
  store<u32>(entry, start);
  store<u32>(entry, end, 4);
  store<u32>(entry, scanner, 8);
  store<u32>(entry, kind, 12);
  store<u32>(entry, score, 16);
}
