// Payment card numbers (the PII scanner): issuer range, length for that issuer, grouping and the Luhn digit (ISO/IEC 7812-1).

import { report } from './findings';
import { CREDIT_CARD } from './kinds';
import { digit, digitsIn, evenlySeparated, groupEnd, groupLength, groups } from './numbers';
import { PII } from './scanners';
import { ALNUM, at, DIGIT, is } from './text';

/** The first `length` digits as a number. */
function leading(length: u32): u32 {
  let value: u32 = 0;
  for (let i: u32 = 0; i < length; i++) value = value * 10 + digit(i);
  return value;
}

function within(value: u32, first: u32, last: u32): bool {
  return value >= first && value <= last;
}

function isMaestro(four: u32): bool {
  return (
    four == 5018 ||
    four == 5020 ||
    four == 5038 ||
    four == 5893 ||
    four == 6304 ||
    four == 6759 ||
    within(four, 6761, 6763)
  );
}

/** Whether an issuer whose range covers the leading digits issues numbers of `length` digits. */
function isIssued(length: u32): bool {
  const two = leading(2);
  const three = leading(3);
  const four = leading(4);
  if (digit(0) == 4) return length == 13 || length == 16 || length == 19; // Visa
  if (two == 34 || two == 37) return length == 15; // American Express
  if (within(two, 51, 55) || within(four, 2221, 2720)) return length == 16; // Mastercard
  if (within(three, 300, 305) || three == 309 || two == 36 || two == 38 || two == 39) {
    return within(length, 14, 19); // Diners Club
  }
  if (within(four, 3528, 3589)) return within(length, 16, 19); // JCB
  if (within(four, 2200, 2204)) return within(length, 16, 19); // Mir
  if (isMaestro(four)) return within(length, 12, 19);
  if (four == 6011 || within(three, 644, 649) || two == 65) return within(length, 16, 19); // Discover
  if (two == 62 || two == 81) return within(length, 16, 19); // UnionPay
  return two == 60 || two == 82 || three == 508 || three == 353 || three == 356
    ? length == 16
    : false; // RuPay
}

/** Whether the digits' Luhn sum is a multiple of ten, and not all digits are the same. */
function checks(length: u32): bool {
  let sum: u32 = 0;
  let same = true;
  for (let i: u32 = 0; i < length; i++) {
    let value = digit(length - 1 - i);
    if (value != digit(0)) same = false;
    if ((i & 1) == 1) {
      value *= 2;
      if (value > 9) value -= 9;
    }
    sum += value;
  }
  return sum % 10 == 0 && !same;
}

/** Whether the first `number` groups are how a card is written: one, fours, 4-6-5 or 4-6-4. */
function isGrouped(number: u32): bool {
  if (number == 1) return true;
  if (!evenlySeparated(number)) return false;
  if (number == 3 && groupLength(0) == 4 && groupLength(1) == 6) {
    return within(groupLength(2), 4, 5);
  }
  for (let i: u32 = 0; i + 1 < number; i++) if (groupLength(i) != 4) return false;
  return groupLength(number - 1) <= 4;
}

/** Reports the card number that the groups read at `p` begin with; returns its end, or 0. */
export function cardAt(p: u32): u32 {
  if (digitsIn(groups) < 12) return 0;
  for (let number = min(groups, 5); number > 0; number--) {
    const length = digitsIn(number);
    const stop = groupEnd(number - 1);
    if (length < 12 || length > 19 || is(stop, ALNUM)) continue;
    // A fraction such as 4111111111111111.5 is no card.
    if (number == 1 && at(stop) == 0x2e && is(stop + 1, DIGIT)) continue;
    if (!isGrouped(number) || !isIssued(length) || !checks(length)) continue;
    report(p, stop, PII, CREDIT_CARD, 1000);
    return stop;
  }
  return 0;
}
