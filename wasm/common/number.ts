// Reads JSON numbers, refuses those that a round trip through binary64 would change, and writes the rest canonically.

import { isShortest, nearestDouble } from './decimal';
import { INPUT_NOT_JSON, INPUT_NUMBER_NOT_PORTABLE, OK } from './errors';

/** Why the last scan returned 0. */
export let numberError: i32 = OK;
/** Whether the last number's own text is its canonical form. */
export let numberPlain: bool = false;

const INTEGER_MAX: u64 = 9007199254740992;
/** More digits than any binary64 value needs. */
const DIGITS_MAX: u32 = 17;
/** This many digits survive a round trip wherever binary64 is not subnormal. */
const DIGITS_SAFE: u32 = 15;
const EXPONENT_CAP: i32 = 100000000;

// The last scanned number is sign, digits (no trailing zeros), times ten to the exponent.
let negative: bool = false;
let digits: u64 = 0;
let count: u32 = 0;
let exponent: i32 = 0;
// Zeros that count only when another digit follows.
let zeros: u32 = 0;

function fail(error: i32): u32 {
  numberError = error;
  return 0;
}

function digitAt(p: u32, end: u32): u32 {
  return p < end ? <u32>load<u8>(p) - 0x30 : 10;
}

/** Scans a number; returns where the next byte is, or 0 with `numberError`. */
export function scanNumber(start: u32, end: u32): u32 {
  let p = start;
  negative = load<u8>(p) == 0x2d;
  if (negative) p += 1;
  const first = digitAt(p, end);
  if (first > 9) return fail(INPUT_NOT_JSON);
  const integer = p;
  let value: u64 = 0;
  for (let digit = first; digit <= 9; digit = digitAt(p, end)) {
    value = value * 10 + digit;
    p += 1;
  }
  if (first == 0 && p - integer > 1) return fail(INPUT_NOT_JSON);
  const next: u32 = p < end ? load<u8>(p) : 0;
  if (next != 0x2e && (next | 0x20) != 0x65 && p - integer <= DIGITS_SAFE) {
    digits = value;
    exponent = 0;
    numberPlain = value != 0 || !negative;
    return p;
  }
  numberPlain = false;
  return scanGeneral(integer, end);
}

/** Any number, from its first digit: with fraction, exponent or many digits. */
function scanGeneral(start: u32, end: u32): u32 {
  digits = 0;
  count = 0;
  zeros = 0;
  let p = start;
  for (; digitAt(p, end) <= 9; p++) push(digitAt(p, end));
  let fraction: i32 = 0;
  if (p < end && load<u8>(p) == 0x2e) {
    const begin = ++p;
    for (; digitAt(p, end) <= 9; p++) push(digitAt(p, end));
    fraction = p - begin;
    if (fraction == 0) return fail(INPUT_NOT_JSON);
  }
  exponent = 0;
  if (p < end && (load<u8>(p) | 0x20) == 0x65) {
    p = scanExponent(p + 1, end);
    if (p == 0) return fail(INPUT_NOT_JSON);
  }
  exponent += <i32>zeros - fraction;
  return portable() ? p : fail(INPUT_NUMBER_NOT_PORTABLE);
}

function push(digit: u32): void {
  if (digit == 0) {
    if (count > 0) zeros += 1;
    return;
  }
  count += zeros + 1;
  if (count > DIGITS_MAX) {
    // Not portable whatever follows; the value is never used.
    zeros = 0;
    return;
  }
  for (; zeros > 0; zeros--) digits *= 10;
  digits = digits * 10 + digit;
}

function scanExponent(start: u32, end: u32): u32 {
  let p = start;
  const sign: u32 = p < end ? load<u8>(p) : 0;
  if (sign == 0x2b || sign == 0x2d) p += 1;
  if (digitAt(p, end) > 9) return 0;
  for (; digitAt(p, end) <= 9; p++) {
    if (exponent < EXPONENT_CAP) exponent = exponent * 10 + digitAt(p, end);
  }
  if (sign == 0x2d) exponent = -exponent;
  return p;
}

/** Whether the value equals the shortest text of its binary64, and is no integer beyond 2^53. */
function portable(): bool {
  if (count == 0) {
    exponent = 0;
    return true;
  }
  if (count > DIGITS_MAX) return false;
  const point = <i32>count + exponent;
  if (point > 16 || point < -330) return false;
  if (exponent >= 0) {
    for (; exponent > 0; exponent--) digits *= 10;
    return digits <= INTEGER_MAX;
  }
  if (count <= DIGITS_SAFE && point > -300) return true;
  return isShortest(digits, -exponent);
}

/** The last number as the nearest double. */
export function scannedValue(): f64 {
  const scale = <u32>-exponent;
  let value: f64;
  // Two exact operands and one rounding; beyond that only the exact way is right.
  if (digits <= INTEGER_MAX && scale <= 22)
    value = scale == 0 ? <f64>digits : <f64>digits / tens(scale);
  else value = reinterpret<f64>(nearestDouble(digits, scale));
  return negative && digits != 0 ? -value : value;
}

function tens(scale: u32): f64 {
  let value: f64 = 1;
  for (let i: u32 = 0; i < scale; i++) value *= 10;
  return value;
}

/** The longest canonical number: sign, 17 digits, point, `e-324`, and slack for writing digits backwards. */
export const NUMBER_BYTES_MAX: u32 = 32;

/** Writes the last number as ECMA-262 Number::toString does (RFC 8785 section 3.2.2.3); returns its end. */
export function writeNumber(at: u32): u32 {
  let out = at;
  if (digits == 0) {
    store<u8>(out, 0x30);
    return out + 1;
  }
  if (negative) store<u8>(out++, 0x2d);
  const length = decimalLength(digits);
  const point = <i32>length + exponent;
  if (exponent == 0) return writeDigits(out, digits, length);
  if (point > 0) {
    // The digits behind the point are moved up by one to make place for it.
    const end = writeDigits(out, digits, length);
    memory.copy(out + point + 1, out + point, length - point);
    store<u8>(out + point, 0x2e);
    return end + 1;
  }
  if (point > -6) {
    store<u16>(out, 0x2e30);
    memory.fill(out + 2, 0x30, -point);
    return writeDigits(out + 2 - point, digits, length);
  }
  return writeScientific(out, length, point);
}

function writeScientific(at: u32, length: u32, point: i32): u32 {
  let out = writeDigits(at + 1, digits, length);
  store<u8>(at, load<u8>(at, 1));
  if (length == 1) out = at + 1;
  else store<u8>(at, 0x2e, 1);
  store<u16>(out, 0x2d65);
  const power = <u64>(1 - point);
  return writeDigits(out + 2, power, decimalLength(power));
}

function decimalLength(value: u64): u32 {
  let length: u32 = 1;
  for (let limit: u64 = 10; value >= limit; limit *= 10) length++;
  return length;
}

function writeDigits(at: u32, value: u64, length: u32): u32 {
  for (let i = length; i > 0; i--) {
    store<u8>(at + i - 1, 0x30 + <u32>(value % 10));
    value /= 10;
  }
  return at + length;
}
