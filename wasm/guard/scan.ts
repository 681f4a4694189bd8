// Runs the scanners over a text or over the pieces of one.

import {
  assignmentAt,
  awsSecretAt,
  azureClientAt,
  azureStorageAt,
  resetAssigned,
} from './assigned';
import { cardAt } from './card';
import { emailAt } from './email';
import { report, resetFindings } from './findings';
import { ibanAt } from './iban';
import { finishInvisible, invisibleAt, resetInvisible } from './invisible';
import { continues, hasDigits, readGroups } from './numbers';
import { phoneAtDigit, phoneAtParenthesis, phoneAtPlus } from './phone';
import { scanners } from './request';
import { INVISIBLE_TEXT, PII, SECRETS } from './scanners';
import { ssnAt } from './ssn';
import { jwtAt, privateKeyAt, urlCredentialsAt } from './structured';
import {
  ALNUM,
  at,
  BASE64,
  begin,
  boundary,
  count,
  DIGIT,
  end,
  is,
  LETTER,
  openText,
  resetWork,
} from './text';
import { tokenAt, tokenKind } from './tokens';

/** The fewest digits of a number that is reported: a national telephone number. */
const DIGITS_MIN: u32 = 7;

/** Where the last number or account number ended; nothing inside it is reported again. */
let numberEnd: u32 = 0;
/** Where the last token or key ended. */
let secretEnd: u32 = 0;

/** Forgets the last text. */
export function resetScan(): void {
  resetFindings();
  resetWork();
}

/**
 * Lets every scanner that was asked for judge `[begin, end)`, of which what they hold back from is new; returns the
 * least of what they hold: nothing reported later begins before. With `last` the text ends at `end`.
 */
export function advanceAll(begin: usize, end: usize, last: bool): usize {
  count(<u32>(end - begin));
  let held = end;
  // These three still need the whole text.
  if ((scanners & ((1 << INVISIBLE_TEXT) | (1 << PII) | (1 << SECRETS))) != 0) {
    if (last) scanText(<u32>begin, <u32>(end - begin));
    else held = begin;
  }
  return held;
}

/** Says that the text has moved down by `delta` bytes. */
export function shiftAll(_delta: usize): void {}

/** Scans `length` bytes of valid UTF-8; the answer is in findings.ts. */
function scanText(pointer: u32, length: u32): void {
  openText(pointer, length);
  resetInvisible();
  resetAssigned();
  numberEnd = 0;
  secretEnd = 0;
  let p = begin;
  while (p < end) {
    const byte: u32 = load<u8>(p);
    if (byte >= 0x80) {
      p = (scanners & (1 << INVISIBLE_TEXT)) != 0 ? invisibleAt(p) : p + 1;
      continue;
    }
    if ((scanners & (1 << PII)) != 0) personalAt(p, byte);
    if ((scanners & (1 << SECRETS)) != 0) secretAt(p, byte);
    p++;
  }
  finishInvisible();
}

function personalAt(p: u32, byte: u32): void {
  if (byte == 0x40) return emailAt(p);
  if (p < numberEnd) return;
  let stop: u32 = 0;
  if (is(p, DIGIT)) {
    if (!is(p - 1, DIGIT) && boundary(p)) stop = numberAt(p);
  } else if (byte == 0x2b) stop = phoneAtPlus(p);
  else if (byte == 0x28) stop = phoneAtParenthesis(p);
  else if (is(p, LETTER) && is(p + 2, DIGIT) && boundary(p)) stop = ibanAt(p);
  if (stop != 0) numberEnd = stop;
}

/** A card, social security or telephone number at the first digit of a number. */
function numberAt(p: u32): u32 {
  // The fraction of a decimal number.
  if (at(p - 1) == 0x2e && is(p - 2, DIGIT)) return 0;
  // Seven digits are the fewest of any number below, but for what follows the prefix `00`.
  if (!(at(p) == 0x30 && at(p + 1) == 0x30) && !hasDigits(p, DIGITS_MIN)) return 0;
  readGroups(p);
  const card = cardAt(p);
  if (card != 0) return card;
  if (!continues(p)) {
    const social = ssnAt(p);
    if (social != 0) return social;
  }
  return phoneAtDigit(p);
}

function secretAt(p: u32, byte: u32): void {
  if (byte == 0x3d || byte == 0x3a) return namedAt(p, byte);
  if (byte == 0x2e) return jwtAt(p);
  if (byte == 0x7e) return azureClientAt(p);
  if (p < secretEnd) return;
  if (byte == 0x2d) {
    if (at(p + 1) == 0x2d && at(p - 1) != 0x2d) secretEnd = max(secretEnd, privateKeyAt(p));
    return;
  }
  if (!is(p, ALNUM | BASE64)) return;
  if (!is(p - 1, ALNUM | BASE64)) awsSecretAt(p);
  if (!is(p, ALNUM) || !boundary(p)) return;
  const stop = tokenAt(p);
  if (stop == 0) return;
  report(p, stop, SECRETS, tokenKind(), 1000);
  secretEnd = stop;
}

/** Secrets known by what stands before an equals sign or a colon. */
function namedAt(p: u32, byte: u32): void {
  if (p < secretEnd) return;
  if (byte == 0x3a) urlCredentialsAt(p);
  else {
    const stop = azureStorageAt(p);
    if (stop != 0) {
      secretEnd = stop;
      return;
    }
  }
  assignmentAt(p);
}
