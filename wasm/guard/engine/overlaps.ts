// Lets the findings of generic rules give way to any other that overlaps them, before they are handed on.

import {
  COVERED_BYTES,
  COVERED_MAX,
  coveredStretches,
  Field,
  field,
  setField,
  WAITING_BYTES,
  WAITING_MAX,
  waitingFindings,
} from './context';
import { deliver } from './deliver';
import { Flag, ruleFlags } from './tables';

/** Takes a finding that stands: one of a generic rule waits until all that may overlap it is known. */
export function addFinding(rule: u32, start: usize, end: usize): void {
  if ((ruleFlags(rule) & Flag.Generic) == 0) {
    cover(start, end);
    deliver(rule, start, end);
    return;
  }
  const waiting = field(Field.Waiting);
  if (waiting == WAITING_MAX) {
    // More than any text can have within what is held: nothing is lost, it only does not give way.
    deliver(rule, start, end);
    return;
  }
  const list = waitingFindings();
  let index = waiting;
  while (index > 0 && precedes(start, rule, list + (index - 1) * WAITING_BYTES)) index--;
  const place = list + index * WAITING_BYTES;
  memory.copy(place + WAITING_BYTES, place, (waiting - index) * WAITING_BYTES);
  store<u32>(place, <u32>start);
  store<u32>(place, <u32>end, 4);
  store<u32>(place, rule, 8);
  setField(Field.Waiting, waiting + 1);
}

function precedes(start: usize, rule: u32, other: usize): bool {
  const otherStart = <usize>load<u32>(other);
  return start < otherStart || (start == otherStart && rule < load<u32>(other, 8));
}

/** Remembers that a finding covers a stretch, joined with those that it touches. */
function cover(start: usize, end: usize): void {
  const list = coveredStretches();
  let count = field(Field.Covered);
  let from = <u32>start;
  let to = <u32>end;
  let index = count;
  // The first stretch that ends at or after the start.
  while (index > 0 && load<u32>(list + (index - 1) * COVERED_BYTES, 4) >= from) index--;
  let behind = index;
  while (behind < count && load<u32>(list + behind * COVERED_BYTES) <= to) {
    from = min(from, load<u32>(list + behind * COVERED_BYTES));
    to = max(to, load<u32>(list + behind * COVERED_BYTES, 4));
    behind++;
  }
  if (behind == index && count == COVERED_MAX) return;
  const place = list + index * COVERED_BYTES;
  memory.copy(
    place + COVERED_BYTES,
    list + behind * COVERED_BYTES,
    (count - behind) * COVERED_BYTES,
  );
  store<u32>(place, from);
  store<u32>(place, to, 4);
  count = count - (behind - index) + 1;
  setField(Field.Covered, count);
}

/** Whether a finding overlaps a stretch that is covered. */
function isCovered(start: u32, end: u32): bool {
  const list = coveredStretches();
  let low: u32 = 0;
  let high = field(Field.Covered);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(list + middle * COVERED_BYTES, 4) <= start) low = middle + 1;
    else high = middle;
  }
  return low < field(Field.Covered) && load<u32>(list + low * COVERED_BYTES) < end;
}

/**
 * Hands on the generic findings that end before `frontier`, where nothing found later begins, unless another covers
 * them: one of a rule that is not generic, or of one that begins before. Returns where the first begins that still
 * waits, or the frontier.
 */
export function settle(frontier: usize): usize {
  const list = waitingFindings();
  const waiting = field(Field.Waiting);
  let settled: u32 = 0;
  while (settled < waiting) {
    const place = list + settled * WAITING_BYTES;
    const start = load<u32>(place);
    const end = load<u32>(place, 4);
    if (<usize>end > frontier) break;
    settled++;
    if (isCovered(start, end)) continue;
    cover(start, end);
    deliver(load<u32>(place, 8), start, end);
  }
  const left = waiting - settled;
  memory.copy(list, list + settled * WAITING_BYTES, left * WAITING_BYTES);
  setField(Field.Waiting, left);
  const held = left > 0 ? min(frontier, <usize>load<u32>(list)) : frontier;
  uncover(held);
  return held;
}

/** Forgets the stretches that end where nothing later begins. */
function uncover(held: usize): void {
  const list = coveredStretches();
  const count = field(Field.Covered);
  let gone: u32 = 0;
  while (gone < count && <usize>load<u32>(list + gone * COVERED_BYTES, 4) <= held) gone++;
  if (gone == 0) return;
  memory.copy(list, list + gone * COVERED_BYTES, (count - gone) * COVERED_BYTES);
  setField(Field.Covered, count - gone);
}

/** The buffer has moved down: what waits and what is covered moves with it. */
export function shiftOverlaps(delta: usize): void {
  const waiting = waitingFindings();
  for (let index: u32 = 0; index < field(Field.Waiting); index++) {
    const place = waiting + index * WAITING_BYTES;
    store<u32>(place, load<u32>(place) - <u32>delta);
    store<u32>(place, load<u32>(place, 4) - <u32>delta, 4);
  }
  const covered = coveredStretches();
  for (let index: u32 = 0; index < field(Field.Covered); index++) {
    const place = covered + index * COVERED_BYTES;
    const start = load<u32>(place);
    store<u32>(place, start > <u32>delta ? start - <u32>delta : 0);
    store<u32>(place, load<u32>(place, 4) - <u32>delta, 4);
  }
}
