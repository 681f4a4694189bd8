// The binary64 nearest to a decimal number of any length (ties to even).

import { nearestDouble } from '../common/decimal';
import { digitCount, digitsFrom, digitsTo, negative, power, readDecimal } from './decimal';

/** Every whole number up to here is a binary64. */
const EXACT_MAX: u64 = 9007199254740992;
/** The largest power of ten that is exactly a binary64. */
const EXACT_POWER: i32 = 22;

function tens(count: i32): f64 {
  let value: f64 = 1;
  for (let i = 0; i < count; i++) value *= 10;
  return value;
}

/** The nearest binary64 of a number's text; infinite when it is too large. */
export function nearest(pointer: u32, length: u32): f64 {
  readDecimal(pointer, length);
  const value = magnitude();
  return negative ? -value : value;
}

function magnitude(): f64 {
  if (digitCount == 0 || power < -330) return 0;
  if (power > 310) return Infinity;
  let digits: u64 = 0;
  let count: u32 = 0;
  for (let p = digitsFrom; p < digitsTo && count < 17; p++) {
    const digit = <u32>load<u8>(p) - 0x30;
    if (digit > 9) continue;
    digits = digits * 10 + digit;
    count += 1;
  }
  const exponent = power - <i32>count;
  if (digits <= EXACT_MAX && exponent >= -EXACT_POWER && exponent <= EXACT_POWER) {
    const exact = <f64>digits;
    return exponent < 0 ? exact / tens(-exponent) : exact * tens(exponent);
  }
  if (exponent < 0) return reinterpret<f64>(nearestDouble(digits, -exponent));
  let value = <f64>digits;
  for (let i = 0; i < exponent; i++) value *= 10;
  return value;
}
