// Numbers of any size: from text and back, and their order (OPA's ast.NumberCompare), without loss.

import { alloc } from '../common/arena';
import {
  compareDecimals,
  integral,
  integralValue,
  power,
  readDecimal,
  scientific,
} from './decimal';
import { floatOfBits } from './float';
import { numberOfFloat } from './float-text';
import { nearest } from './nearest';
import { finished, mixed } from './text';
import {
  INTEGER,
  integer,
  integerOf,
  isInteger,
  Kind,
  NUMBER_LENGTH,
  NUMBER_TEXT,
  newString,
  textOf,
  VALUE,
} from './value';

/** More digits than an i64 certainly holds. */
const SAFE_DIGITS: u32 = 18;
/** Below this, Go's `%g` and the digits of the integer stand for the same number. */
const SAFE_INTEGER: f64 = 9007199254740992;
const NEGATIVE_ZERO: u64 = 0x8000000000000000;
/** OPA refuses numbers whose binary exponent passes 100,000: this many decimal digits before or behind the point. */
const POWER_MAX: i32 = 30103;

function digitAt(p: u32, end: u32): u32 {
  return p < end ? <u32>load<u8>(p) - 0x30 : 10;
}

/** Where a JSON number (RFC 8259 section 6) that begins here ends, or 0. */
export function scanJsonNumber(start: u32, end: u32): u32 {
  let p = start;
  if (p < end && load<u8>(p) == 0x2d) p += 1;
  const first = digitAt(p, end);
  if (first > 9) return 0;
  p += 1;
  if (first != 0) while (digitAt(p, end) <= 9) p += 1;
  else if (digitAt(p, end) <= 9) return 0;
  if (p < end && load<u8>(p) == 0x2e) {
    p += 1;
    if (digitAt(p, end) > 9) return 0;
    while (digitAt(p, end) <= 9) p += 1;
  }
  if (p < end && (load<u8>(p) | 0x20) == 0x65) {
    p += 1;
    if (p < end && (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d)) p += 1;
    if (digitAt(p, end) > 9) return 0;
    while (digitAt(p, end) <= 9) p += 1;
  }
  return p;
}

/** A number of a JSON number's text, kept as it is; 0 when it is none, or too large or small to compute with. */
export function numberFromText(pointer: u32, length: u32): u32 {
  if (scanJsonNumber(pointer, pointer + length) != pointer + length || length == 0) return 0;
  return numberOfScanned(pointer, length);
}

/** As `numberFromText`, for text that `scanJsonNumber` took: 0 only when it is too large or small. */
export function numberOfScanned(pointer: u32, length: u32): u32 {
  const negative = load<u8>(pointer) == 0x2d;
  const digits = length - <u32>negative;
  if (digits <= SAFE_DIGITS + 1) {
    const start = pointer + <u32>negative;
    let value: u64 = 0;
    let i: u32 = 0;
    for (; i < digits; i++) {
      const digit = <u32>load<u8>(start + i) - 0x30;
      if (digit > 9) break;
      value = value * 10 + digit;
    }
    // Nineteen digits fit in a u64, but not all of them in an i64; `-0` is written otherwise than 0.
    if (i == digits && value <= <u64>i64.MAX_VALUE && (value != 0 || !negative)) {
      return integer(negative ? -(<i64>value) : <i64>value);
    }
  }
  const number = numberWithText(pointer, length);
  return scientific && (power > POWER_MAX || power < -POWER_MAX) ? 0 : number;
}

/** A number of a finite binary64, written as Go's `%g` with as few digits as can be. */
export function numberFromF64(number: f64): u32 {
  const bits = reinterpret<u64>(number);
  if (floor(number) == number && abs(number) < SAFE_INTEGER && bits != NEGATIVE_ZERO) {
    return integer(<i64>number);
  }
  return numberOfFloat(floatOfBits(bits));
}

/** A number with a copy of this text, which is a number's. */
export function numberWithText(pointer: u32, length: u32): u32 {
  const value = alloc(NUMBER_TEXT + length);
  store<u64>(value, Kind.Number);
  store<f64>(value, nearest(pointer, length), VALUE);
  store<u32>(value, length, NUMBER_LENGTH);
  memory.copy(value + NUMBER_TEXT, pointer, length);
  return value;
}

/** The nearest binary64 of a number; infinite when it is too large. */
export function toF64(value: u32): f64 {
  return isInteger(value) ? <f64>integerOf(value) : load<f64>(value, VALUE);
}

/** Whether a number is a whole one that an i64 holds, however it is written. */
export function fitsI64(value: u32): bool {
  if (isInteger(value)) return true;
  readDecimal(value + NUMBER_TEXT, load<u32>(value, NUMBER_LENGTH));
  return integral();
}

/** The i64 of a number that `fitsI64`. */
export function toI64(value: u32): i64 {
  if (isInteger(value)) return integerOf(value);
  readDecimal(value + NUMBER_TEXT, load<u32>(value, NUMBER_LENGTH));
  return integralValue();
}

/** Writes an integer's digits; returns where they end. At most 20 bytes. */
export function writeI64(number: i64, at: u32): u32 {
  let out = at;
  let rest = <u64>number;
  if (number < 0) {
    store<u8>(out++, 0x2d);
    rest = -rest;
  }
  let length: u32 = 1;
  for (let left = rest / 10; left != 0; left /= 10) length += 1;
  for (let i = length; i > 0; i--) {
    store<u8>(out + i - 1, 0x30 + <u32>(rest % 10));
    rest /= 10;
  }
  return out + length;
}

/** A number's text as a string: as it came, or as Go writes what was computed. */
export function numberText(value: u32): u32 {
  if (!isInteger(value)) {
    const length = load<u32>(value, NUMBER_LENGTH);
    const string = newString(length);
    memory.copy(textOf(string), value + NUMBER_TEXT, length);
    return string;
  }
  const text = memory.data(24);
  const length = writeI64(integerOf(value), <u32>text) - <u32>text;
  const string = newString(length);
  memory.copy(textOf(string), <u32>text, length);
  return string;
}

/** The order of two numbers: below 0, 0 or above 0. */
export function compareNumbers(a: u32, b: u32): i32 {
  if (isInteger(a) && isInteger(b)) {
    const x = integerOf(a);
    const y = integerOf(b);
    return x == y ? 0 : x < y ? -1 : 1;
  }
  return compareDecimals(a, b);
}

/** The hash of a number, equal for equal ones however they are written. */
export function hashNumber(value: u32): u32 {
  if (fitsI64(value)) return finished(mixed(Kind.Number, toI64(value)));
  return finished(mixed(Kind.Number, reinterpret<u64>(load<f64>(value, VALUE))));
}
