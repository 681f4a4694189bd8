// Dates of birth: a date beside a word for being born.

import { propose } from './candidate';
import { isDay } from './checks';
import { near } from './context';
import { DATE_OF_BIRTH } from './kinds';
import { ALNUM, at, DIGIT, is, LETTER, run } from './text';

const NAMED: u32 = 920;
const WORD_WITHIN: u32 = 48;
/** No month's name is longer, in bytes of the languages below. */
export const MONTH_MAX: u32 = 10;

/** The first three bytes of the months' names in English, German, French, Spanish, Italian, Portuguese and Dutch. */
const MONTHS =
  'janfebmaraprmayjunjulaugsepoctnovdecmaioktmrtmeifevavrjuiaoueneabrmagagogiulugsetottoutdezmaadic';

/** The letters that they begin with, a bit each from `a` on. */
const INITIALS: u32 = 0x47a79;

/** The number that the digits `[p, stop)` write. */
function read(p: u32, stop: u32): u32 {
  let result: u32 = 0;
  for (let q = p; q < stop; q++) result = result * 10 + at(q) - 0x30;
  return result;
}

/** Whether a month's name begins at `p`: by its first three bytes, or its first one and an accent. */
function isMonth(p: u32): bool {
  if (is(p, LETTER) && (at(p + 1) == 0xc3 || (is(p + 2, LETTER) && at(p + 2) == 0xc3))) return true;
  if (!is(p, LETTER) || !is(p + 1, LETTER)) return false;
  if ((INITIALS & (1 << ((at(p) | 0x20) - 0x61))) == 0) return false;
  const source = <u32>changetype<usize>(MONTHS);
  for (let i: u32 = 0; i < <u32>MONTHS.length; i += 3) {
    if ((at(p) | 0x20) != load<u16>(source + (i << 1))) continue;
    if ((at(p + 1) | 0x20) != load<u16>(source + (i << 1), 2)) continue;
    if (at(p + 2) == 0xc3 || (at(p + 2) | 0x20) == load<u16>(source + (i << 1), 4)) return true;
  }
  return false;
}

function isSeparator(byte: u32): bool {
  return byte == 0x20 || (byte >= 0x2d && byte <= 0x2f);
}

function isYear(length: u32): bool {
  return length == 2 || length == 4;
}

/** The end of the word that begins at `p`, a month's name; 0 when it is none. */
function monthEnd(p: u32): u32 {
  if (!isMonth(p)) return 0;
  let q = p;
  while (q < p + MONTH_MAX && (is(q, LETTER) || at(q) >= 0x80)) q++;
  return q;
}

/** Proposes the date whose first digit is at `p`, in figures, with a month's name, or as in East Asia. */
export function birthAt(p: u32): void {
  const stop = run(p, DIGIT, 5);
  const length = stop - p;
  if (length == 0 || length == 3 || length > 4) return;
  let end: u32 = 0;
  if (length == 4) end = yearFirst(p, stop);
  else if (isSeparator(at(stop)) && is(stop + 1, DIGIT)) end = inFigures(p, stop);
  else end = withName(p, stop);
  if (end == 0 || is(end, ALNUM)) return;
  let from = p;
  if (length <= 2 && at(p - 1) == 0x20) from = monthBefore(p);
  if (near(DATE_OF_BIRTH, from, WORD_WITHIN)) propose(DATE_OF_BIRTH, from, end, NAMED);
}

/** `1985-07-30`, `1985年7月30日`: its end or 0. */
function yearFirst(p: u32, stop: u32): u32 {
  const isAsian = at(stop) == 0xe5 && at(stop + 1) == 0xb9 && at(stop + 2) == 0xb4;
  if (!isAsian && !isSeparator(at(stop))) return 0;
  const month = isAsian ? stop + 3 : stop + 1;
  const monthStop = run(month, DIGIT, 3);
  const day = isAsian ? monthStop + 3 : monthStop + 1;
  if (monthStop > month + 2 || (!isAsian && at(monthStop) != at(stop))) return 0;
  const dayStop = run(day, DIGIT, 3);
  if (dayStop > day + 2 || !isDay(read(p, stop), read(month, monthStop), read(day, dayStop)))
    return 0;
  // 日
  const isNamed =
    isAsian && at(dayStop) == 0xe6 && at(dayStop + 1) == 0x97 && at(dayStop + 2) == 0xa5;
  return isNamed ? dayStop + 3 : dayStop;
}

/** `30.07.1985`, `7/30/85`: its end or 0. */
function inFigures(p: u32, stop: u32): u32 {
  const second = stop + 1;
  const secondStop = run(second, DIGIT, 3);
  const year = secondStop + 1;
  if (secondStop > second + 2 || at(secondStop) != at(stop)) return 0;
  const yearStop = run(year, DIGIT, 5);
  if (!isYear(yearStop - year)) return 0;
  const a = read(p, stop);
  const b = read(second, secondStop);
  const y = yearStop - year == 2 ? 2000 + read(year, yearStop) : read(year, yearStop);
  return isDay(y, b, a) || isDay(y, a, b) ? yearStop : 0;
}

/** `30 July 1985`, `30. Juli 1985`, `30 de julio de 1985`, or the rest of `July 30, 1985`: its end or 0. */
function withName(p: u32, stop: u32): u32 {
  const day = read(p, stop);
  if (day < 1 || day > 31) return 0;
  let q = stop;
  if (at(q) == 0x2c && at(q + 1) == 0x20 && monthBefore(p) != p) return yearAt(q + 2);
  if (at(q) == 0x2e || at(q) == 0x2d) q++;
  if (at(q) == 0x20) q++;
  q = skipOf(q);
  const name = monthEnd(q);
  if (name == 0) return 0;
  q = at(name) == 0x2c || at(name) == 0x2e || at(name) == 0x2d ? name + 1 : name;
  if (at(q) == 0x20) q++;
  return yearAt(skipOf(q));
}

/** After `de ` at `p`, or `p`. */
function skipOf(p: u32): u32 {
  return (at(p) | 0x20) == 0x64 && (at(p + 1) | 0x20) == 0x65 && at(p + 2) == 0x20 ? p + 3 : p;
}

function yearAt(p: u32): u32 {
  const stop = run(p, DIGIT, 5);
  return stop == p + 4 ? stop : 0;
}

/** Where the month's name before the space before `p` begins; `p` when there is none. */
function monthBefore(p: u32): u32 {
  if (at(p - 1) != 0x20) return p;
  let q = p - 1;
  while (q > p - 1 - MONTH_MAX && is(q - 1, LETTER)) q--;
  return q < p - 3 && !is(q - 1, ALNUM) && isMonth(q) ? q : p;
}
