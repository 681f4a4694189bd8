// The InvisibleText scanner: characters a person does not see and a model reads, where nothing visible needs them.

import { report } from '../findings';
import * as Kind from '../kinds';
import { INVISIBLE_TEXT } from '../scanners';
import { openText } from '../text';
import { codePoint, lengthOf } from './codepoint';
import { invisibleKind, NONE } from './kind';
import { flagEnd, inPlace, LOOK_AHEAD, setTextBegin } from './place';

const CERTAIN: u32 = 1000;
/** A longer run of one kind is several findings. */
const RUN_MAX: u32 = 1024;

let isBegun: bool = false;
let cursor: u32 = 0;
let runStart: u32 = 0;
let runEnd: u32 = 0;
let runKind: u32 = NONE;

/** Forgets the last text. */
export function resetInvisible(): void {
  isBegun = false;
  runKind = NONE;
}

/**
 * Judges the text known so far, `[begin, end)`; returns where what is reported later begins at the earliest: the
 * open run, or the first character whose surroundings are not known yet. With `last` the text ends at `end`. Looks
 * at most 64 bytes behind that.
 */
export function advanceInvisible(begin: usize, end: usize, last: bool): usize {
  if (!isBegun) {
    isBegun = true;
    cursor = <u32>begin;
    setTextBegin(cursor);
  }
  openText(<u32>begin, <u32>(end - begin));
  const stop = <u32>end;
  while (cursor < stop) {
    cursor = skipAscii(cursor, stop);
    if (cursor == stop) break;
    const c = codePoint(cursor);
    const kind = invisibleKind(c);
    if (kind == NONE) cursor += lengthOf(load<u8>(cursor));
    else if (!last && stop - cursor < LOOK_AHEAD) break;
    else judge(c, kind);
  }
  if (last || (runKind != NONE && runEnd < cursor)) closeRun();
  return runKind == NONE ? cursor : runStart;
}

/** The buffer of the text has moved down by `delta`. */
export function shiftInvisible(delta: usize): void {
  cursor -= <u32>delta;
  runStart -= <u32>delta;
  runEnd -= <u32>delta;
  if (delta > 0) setTextBegin(0);
}

/** The first byte from 0x80 on in `[p, stop)`. */
function skipAscii(from: u32, stop: u32): u32 {
  let p = from;
  while (p + 16 <= stop) {
    const wide = i8x16.bitmask(v128.load(p));
    if (wide != 0) return p + ctz(wide);
    p += 16;
  }
  while (p < stop && load<u8>(p) < 0x80) p++;
  return p;
}

/** Judges the invisible character at the cursor and moves behind it. */
function judge(c: u32, kind: u32): void {
  const p = cursor;
  const next = p + lengthOf(load<u8>(p));
  cursor = next;
  if (kind == Kind.TAG_CHARACTERS) {
    const flag = flagEnd(p);
    if (flag != 0) cursor = flag;
    else extendRun(p, next, kind);
  } else if (!inPlace(c, kind, p, next)) extendRun(p, next, kind);
}

function extendRun(start: u32, end: u32, kind: u32): void {
  if (runKind == kind && runEnd == start && end - runStart <= RUN_MAX) {
    runEnd = end;
    return;
  }
  closeRun();
  runStart = start;
  runEnd = end;
  runKind = kind;
}

function closeRun(): void {
  if (runKind != NONE) report(runStart, runEnd, INVISIBLE_TEXT, runKind, CERTAIN);
  runKind = NONE;
}
