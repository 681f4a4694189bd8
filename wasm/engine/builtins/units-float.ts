// Floating-point numbers of 64 bits of mantissa, rounded as Go's big.Float with that precision: units.parse_bytes.

import { amountDigits, amountExponent, amountLength } from './units-amount';
import {
  bitLength,
  isAtLeast,
  isZero,
  multiplyByPower,
  naturalOf,
  newNatural,
  shiftLeft,
  subtract,
} from './units-natural';

/** The number is mantissa * 2 ** exponent. */
export let mantissa: u64 = 0;
export let exponent: i32 = 0;

/** Rounds to the even one of the two nearest; `half` is the first bit left out, `rest` whether one behind it is set. */
function round(half: bool, rest: bool): void {
  if (!half || (!rest && (mantissa & 1) == 0)) return;
  mantissa++;
  if (mantissa != 0) return;
  mantissa = 0x8000000000000000;
  exponent++;
}

/** Makes the number the amount read last, which is not 0 and whose digits are few (see DIGITS_MAX). */
export function setToAmount(): void {
  const dividend = naturalOf(amountDigits, amountLength);
  const divisor = newNatural(1);
  if (amountExponent > 0) multiplyByPower(dividend, amountExponent);
  else multiplyByPower(divisor, -amountExponent);
  // Brings the quotient between 1 and 2.
  exponent = <i32>bitLength(dividend) - <i32>bitLength(divisor);
  if (exponent > 0) shiftLeft(divisor, exponent);
  else shiftLeft(dividend, -exponent);
  if (!isAtLeast(dividend, divisor)) {
    shiftLeft(dividend, 1);
    exponent--;
  }
  exponent -= 63;
  mantissa = 0;
  for (let bit = 0; bit < 64; bit++) mantissa = (mantissa << 1) | <u64>takeBit(dividend, divisor);
  const half = takeBit(dividend, divisor);
  round(half, !isZero(dividend));
}

/** The next bit of the quotient. */
function takeBit(dividend: u32, divisor: u32): bool {
  const bit = isAtLeast(dividend, divisor);
  if (bit) subtract(dividend, divisor);
  shiftLeft(dividend, 1);
  return bit;
}

/** Multiplies the number by a whole one. */
export function multiplyBy(factor: u64): void {
  const low = (mantissa & 0xffffffff) * (factor & 0xffffffff);
  const middle = (mantissa >> 32) * (factor & 0xffffffff) + (low >> 32);
  const other = (mantissa & 0xffffffff) * (factor >> 32) + (middle & 0xffffffff);
  const high = (mantissa >> 32) * (factor >> 32) + (middle >> 32) + (other >> 32);
  const lower = (other << 32) | (low & 0xffffffff);
  if (high == 0) {
    mantissa = lower;
    return;
  }
  const bits = <u32>(64 - clz(high));
  exponent += bits;
  mantissa = bits == 64 ? high : (high << (64 - bits)) | (lower >> bits);
  const left = lower << (64 - bits);
  round(left >> 63 != 0, left << 1 != 0);
}
