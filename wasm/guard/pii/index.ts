// The scanner of personal data: each byte that a number or an address can begin at goes to the matchers that know it.

import { report } from '../findings';
import { PII } from '../scanners';
import { birthAt } from './birth';
import { clearCandidate, kind, score, start, stop } from './candidate';
import { cardAt } from './card';
import { resetContext, shiftContext } from './context';
import { emailAt, isLocal, LOCAL_MAX } from './email';
import { ibanAt } from './iban';
import { apartIdentityAt, identityAt, letteredIdentityAt } from './ids/index';
import { addressAt, longAddressAt } from './ip';
import { hasDigits, readGroups } from './numbers';
import { passportAt } from './passport';
import { phoneAtDigit, phoneAtParenthesis, phoneAtPlus, resetPhones } from './phone';
import {
  ALNUM,
  at,
  begin,
  boundary,
  classes,
  count,
  DIGIT,
  end,
  feed,
  HEX,
  is,
  isEscapeLetter,
  LETTER,
  openText,
  starved,
  TRIGGER,
} from './text';
import { base58At, bech32At, ethereumAt } from './wallet';

/** The fewest digits of a number whose groups are read: a national telephone number. */
const DIGITS_MIN: u32 = 7;
/** At most so many letters stand before the first digit of what begins with letters. */
const LETTERS_MAX: u32 = 6;
/** A word before a space that a finding may begin with has at most so many letters: a month's name. */
const WORD_MAX: u32 = 9;
/** A number with fewer digits needs something after it. */
const SHORT: u32 = 6;
/** Inside a finding from this score on nothing more is looked for. */
const SURE: u32 = 850;

/** All before is judged. */
let cursor: u32 = 0;
let held: u32 = 0;
/** Where the last sure finding ended. */
let foundEnd: u32 = 0;

/** Forgets the last text. */
export function resetPii(): void {
  cursor = 0;
  held = 0;
  foundEnd = 0;
  resetContext();
  resetPhones();
}

/** The text has moved down by `delta` bytes. */
export function shiftPii(delta: usize): void {
  cursor -= <u32>delta;
  held -= <u32>delta;
  foundEnd = foundEnd > <u32>delta ? foundEnd - <u32>delta : 0;
  shiftContext(<u32>delta);
}

/**
 * Judges the text `[from, to)` as far as it is certain, all of it with `last`; returns where what is reported
 * later begins at the earliest. A place is judged again when its matchers asked for bytes that were not there.
 */
export function advancePii(from: usize, to: usize, last: bool): usize {
  openText(<u32>from, <u32>to);
  if (cursor < begin) cursor = begin;
  let p = cursor;
  while (p < end) {
    if ((<u32>load<u8>(classes + load<u8>(p)) & TRIGGER) == 0) {
      p = nextTrigger(p + 1);
      continue;
    }
    feed();
    clearCandidate();
    judge(p);
    if (starved && !last) break;
    if (score > 0) {
      report(start, stop, PII, kind, score);
      if (score >= SURE) foundEnd = max(foundEnd, stop);
    }
    p++;
  }
  cursor = p;
  if (last) return to;
  held = max(held, earliestBegin(p));
  return held;
}

/** The next byte that a matcher may begin at, or `end`; sixteen bytes at a time. */
function nextTrigger(from: u32): u32 {
  let p = from;
  while (p + 16 <= end) {
    const bytes = v128.load(p);
    const digits = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x30)), i8x16.splat(10));
    const at = i8x16.eq(bytes, i8x16.splat(0x40));
    const plus = i8x16.eq(bytes, i8x16.splat(0x2b));
    const parenthesis = i8x16.eq(bytes, i8x16.splat(0x28));
    const found = v128.or(v128.or(digits, at), v128.or(plus, parenthesis));
    const places = i8x16.bitmask(found);
    if (places != 0) return p + ctz(places);
    p += 16;
  }
  while (p < end && (<u32>load<u8>(classes + load<u8>(p)) & TRIGGER) == 0) p++;
  return p;
}

/** Where a finding that is made at `p` or later begins at the earliest: a local part, or a word and a space before. */
function earliestBegin(p: u32): u32 {
  let q = p;
  while (q > begin && p - q < LOCAL_MAX && isLocal(q - 1)) q--;
  count(p - q);
  if (at(q - 1) != 0x20) return q;
  let word = q - 1;
  while (word > begin && q - word <= WORD_MAX + 1 && is(word - 1, LETTER)) word--;
  return q - 1 - word <= WORD_MAX ? word : q;
}

function judge(p: u32): void {
  const byte: u32 = load<u8>(p);
  if (byte == 0x40) return emailAt(p);
  if (p < foundEnd) return;
  if (byte == 0x2b) phoneAtPlus(p);
  else if (byte == 0x28) phoneAtParenthesis(p);
  else if (!is(p - 1, DIGIT)) digitAt(p);
}

/** At the first digit of a run: a number, or a word of letters and digits. */
function digitAt(p: u32): void {
  let from = p;
  while (from > begin && p - from <= LETTERS_MAX && is(from - 1, LETTER)) from--;
  if (isEscapeLetter(from)) from++;
  if (p - from > LETTERS_MAX || !boundary(from)) {
    if (boundary(p)) numberAt(p);
    return;
  }
  if (from == p) return numberAt(p);
  if (boundary(p)) numberAt(p);
  const letters = p - from;
  if (letters == 2) {
    ibanAt(from);
    if (at(p) == 0x31) bech32At(p);
  }
  letteredIdentityAt(p, letters);
  if (letters <= 3) passportAt(from);
}

/** At the first digit of a word that begins with it. */
function numberAt(p: u32): void {
  if (isAlone(p)) return;
  // The fraction of a decimal number, or a part of a longer dotted one.
  if (at(p - 1) == 0x2e && is(p - 2, DIGIT)) return;
  const byte = at(p);
  if (byte == 0x31 || byte == 0x33) base58At(p);
  else if (byte == 0x30) ethereumAt(p);
  if ((byte == 0x32 || byte == 0x33) && is(p + 3, HEX) && at(p + 4) == 0x3a) longAddressAt(p);
  dottedAt(p);
  birthAt(p);
  apartIdentityAt(p);
  // But for what follows the prefix `00`, and Finnish codes, numbers have seven digits in a row of groups.
  if (!(byte == 0x30 && at(p + 1) == 0x30) && !hasDigits(p, DIGITS_MIN) && !isSplit(p)) return;
  passportAt(p);
  readGroups(p);
  cardAt(p);
  identityAt(p);
  phoneAtDigit(p);
}

/** Whether at most five digits stand at `p` and what follows is no part of any number: most numbers of a text. */
function isAlone(p: u32): bool {
  let q = p + 1;
  while (q < p + SHORT && is(q, DIGIT)) q++;
  if (q == p + SHORT) return false;
  const after = at(q);
  if (after >= 0x80 || is(q, ALNUM)) return false;
  return after != 0x20 && (after < 0x2b || after > 0x2f) && after != 0x3a;
}

/** Whether a letter or a plus sign stands after six digits and digits follow it. */
function isSplit(p: u32): bool {
  return is(p + 5, DIGIT) && (is(p + 6, LETTER) || at(p + 6) == 0x2b) && is(p + 7, DIGIT);
}

function dottedAt(p: u32): void {
  for (let q = p + 1; q < p + 4; q++) {
    if (at(q) == 0x2e) return addressAt(p);
    if (!is(q, DIGIT)) return;
  }
}
