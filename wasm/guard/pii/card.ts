// Payment card numbers (the PII scanner): issuer range, length for that issuer, grouping and the Luhn digit (ISO/IEC 7812-1).

import { offer } from './candidate';
import { isRepeated, luhn } from './checks';
import { CREDIT_CARD } from './kinds';
import { digit, digitsIn, evenlySeparated, groupEnd, groupLength, groups, value } from './numbers';
import { ALNUM, at, DIGIT, is } from './text';

/** Range, length, grouping and check digit are all right. */
const CHECKED: u32 = 940;
const NAMED: u32 = 990;

function within(number: u32, first: u32, last: u32): bool {
  return number >= first && number <= last;
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
  const two = value(0, 2);
  const three = value(0, 3);
  const four = value(0, 4);
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

/** Proposes the card number that the groups read at `p` begin with. */
export function cardAt(p: u32): void {
  if (digitsIn(groups) < 12) return;
  for (let number = min(groups, 5); number > 0; number--) {
    const length = digitsIn(number);
    const stop = groupEnd(number - 1);
    if (length < 12 || length > 19 || is(stop, ALNUM)) continue;
    // A fraction such as 4111111111111111.5 is no card.
    if (number == 1 && at(stop) == 0x2e && is(stop + 1, DIGIT)) continue;
    if (!isGrouped(number) || !isIssued(length)) continue;
    if (!luhn(0, length) || isRepeated(length)) continue;
    offer(CREDIT_CARD, p, stop, CHECKED, NAMED);
    return;
  }
}
