// Telephone numbers: international, North American, and national ones beside a word that says so.

import { PHONES, section } from '../tables';
import { propose } from './candidate';
import { near, phoneLanguage, phoneRegions } from './context';
import { PHONE } from './kinds';
import {
  continues,
  digit,
  digitsIn,
  evenlySeparated,
  goesOn,
  groupEnd,
  groupLength,
  groupSeparator,
  groups,
  PERIOD,
  SPACE,
  separatorAt,
  value,
} from './numbers';
import { ALNUM, at, count, DIGIT, is, run } from './text';

/** E.164: at most 15 digits; the shortest in use with a country code have 8. */
const DIGITS_MIN: u32 = 8;
const DIGITS_MAX: u32 = 15;
/** How far before a national number the word for it may begin, in bytes. */
const WORD_WITHIN: u32 = 32;
/** The language of words that are used everywhere. */
const ANY: u32 = 1;

/** A number that the numbering plan has. */
const VALID: u32 = 950;
/** A North American number that the plan has, in the usual form. */
const WRITTEN: u32 = 900;
/** A number of a country that the words' language does not suggest. */
const NAMED: u32 = 880;
/** Right in form only. */
const POSSIBLE: u32 = 400;

const ROOTS: u32 = 16;
const PREFIXES: u32 = ROOTS + 2000;
const ROW: u32 = 20;
const ACCEPT: u32 = 0x8000;

const digits: u32 = <u32>memory.data(32);
let table: u32 = 0;

/** Finds the numbering plans. */
export function resetPhones(): void {
  table = <u32>section(PHONES);
}

/** Whether the digits `[from, to)` are a national number of the calling code. */
function isPlanned(code: u32, from: u32, to: u32): bool {
  const states = table + load<u32>(table);
  let state: u32 = load<u16>(table + ROOTS + (code << 1));
  let accepted: u32 = 0;
  count(to - from);
  for (let i = from; i < to && state != 0; i++) {
    const next: u32 = load<u16>(states + state * ROW + ((<u32>load<u8>(digits + i)) << 1));
    accepted = next & ACCEPT;
    state = next & ~ACCEPT;
  }
  return state != 0 && accepted != 0;
}

/** How many digits from `from` are the national prefix of the calling code, which is dialled at home only. */
function prefixLength(code: u32, from: u32): u32 {
  const prefix: u32 = load<u8>(table + PREFIXES + code);
  if (prefix == 0) return 0;
  const first: u32 = load<u8>(digits + from);
  if (prefix <= 10) return first == prefix - 1 ? 1 : 0;
  return first * 10 + load<u8>(digits + from, 1) == prefix - 11 ? 2 : 0;
}

/** As `isPlanned`, also with the national prefix in front. */
function isNational(code: u32, from: u32, to: u32): bool {
  if (isPlanned(code, from, to)) return true;
  const skipped = prefixLength(code, from);
  return skipped > 0 && isPlanned(code, from + skipped, to);
}

/** The score of the collected `length` digits, which begin with a calling code. */
function internationalScore(length: u32): u32 {
  if (length < DIGITS_MIN) return 0;
  let code: u32 = 0;
  for (let i: u32 = 0; i < 3; i++) {
    code = code * 10 + load<u8>(digits + i);
    if (i == 0 && code == 0) return 0;
    if (load<u16>(table + ROOTS + (code << 1)) == 0) continue;
    if (isNational(code, i + 1, length)) return VALID;
    return length <= DIGITS_MAX ? POSSIBLE : 0;
  }
  return 0;
}

/** Length of what may stand between two groups: at most one separator and one parenthesis. */
function gapAt(p: u32): u32 {
  let q = p;
  let separators = 0;
  let parentheses = 0;
  for (let i = 0; i < 2; i++) {
    const byte = at(q);
    const length = separatorAt(q);
    if (length > 0 && separators == 0) separators++;
    else if ((byte == 0x28 || byte == 0x29) && parentheses == 0) parentheses++;
    else break;
    q += length > 0 ? length : 1;
  }
  return is(q, DIGIT) ? q - p : 0;
}

