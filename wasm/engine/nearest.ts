// The binary64 nearest to a decimal number of any length (ties to even).

import { mark, release } from '../common/arena';
import { nearestDouble } from '../common/decimal';
import { digitCount, digitsFrom, digitsTo, negative, power, readDecimal } from './decimal';
import { exponentOf, floatOf, mantissaOf } from './float';
import {
  bitsOf,
  divideNatural,
  isZero,
  limb,
  limbsOf,
  multiplyNatural,
  remainder,
  shiftLeft,
} from './natural';
import { naturalOfDigits, powerOfFive } from './natural-text';

/** Every whole number up to here is a binary64. */
const EXACT_MAX: u64 = 9007199254740992;
/** The largest power of ten that is exactly a binary64. */
const EXACT_POWER: i32 = 22;
/** More digits than `nearestDouble` takes. */
const SHORT_DIGITS: u32 = 17;
/** No more digits than these decide between two binary64, but for whether others follow. */
const DIGITS_MAX: u32 = 800;

function tens(count: i32): f64 {
  let value: f64 = 1;
  for (let i = 0; i < count; i++) value *= 10;
  return value;
}

/** The nearest binary64 of a number's text; infinite when it is too large. */
export function nearest(pointer: u32, length: u32): f64 {
  readDecimal(pointer, length);
  const minus = negative;
  const value = magnitude();
  return minus ? -value : value;
}

function magnitude(): f64 {
  if (digitCount == 0 || power < -330) return 0;
  if (power > 310) return Infinity;
  if (digitCount > SHORT_DIGITS) return longMagnitude();
  let digits: u64 = 0;
  for (let p = digitsFrom; p < digitsTo; p++) {
    const digit = <u32>load<u8>(p) - 0x30;
    if (digit <= 9) digits = digits * 10 + digit;
  }
  const exponent = power - <i32>digitCount;
  if (digits <= EXACT_MAX && exponent >= -EXACT_POWER && exponent <= EXACT_POWER) {
    const exact = <f64>digits;
    return exponent < 0 ? exact / tens(-exponent) : exact * tens(exponent);
  }
  return exponent < 0 ? reinterpret<f64>(nearestDouble(digits, -exponent)) : longMagnitude();
}

/** The same by exact arithmetic, for the numbers that need it. */
function longMagnitude(): f64 {
  const point = mark();
  const cut = digitCount > DIGITS_MAX;
  // The point among the digits counts as one of them here, which does no harm.
  const to = cut ? digitsFrom + DIGITS_MAX : digitsTo;
  let count: u32 = 0;
  for (let p = digitsFrom; p < to; p++) if (load<u8>(p) != 0x2e) count += 1;
  const digits = naturalOfDigits(digitsFrom, to, 0);
  const exponent = power - <i32>count;
  let value: f64;
  if (exponent >= 0) {
    const fives = multiplyNatural(digits, powerOfFive(exponent));
    value = binary(fives, exponent, cut);
  } else {
    const divisor = powerOfFive(-exponent);
    const wanted = 66 + <i32>bitsOf(divisor) - <i32>bitsOf(digits);
    const shift: u32 = wanted > 0 ? wanted : 0;
    const quotient = divideNatural(shiftLeft(digits, shift), divisor);
    value = binary(quotient, exponent - <i32>shift, cut || !isZero(remainder));
  }
  release(point);
  return value;
}

/** mantissa * 2^exponent as binary64, subnormal ones with as many bits as they have. */
function binary(mantissa: u32, exponent: i32, sticky: bool): f64 {
  const top = <i32>bitsOf(mantissa) + exponent;
  const precision = min(53, top + 1074);
  if (precision < 0) return 0;
  const rounded = floatOf(false, mantissa, exponent, precision, sticky);
  let value: u64 = 0;
  const limbs = mantissaOf(rounded);
  if (limbsOf(limbs) > 0) value = limb(limbs, 0);
  if (limbsOf(limbs) > 1) value |= (<u64>limb(limbs, 1)) << 32;
  let power = exponentOf(rounded);
  // An exact mantissa may be shorter than its exponent allows for; a power of two alone is always exact.
  while (power > 971 && value < 0x10000000000000) {
    value <<= 1;
    power -= 1;
  }
  if (power > 971) return Infinity;
  return <f64>value * powerOfTwo(power);
}

function powerOfTwo(exponent: i32): f64 {
  if (exponent >= -1022) return reinterpret<f64>((<u64>(exponent + 1023)) << 52);
  return reinterpret<f64>((<u64>1) << (<u64>(exponent + 1074)));
}
