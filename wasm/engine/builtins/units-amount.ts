// Splits "1.5e3MiB" into amount and unit (OPA's extractNumAndUnit), and reads the amount as digits and an exponent.

import { alloc } from '../../common/arena';

/** Exponents with more digits are refused by OPA. */
const EXPONENT_DIGITS_MAX: u32 = 6;

/** Where the amount ends and the unit begins, after `splitAmount`. */
export let unitStart: u32 = 0;

function isDigitAt(p: u32, end: u32): bool {
  return p < end && load<u8>(p) >= 0x30 && load<u8>(p) <= 0x39;
}

function isSignAt(p: u32, end: u32): bool {
  return p < end && (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d);
}

/** Finds the end of the amount; false when its exponent is too long. */
export function splitAmount(start: u32, end: u32): bool {
  let p = start;
  for (; p < end; p++) {
    if ((load<u8>(p) | 0x20) == 0x65) {
      const signed = isSignAt(p + 1, end);
      // An e without a number behind it begins a unit.
      if (!signed && !isDigitAt(p + 1, end)) break;
      if (signed) p++;
      let digits = p + 1;
      while (isDigitAt(digits, end)) digits++;
      if (digits - p - 1 > EXPONENT_DIGITS_MAX) return false;
    } else if (!isDigitAt(p, end) && load<u8>(p) != 0x2e && !isSignAt(p, end)) {
      break;
    }
  }
  unitStart = p;
  return true;
}

/** The amount read last is the number of these digits (values 0 to 9, no leading zero) times 10 ** exponent. */
export let amountDigits: u32 = 0;
export let amountLength: u32 = 0;
export let amountExponent: i32 = 0;
export let amountIsNegative: bool = false;

/** Reads an amount: a sign, digits with a point anywhere, an exponent. False when it is none. */
export function readAmount(start: u32, end: u32): bool {
  let p = start;
  amountIsNegative = isSignAt(p, end) && load<u8>(p) == 0x2d;
  if (isSignAt(p, end)) p++;
  amountDigits = alloc(end - start);
  amountLength = 0;
  amountExponent = 0;
  let seen = false;
  let point = false;
  for (; p < end; p++) {
    if (!point && load<u8>(p) == 0x2e) {
      point = true;
      continue;
    }
    if (!isDigitAt(p, end)) break;
    seen = true;
    if (point) amountExponent--;
    const digit = <u32>load<u8>(p) - 0x30;
    if (digit == 0 && amountLength == 0) continue;
    store<u8>(amountDigits + amountLength, digit);
    amountLength++;
  }
  if (!seen) return false;
  if (p == end) return true;
  if ((load<u8>(p) | 0x20) != 0x65) return false;
  p++;
  const negative = isSignAt(p, end) && load<u8>(p) == 0x2d;
  if (isSignAt(p, end)) p++;
  if (!isDigitAt(p, end)) return false;
  let exponent: i32 = 0;
  // `splitAmount` has bounded the first run of digits.
  for (; isDigitAt(p, end); p++) exponent = exponent * 10 + <i32>load<u8>(p) - 0x30;
  amountExponent += negative ? -exponent : exponent;
  return p == end;
}