/** Most digits of an extension. */
const EXTENSION_MAX: u32 = 6;

/** Where the number whose digits end at `p` ends: behind an extension such as `x123` or ` x123`; 0 when it goes on. */
function tailOf(p: u32): u32 {
  const mark = at(p) == 0x20 ? p + 1 : p;
  if ((at(mark) | 0x20) == 0x78 && is(mark + 1, DIGIT)) {
    const stop = run(mark + 1, DIGIT, EXTENSION_MAX + 1);
    if (stop <= mark + 1 + EXTENSION_MAX && !is(stop, ALNUM)) return stop;
  }
  return is(p, ALNUM) || goesOn(p) ? 0 : p;
}

/** Proposes the international number with the prefix (`+` or `00`) at `p`, its digits at `from`. */
function internationalFrom(p: u32, from: u32, groupsMin: u32): void {
  let q = from;
  let length: u32 = 0;
  let seen: u32 = 0;
  while (true) {
    const groupStop = run(q, DIGIT, DIGITS_MAX + 1);
    // A national prefix in parentheses is one digit more, or two.
    if (length + groupStop - q > DIGITS_MAX + 2) return;
    for (; q < groupStop; q++) store<u8>(digits + length++, at(q) - 0x30);
    seen++;
    let tail = tailOf(q);
    if (tail == 0 && !is(q, ALNUM)) tail = q;
    if (tail != 0 && seen >= groupsMin) {
      let score = internationalScore(length);
      if (score == POSSIBLE && near(PHONE, p, WORD_WITHIN)) score = NAMED;
      if (score > 0) propose(PHONE, p, tail, score);
    }
    const gap = gapAt(q);
    if (gap == 0) return;
    q += gap;
  }
}

/** Proposes the number at the `+` at `p`. */
export function phoneAtPlus(p: u32): void {
  if (is(p - 1, ALNUM) || at(p - 1) == 0x2b) return;
  const from = at(p + 1) == 0x28 ? p + 2 : p + 1;
  if (is(from, DIGIT)) internationalFrom(p, from, 1);
}

/** Collects ten digits that begin in the groups 3, 3 and 4; returns their score as a North American number. */
function northAmericanScore(from: u32): u32 {
  return isPlanned(1, from, from + 10) ? WRITTEN : POSSIBLE;
}

function take(p: u32, to: u32, length: u32): void {
  for (let i: u32 = 0; i < length; i++) store<u8>(digits + to + i, at(p + i) - 0x30);
}

/** Proposes the number whose area code is in the parentheses at `p`. */
export function phoneAtParenthesis(p: u32): void {
  if (!is(p + 1, DIGIT)) return;
  northAmericanInParentheses(p);
  if (near(PHONE, p, WORD_WITHIN)) nationalFrom(p, p + 1);
}

function northAmericanInParentheses(p: u32): void {
  if (run(p + 1, DIGIT, 4) != p + 4 || at(p + 4) != 0x29) return;
  const exchange = p + 5 + separatorAt(p + 5);
  if (run(exchange, DIGIT, 4) != exchange + 3) return;
  const gap = separatorAt(exchange + 3);
  const line = exchange + 3 + gap;
  if (gap == 0 || run(line, DIGIT, 5) != line + 4) return;
  const tail = tailOf(line + 4);
  if (tail == 0) return;
  take(p + 1, 0, 3);
  take(exchange, 3, 3);
  take(line, 6, 4);
  propose(PHONE, p, tail, northAmericanScore(0));
}

