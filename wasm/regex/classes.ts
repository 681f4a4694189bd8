// Character classes: the ranges of the class escapes, and turning a list of ranges into a sorted one.

import { CODE_POINT_MAX, RANGE_BYTES } from './program';
import { addRange, rangesTop } from './tree';

/** `\d`: the ASCII digits (ECMA-262, CharacterClassEscape). */
function addDigits(): void {
  addRange(0x30, 0x39);
}

/** `\w`: ASCII letters, digits and the underscore. */
function addWord(): void {
  addRange(0x30, 0x39);
  addRange(0x41, 0x5a);
  addRange(0x5f, 0x5f);
  addRange(0x61, 0x7a);
}

/** `\s`: ECMA-262 WhiteSpace and LineTerminator. */
function addSpace(): void {
  addRange(0x09, 0x0d);
  addRange(0x20, 0x20);
  addRange(0xa0, 0xa0);
  addRange(0x1680, 0x1680);
  addRange(0x2000, 0x200a);
  addRange(0x2028, 0x2029);
  addRange(0x202f, 0x202f);
  addRange(0x205f, 0x205f);
  addRange(0x3000, 0x3000);
  addRange(0xfeff, 0xfeff);
}

/** What a dot does not match: the line terminators of ECMA-262. */
export function addLineTerminators(): void {
  addRange(0x0a, 0x0a);
  addRange(0x0d, 0x0d);
  addRange(0x2028, 0x2029);
}

/** Adds the ranges of the class escape `letter` (one of dDsSwW); false when it is none. */
export function addClassEscape(letter: u32): bool {
  const start = rangesTop();
  switch (letter | 0x20) {
    case 0x64:
      addDigits();
      break;
    case 0x73:
      addSpace();
      break;
    case 0x77:
      addWord();
      break;
    default:
      return false;
  }
  // The lists above are sorted, so that the gaps between them are the negation.
  if (letter < 0x61) appendGaps(start, <u32>((rangesTop() - start) / RANGE_BYTES));
  return true;
}

/** Replaces the sorted ranges at `start`, the last ones added, by the gaps between them. */
function appendGaps(start: usize, count: u32): void {
  let low: u32 = 0;
  for (let index: u32 = 0; index < count; index++) {
    const range = start + index * RANGE_BYTES;
    const first = load<u32>(range);
    const last = load<u32>(range, 4);
    // None of the class escapes begins at 0, so that there is a gap before each.
    store<u32>(range, low);
    store<u32>(range, first - 1, 4);
    low = last + 1;
  }
  addRange(low, CODE_POINT_MAX);
}

/** Sorts `count` ranges by their first code point, in place (a heap sort: no worst case to attack). */
function sortRanges(ranges: usize, count: u32): void {
  for (let root = count / 2; root > 0; root--) siftDown(ranges, root - 1, count);
  for (let end = count; end > 1; end--) {
    const last = ranges + (end - 1) * RANGE_BYTES;
    const value = load<u64>(ranges);
    store<u64>(ranges, load<u64>(last));
    store<u64>(last, value);
    siftDown(ranges, 0, end - 1);
  }
}

function siftDown(ranges: usize, root: u32, count: u32): void {
  while (true) {
    let child = root * 2 + 1;
    if (child >= count) return;
    const at = ranges + child * RANGE_BYTES;
    if (child + 1 < count && load<u32>(at) < load<u32>(at, <usize>RANGE_BYTES)) child++;
    const parentAt = ranges + root * RANGE_BYTES;
    const childAt = ranges + child * RANGE_BYTES;
    if (load<u32>(parentAt) >= load<u32>(childAt)) return;
    const value = load<u64>(parentAt);
    store<u64>(parentAt, load<u64>(childAt));
    store<u64>(childAt, value);
    root = child;
  }
}

/** Sorts ranges and joins those that touch, in place; returns how many are left. */
export function normalizeRanges(ranges: usize, count: u32): u32 {
  if (count == 0) return 0;
  sortRanges(ranges, count);
  let kept: u32 = 0;
  for (let index: u32 = 1; index < count; index++) {
    const last = ranges + kept * RANGE_BYTES;
    const range = ranges + index * RANGE_BYTES;
    if (load<u32>(range) <= load<u32>(last, 4) + 1) {
      store<u32>(last, max(load<u32>(last, 4), load<u32>(range, 4)), 4);
    } else {
      kept++;
      store<u64>(ranges + kept * RANGE_BYTES, load<u64>(range));
    }
  }
  return kept + 1;
}

/**
 * Turns sorted, joined ranges, the last ones added, into what they leave out; returns how many there
 * are then. There is always room: the list grows by one at most.
 */
export function negateRanges(ranges: usize, count: u32): u32 {
  let low: u32 = 0;
  let kept: u32 = 0;
  for (let index: u32 = 0; index < count; index++) {
    const range = ranges + index * RANGE_BYTES;
    const first = load<u32>(range);
    const last = load<u32>(range, 4);
    if (first > low) {
      const gap = ranges + kept * RANGE_BYTES;
      store<u32>(gap, low);
      store<u32>(gap, first - 1, 4);
      kept++;
    }
    low = last + 1;
  }
  if (low > CODE_POINT_MAX) return kept;
  // With no gap dropped the list is full and needs one more place.
  if (kept == count) addRange(low, CODE_POINT_MAX);
  store<u32>(ranges + kept * RANGE_BYTES, low);
  store<u32>(ranges + kept * RANGE_BYTES, CODE_POINT_MAX, 4);
  return kept + 1;
}
