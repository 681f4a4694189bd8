// Decimal numbers as their text has them: sign, digits and exponent, without loss, and their order.

import { writeI64 } from './number';
import { integerOf, isInteger, NUMBER_LENGTH, NUMBER_TEXT, VALUE } from './value';

const EXPONENT_CAP: i32 = 100000000;

/** The last number read: digits from `digitsAt`, a point among them perhaps, without zeros at either end. */
export let negative: bool = false;
export let digitsFrom: u32 = 0;
export let digitsTo: u32 = 0;
/** How many digits there are, none for zero. */
export let digitCount: u32 = 0;
/** The number is 0.digits times ten to this power. */
export let power: i32 = 0;
/** Whether the text has an exponent. */
export let scientific: bool = false;

/** Reads a number's text, with an optional plus, and with digits before or behind the point alone. */
export function readDecimal(pointer: u32, length: u32): void {
  const end = pointer + length;
  let p = pointer;
  const sign: u32 = length == 0 ? 0 : load<u8>(p);
  negative = sign == 0x2d;
  if (sign == 0x2d || sign == 0x2b) p += 1;
  let point: u32 = 0;
  let first: u32 = 0;
  let last: u32 = 0;
  let begin = p;
  for (; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte == 0x2e) point = p;
    else if (byte - 0x30 > 9) break;
    else if (byte != 0x30) {
      if (first == 0) first = p;
      last = p;
    }
  }
  digitsFrom = first;
  digitsTo = last + 1;
  digitCount = 0;
  power = 0;
  scientific = p < end;
  if (first == 0) return;
  if (point == 0) point = p;
  digitCount = last + 1 - first - <u32>(first < point && point < last);
  const before = first < point ? point - first : -(first - point - 1);
  power = <i32>before + (p < end ? readExponent(p + 1, end) : 0);
}

function readExponent(start: u32, end: u32): i32 {
  let p = start;
  const sign: u32 = p < end ? load<u8>(p) : 0;
  if (sign == 0x2d || sign == 0x2b) p += 1;
  let value: i32 = 0;
  for (; p < end; p++) {
    if (value < EXPONENT_CAP) value = value * 10 + (<i32>load<u8>(p) - 0x30);
  }
  return sign == 0x2d ? -value : value;
}

/** Whether the last number read is whole and in the range of an i64. */
export function integral(): bool {
  if (digitCount == 0) return true;
  if (power < <i32>digitCount || power > 19) return false;
  const value = magnitude();
  return value <= <u64>i64.MAX_VALUE || (negative && value == <u64>i64.MIN_VALUE);
}

/** The value of the last number read, which is `integral`. */
export function integralValue(): i64 {
  if (digitCount == 0) return 0;
  const value = magnitude();
  return negative ? -(<i64>value) : <i64>value;
}

/** At most 19 digits, which a u64 always holds. */
function magnitude(): u64 {
  let value: u64 = 0;
  for (let p = digitsFrom; p < digitsTo; p++) {
    const digit = <u32>load<u8>(p) - 0x30;
    if (digit <= 9) value = value * 10 + digit;
  }
  for (let i = <i32>digitCount; i < power; i++) value *= 10;
  return value;
}

const texts: u32 = <u32>memory.data(48);

/** Where the text of a number is; an integer's is written to one of two buffers. */
function textAt(value: u32, buffer: u32): u32 {
  return isInteger(value) ? buffer : value + NUMBER_TEXT;
}

function lengthAt(value: u32, buffer: u32): u32 {
  if (!isInteger(value)) return load<u32>(value, NUMBER_LENGTH);
  return writeI64(integerOf(value), buffer) - buffer;
}

/** The order of two numbers of which one at least is no INTEGER: exact, but see `alike`. */
export function compareDecimals(a: u32, b: u32): i32 {
  const aText = textAt(a, texts);
  const aLength = lengthAt(a, texts);
  const bText = textAt(b, texts + 24);
  const bLength = lengthAt(b, texts + 24);
  readDecimal(aText, aLength);
  const aNegative = negative;
  const aFrom = digitsFrom;
  const aTo = digitsTo;
  const aCount = digitCount;
  const aPower = power;
  readDecimal(bText, bLength);
  if (aCount == 0 || digitCount == 0) {
    if (aCount == digitCount) return 0;
    return (aCount == 0 ? !negative : aNegative) ? -1 : 1;
  }
  if (aNegative != negative) return aNegative ? -1 : 1;
  const many = aCount > 15 || digitCount > 15;
  if (many && alike(a, aText, aLength) && alike(b, bText, bLength)) {
    if (load<f64>(a, VALUE) == load<f64>(b, VALUE)) return 0;
  }
  const order = aPower != power ? aPower - power : compareDigits(aFrom, aTo, digitsFrom, digitsTo);
  return negative ? -order : order;
}

/**
 * Whether OPA compares this number with another such one as binary64 first: its text has a point, ends in
 * zeros or a point, and has a point still without them (ast.NumberCompare).
 */
function alike(value: u32, text: u32, length: u32): bool {
  if (isInteger(value)) return false;
  let end = text + length;
  while (end > text && (load<u8>(end - 1) == 0x30 || load<u8>(end - 1) == 0x2e)) end -= 1;
  if (end == text + length || load<f64>(value, VALUE) - load<f64>(value, VALUE) != 0) return false;
  for (let p = text; p < end; p++) if (load<u8>(p) == 0x2e) return true;
  return false;
}

function compareDigits(a: u32, aEnd: u32, b: u32, bEnd: u32): i32 {
  let p = a;
  let q = b;
  while (true) {
    if (p < aEnd && load<u8>(p) == 0x2e) p += 1;
    if (q < bEnd && load<u8>(q) == 0x2e) q += 1;
    if (p >= aEnd || q >= bEnd) return <i32>(p < aEnd) - <i32>(q < bEnd);
    const x = <i32>load<u8>(p++);
    const y = <i32>load<u8>(q++);
    if (x != y) return x - y;
  }
}