/** Proposes the national number at `p`, its digits at `from`, parentheses among them, beside a word for it. */
function nationalFrom(p: u32, from: u32): void {
  let q = from;
  let length: u32 = 0;
  while (true) {
    const groupStop = run(q, DIGIT, DIGITS_MAX + 1);
    if (length + groupStop - q > DIGITS_MAX) return;
    take(q, length, groupStop - q);
    length += groupStop - q;
    q = groupStop;
    const tail = tailOf(q);
    if (tail != 0 && length >= 7) propose(PHONE, p, tail, isOfLanguage(length) ? VALID : NAMED);
    const gap = gapAt(q);
    if (gap == 0) return;
    q += gap;
  }
}

/** Whether the groups from `first` are an area code, an exchange code and a line number. */
function isNorthAmerican(first: u32): bool {
  if (groups < first + 3 || groupLength(first) != 3) return false;
  return groupLength(first + 1) == 3 && groupLength(first + 2) == 4;
}

/** Whether the groups are a date (2026-11-21, 21.11.2026), years (2015-2018) or a decimal number, and not to be dialled. */
function isDate(): bool {
  if (groups == 2 && groupSeparator(0) == PERIOD) return true;
  if (groups == 2 && groupLength(0) == 4 && groupLength(1) == 4) {
    return isYear(value(0, 4)) && isYear(value(4, 8));
  }
  if (groups < 3 || groupLength(1) > 2) return false;
  const first = groupLength(0);
  if (first == 4)
    return groupLength(2) <= 2 && isYear(value(0, 4)) && value(4, 4 + groupLength(1)) <= 31;
  return first <= 2 && groupLength(2) == 4 && value(0, first) <= 31;
}

function isYear(number: u32): bool {
  return number >= 1900 && number < 2100;
}

/** Whether all groups have four digits, as those of a dump or a list of characters have. */
function isDump(): bool {
  for (let i: u32 = 0; i < groups; i++) if (groupLength(i) != 4) return false;
  return true;
}

/** Whether one of the countries in which the word's language is spoken has the number. */
function isOfLanguage(length: u32): bool {
  if (phoneLanguage == ANY) return false;
  for (let region = phoneRegions(); load<u16>(region) != 0; region += 2) {
    if (isNational(load<u16>(region), 0, length)) return true;
  }
  return false;
}

/** Proposes the national number of the groups at `p`, which stands beside a word for it. */
function nationalAt(p: u32): void {
  if (isDate()) return;
  for (let number = groups; number > 0; number--) {
    const length = digitsIn(number);
    const stop = groupEnd(number - 1);
    if (length < 7 || length > DIGITS_MAX) continue;
    const tail = tailOf(stop);
    if (tail == 0) continue;
    for (let i: u32 = 0; i < length; i++) store<u8>(digits + i, <u8>digit(i));
    if (isOfLanguage(length)) return propose(PHONE, p, tail, VALID);
    const isDialled = digit(0) == 0 && (length >= 9 || phoneLanguage == ANY);
    const isLikely = number > 1 || isDialled || (length >= 10 && phoneLanguage == ANY);
    if (isLikely) return propose(PHONE, p, tail, NAMED);
  }
}

/** Proposes the number that the groups read at `p` begin with. */
export function phoneAtDigit(p: u32): void {
  // The country code follows the prefix at once; `00 65 00 75` is a dump of bytes.
  if (digit(0) == 0 && groupLength(0) > 2 && digit(1) == 0) {
    if (!isDump()) internationalFrom(p, p + 2, 2);
    if (groupLength(0) > 3) return;
  }
  if (continues(p)) return;
  const first: u32 = groupLength(0) == 1 && digit(0) == 1 ? 1 : 0;
  if (isNorthAmerican(first) && evenlySeparated(first + 3) && groupSeparator(0) != SPACE) {
    const tail = tailOf(groupEnd(first + 2));
    if (tail != 0) {
      for (let i: u32 = 0; i < first + 10; i++) store<u8>(digits + i, <u8>digit(i));
      propose(PHONE, p, tail, northAmericanScore(first));
    }
  }
  if (near(PHONE, p, WORD_WITHIN)) nationalAt(p);
}
