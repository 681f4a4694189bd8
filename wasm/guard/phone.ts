// Telephone numbers (the PII scanner): international, North American, and national ones beside a word that says so.

import { report } from './findings';
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
  separatorAt,
} from './numbers';
import { PII } from './scanners';
import { ALNUM, at, DIGIT, is, letterWithin, run, wordWithin } from './text';

/** E.164: at most 15 digits; the shortest in use with a country code have 8. */
const DIGITS_MIN: u32 = 8;
const DIGITS_MAX: u32 = 15;
const KEYWORD_WITHIN: u32 = 24;
const NORTH_AMERICA_DIGITS: u32 = 11;

const national: u32 = <u32>memory.data(16);

/** Whether the three digits could be an area or exchange code: first 2 to 9, not N11 (NANPA). */
function isCode(a: u32, b: u32, c: u32): bool {
  return a >= 2 && !(b == 1 && c == 1);
}

function isCodeAt(p: u32): bool {
  return isCode(at(p) - 0x30, at(p + 1) - 0x30, at(p + 2) - 0x30);
}

/** Whether `+` and these digits begin with a country code that the ITU assigned (E.164 annex). */
function isCountryCode(first: u32, second: u32): bool {
  const two = first * 10 + second;
  return first != 0 && two != 28 && two != 83 && two != 89;
}

function isInternational(length: u32): bool {
  if (length < DIGITS_MIN || length > DIGITS_MAX) return false;
  const first: u32 = load<u8>(national);
  if (!isCountryCode(first, load<u8>(national, 1))) return false;
  if (first != 1) return true;
  return length == NORTH_AMERICA_DIGITS && isCodeOf(1) && isCodeOf(4);
}

function isCodeOf(index: u32): bool {
  return isCode(
    load<u8>(national + index),
    load<u8>(national + index, 1),
    load<u8>(national + index, 2),
  );
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

/** Reports the international number with the prefix (`+` or `00`) at `p`, its digits at `from`; returns its end, or 0. */
function internationalFrom(p: u32, from: u32, groupsMin: u32): u32 {
  let q = from;
  let length: u32 = 0;
  let seen: u32 = 0;
  let stop: u32 = 0;
  while (true) {
    const groupStop = run(q, DIGIT, DIGITS_MAX + 1);
    if (length + groupStop - q > DIGITS_MAX) break;
    for (; q < groupStop; q++) store<u8>(national + length++, at(q) - 0x30);
    seen++;
    if (!is(q, ALNUM) && seen >= groupsMin && isInternational(length)) stop = q;
    const gap = gapAt(q);
    if (gap == 0) break;
    q += gap;
  }
  if (stop == 0) return 0;
  report(p, stop, PII, PHONE, 1000);
  return stop;
}

/** Reports the number at the `+` at `p`; returns its end, or 0. */
export function phoneAtPlus(p: u32): u32 {
  if (is(p - 1, ALNUM) || at(p - 1) == 0x2b) return 0;
  const from = at(p + 1) == 0x28 ? p + 2 : p + 1;
  return is(from, DIGIT) ? internationalFrom(p, from, 1) : 0;
}

/** Reports the North American number whose area code is in the parentheses at `p`; returns its end, or 0. */
export function phoneAtParenthesis(p: u32): u32 {
  if (run(p + 1, DIGIT, 4) != p + 4 || at(p + 4) != 0x29 || !isCodeAt(p + 1)) return 0;
  const exchange = p + 5 + separatorAt(p + 5);
  if (run(exchange, DIGIT, 4) != exchange + 3 || !isCodeAt(exchange)) return 0;
  const gap = separatorAt(exchange + 3);
  const line = exchange + 3 + gap;
  const stop = line + 4;
  if (gap == 0 || run(line, DIGIT, 5) != stop || is(stop, ALNUM) || goesOn(stop)) return 0;
  report(p, stop, PII, PHONE, 1000);
  return stop;
}

/** Whether the groups from `first` are an area code, an exchange code and a line number. */
function isNorthAmerican(first: u32): bool {
  if (groups < first + 3 || groupLength(first) != 3) return false;
  if (groupLength(first + 1) != 3 || groupLength(first + 2) != 4) return false;
  return (
    isCode(digit(first), digit(first + 1), digit(first + 2)) &&
    isCode(digit(first + 3), digit(first + 4), digit(first + 5))
  );
}

function hasKeyword(p: u32): bool {
  const from = p - KEYWORD_WITHIN;
  if (!letterWithin(from, p)) return false;
  return (
    wordWithin(from, p, 'phone') ||
    wordWithin(from, p, 'tel') ||
    wordWithin(from, p, 'mobile') ||
    wordWithin(from, p, 'cell') ||
    wordWithin(from, p, 'fax') ||
    wordWithin(from, p, 'whatsapp') ||
    wordWithin(from, p, 'call') ||
    wordWithin(from, p, 'dial')
  );
}

/** Whether the groups are a date (2026-11-21, 21.11.2026) and not a number to dial. */
function isDate(): bool {
  if (groups < 3 || groupLength(1) > 2) return false;
  return groupLength(0) == 4 ? groupLength(2) <= 2 : groupLength(0) <= 2 && groupLength(2) == 4;
}

/** How many groups of the national number beside its keyword, 0 when it is none. */
function nationalGroups(): u32 {
  if (isDate()) return 0;
  for (let number = groups; number > 0; number--) {
    const length = digitsIn(number);
    if (length < 7 || length > DIGITS_MAX || is(groupEnd(number - 1), ALNUM)) continue;
    if (number > 1 || digit(0) == 0 || length >= 10) return number;
  }
  return 0;
}

/** Reports the number that the groups read at `p` begin with; returns its end, or 0. */
export function phoneAtDigit(p: u32): u32 {
  // The country code follows the prefix at once; `00 65 00 75` is a dump of bytes.
  if (digit(0) == 0 && groupLength(0) > 2 && digit(1) == 0) return internationalFrom(p, p + 2, 2);
  let number: u32 = 0;
  const first: u32 = groupLength(0) == 1 && digit(0) == 1 ? 1 : 0;
  if (isNorthAmerican(first) && evenlySeparated(first + 3) && groupSeparator(0) != 0x20) {
    number = first + 3;
  } else {
    // The digits first: in text full of numbers, looking for a word at each would cost the most.
    number = nationalGroups();
    if (number > 0 && !hasKeyword(p)) number = 0;
  }
  if (number == 0 || continues(p)) return 0;
  const stop = groupEnd(number - 1);
  if (is(stop, ALNUM) || goesOn(stop)) return 0;
  report(p, stop, PII, PHONE, 1000);
  return stop;
}
