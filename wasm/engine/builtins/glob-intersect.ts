// Whether two globs of regex.globs_match match some text in common (the Go package
// github.com/yashtewari/glob-intersection, non_empty.go): the same answers, its mistakes too, by a table instead of
// its recursion, so that no two globs take more than the product of their lengths.

import { alloc } from '../../common/arena';
import { Failure, stop } from '../failure';
import { lengthOf, textOf } from '../value';
import { readGlob, shareRune, Times, timesOf, tokenCount } from './glob-tokens';

/** Largest product of the lengths of two globs, in tokens. */
const CELLS_MAX: u64 = 1 << 22;

let a: u32 = 0;
let b: u32 = 0;
let aFrom: u32 = 0;
let bFrom: u32 = 0;
let aTo: u32 = 0;
let bTo: u32 = 0;

/** Reads the two globs, string values; false when one is none. */
export function readGlobs(first: u32, second: u32): bool {
  a = readGlob(textOf(first), lengthOf(first));
  if (a == 0) return false;
  aFrom = 0;
  aTo = tokenCount;
  b = readGlob(textOf(second), lengthOf(second));
  bFrom = 0;
  bTo = tokenCount;
  return b != 0;
}

function isOnce(i: u32, j: u32): bool {
  return timesOf(a, i) == Times.Once && timesOf(b, j) == Times.Once;
}

/** Takes off what the globs begin and end with once each, but for one token; false when these differ. */
function trim(): bool {
  let from: u32 = 0;
  while (from < aTo && from < bTo && isOnce(from, from)) {
    if (!shareRune(a, from, b, from)) return false;
    from++;
  }
  if (from > 0) from--;
  let aEnd = aTo;
  let bEnd = bTo;
  while (aEnd > from && bEnd > from && isOnce(aEnd - 1, bEnd - 1)) {
    if (!shareRune(a, aEnd - 1, b, bEnd - 1)) return false;
    aEnd--;
    bEnd--;
  }
  if (aEnd < aTo) {
    aEnd++;
    bEnd++;
  }
  aFrom = from;
  bFrom = from;
  aTo = aEnd;
  bTo = bEnd;
  return true;
}

// The table: for the rest of the first glob from i and of the second from j, a bit for each question of the package.
/** intersectNormal of the first with the second. */
const NORMAL: u32 = 1;
/** intersectNormal of the second with the first: which one is asked first matters. */
const SWAPPED: u32 = 2;
/** intersectStar with the first one's token repeated. */
const STAR: u32 = 4;
/** intersectStar with the second one's token repeated. */
const STAR_SWAPPED: u32 = 8;

let table: u32 = 0;
let rowCells: u32 = 0;

function cell(i: u32, j: u32): u32 {
  return table + (i - aFrom) * rowCells + (j - bFrom);
}

function bit(i: u32, j: u32, question: u32): bool {
  return (<u32>load<u8>(cell(i, j)) & question) != 0;
}

/** Whether the globs read last match some text in common. */
export function globsIntersect(): bool {
  if (!trim()) return false;
  const cells = <u64>(aTo - aFrom + 1) * <u64>(bTo - bFrom + 1);
  if (cells > CELLS_MAX) stop(Failure.Memory);
  rowCells = bTo - bFrom + 1;
  table = alloc(<u32>cells);
  for (let i = aTo + 1; i > aFrom; i--) {
    for (let j = bTo + 1; j > bFrom; j--) fill(i - 1, j - 1);
  }
  return bit(aFrom, bFrom, NORMAL);
}

/** Answers all questions for one cell from those right of it and below it. */
function fill(i: u32, j: u32): void {
  let bits: u32 = 0;
  if (i < aTo && star(i, j, false)) bits |= STAR;
  if (j < bTo && star(i, j, true)) bits |= STAR_SWAPPED;
  store<u8>(cell(i, j), bits);
  if (normal(i, j, false)) bits |= NORMAL;
  if (normal(i, j, true)) bits |= SWAPPED;
  store<u8>(cell(i, j), bits);
}

/** intersectNormal and intersectSpecial; `swapped` when the second glob is the one asked first. */
function normal(i: u32, j: u32, swapped: bool): bool {
  if (i == aTo || j == bTo) return i == aTo && j == bTo;
  if (isOnce(i, j)) return shareRune(a, i, b, j) && bit(i + 1, j + 1, swapped ? SWAPPED : NORMAL);
  const firstRepeats = swapped ? timesOf(b, j) != Times.Once : timesOf(a, i) != Times.Once;
  // Whether the token that takes up tokens of the other is the second glob's.
  const bySecond = firstRepeats == swapped;
  const times = bySecond ? timesOf(b, j) : timesOf(a, i);
  if (times == Times.Star) return bit(i, j, bySecond ? STAR_SWAPPED : STAR);
  if (!shareRune(a, i, b, j)) return false;
  if (bySecond) {
    if (bit(i + 1, j, STAR_SWAPPED)) return true;
    return timesOf(a, i) != Times.Once && bit(i, j + 1, SWAPPED);
  }
  if (bit(i, j + 1, STAR)) return true;
  return timesOf(b, j) != Times.Once && bit(i + 1, j, NORMAL);
}

/** intersectStar: the token at i (at j when swapped) takes up tokens of the other glob one by one. */
function star(i: u32, j: u32, swapped: bool): bool {
  const isLast = swapped ? j + 1 == bTo : i + 1 == aTo;
  if (swapped ? i == aTo : j == bTo) return isLast;
  const taken = shareRune(a, i, b, j);
  const rest = swapped ? bit(i + 1, j, STAR_SWAPPED) : bit(i, j + 1, STAR);
  if (isLast) return taken && rest;
  const next = swapped ? shareRune(a, i, b, j + 1) : shareRune(a, i + 1, b, j);
  if (next && (swapped ? bit(i, j + 1, SWAPPED) : bit(i + 1, j, NORMAL))) return true;
  return taken && rest;
}
