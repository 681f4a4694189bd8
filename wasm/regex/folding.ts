// Case-insensitive matching by Unicode's simple case folding, as Go's unicode.SimpleFold has it.

import { normalizeRanges } from './classes';
import { RANGE_BYTES } from './program';
import { addRange, cutRanges, rangesTop } from './tree';
import { FOLDS, FOLDS_BYTES } from './unicode-data';

let at: usize = 0;

/** Reads an unsigned LEB128 number. */
function readNumber(): u32 {
  let value: u32 = 0;
  let shift: u32 = 0;
  while (true) {
    const byte = <u32>load<u8>(at++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
    shift += 7;
  }
}

// The run of folds read last: code points `runApart` from each other, each folding to `runDistance` from itself.
let runStart: u32 = 0;
let runCount: u32 = 0;
let runApart: u32 = 0;
let runDistance: i32 = 0;

function beginRuns(): void {
  at = FOLDS;
  runStart = 0;
}

/** Reads the next run; false when there is none. */
function nextRun(): bool {
  if (at >= FOLDS + FOLDS_BYTES) return false;
  runStart += readNumber();
  const count = readNumber();
  runCount = count >> 1;
  runApart = (count & 1) + 1;
  const distance = readNumber();
  runDistance = <i32>(distance >> 1) ^ -(<i32>(distance & 1));
  return true;
}

/** The next code point of those that differ in case only; the code point itself when there is no other. */
function simpleFold(codePoint: u32): u32 {
  beginRuns();
  while (nextRun()) {
    if (codePoint < runStart) return codePoint;
    const from = codePoint - runStart;
    if (from <= (runCount - 1) * runApart && from % runApart == 0) return codePoint + runDistance;
  }
  return codePoint;
}

/** Adds a code point and all that differ from it in case only. */
export function addFolded(codePoint: u32): void {
  if (codePoint < 0x80) {
    addRange(codePoint, codePoint);
    addFoldedAscii(codePoint, codePoint);
    return;
  }
  let next = codePoint;
  do {
    addRange(next, next);
    next = simpleFold(next);
  } while (next != codePoint);
}

/** Adds what differs in case only from a range of ASCII. */
function addFoldedAscii(low: u32, high: u32): void {
  addMoved(low, high, 0x41, 0x5a, 0x20);
  addMoved(low, high, 0x61, 0x7a, -0x20);
  // The long s and the Kelvin sign are letters of ASCII in another case.
  if (holdsLetter(low, high, 0x73)) addRange(0x17f, 0x17f);
  if (holdsLetter(low, high, 0x6b)) addRange(0x212a, 0x212a);
}

/** Adds the part of `low` to `high` that is from `first` to `last`, moved by a distance. */
function addMoved(low: u32, high: u32, first: u32, last: u32, distance: i32): void {
  const from = max(low, first);
  const to = min(high, last);
  if (from <= to) addRange(from + distance, to + distance);
}

/** Whether a small letter of ASCII or its capital is from `low` to `high`. */
function holdsLetter(low: u32, high: u32, letter: u32): bool {
  const capital = letter - 0x20;
  return (low <= letter && letter <= high) || (low <= capital && capital <= high);
}

/** The most code points that differ in case only, less one: as often is the next of each to be added. */
const FOLD_ROUNDS: u32 = 3;

/** Adds what differs in case only from the ranges added since `ranges`; sorts and joins them all. */
export function foldRanges(ranges: usize): void {
  const count = joinRanges(ranges);
  if (count == 0) return;
  const last = ranges + (count - 1) * RANGE_BYTES;
  if (load<u32>(last, 4) < 0x80) {
    for (let range = ranges; range <= last; range += RANGE_BYTES) {
      addFoldedAscii(load<u32>(range), load<u32>(range, 4));
    }
    joinRanges(ranges);
    return;
  }
  for (let round: u32 = 0; round < FOLD_ROUNDS; round++) {
    const end = rangesTop();
    beginRuns();
    while (nextRun()) addRunFolds(ranges, end);
    joinRanges(ranges);
  }
}

/** Sorts and joins the ranges added since `ranges`; returns how many are left. */
export function joinRanges(ranges: usize): u32 {
  const count = normalizeRanges(ranges, <u32>((rangesTop() - ranges) / RANGE_BYTES));
  cutRanges(ranges + count * RANGE_BYTES);
  return count;
}

/** Adds the folds of the present run's code points that are in the sorted ranges. */
function addRunFolds(ranges: usize, end: usize): void {
  const runEnd = runStart + (runCount - 1) * runApart;
  // The first range that ends at or after the run's start.
  let low: u32 = 0;
  let high = <u32>((end - ranges) / RANGE_BYTES);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(ranges + middle * RANGE_BYTES, 4) < runStart) low = middle + 1;
    else high = middle;
  }
  for (let range = ranges + low * RANGE_BYTES; range < end; range += RANGE_BYTES) {
    if (load<u32>(range) > runEnd) return;
    let first = max(load<u32>(range), runStart);
    const last = min(load<u32>(range, 4), runEnd);
    if (runApart == 1) {
      addRange(first + runDistance, last + runDistance);
      continue;
    }
    first += (first - runStart) & 1;
    for (let next = first; next <= last; next += 2) {
      addRange(next + runDistance, next + runDistance);
    }
  }
}
