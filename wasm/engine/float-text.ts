// Writes floating-point numbers as OPA does: the shortest decimal that rounds to them (Go's Float.Text).

import { alloc } from '../common/arena';
import { exponentOf, isNegative, isWhole, mantissaOf, precisionOf } from './float';
import {
  addNatural,
  bitAt,
  bitsOf,
  isZero,
  multiplyNatural,
  naturalOf,
  shiftLeft,
  shiftRight,
  subtractNatural,
} from './natural';
import { digitsLength, digitsOfNatural, powerOfFive } from './natural-text';
import { numberOfScanned } from './number';

/** From this power of ten on, `%g` writes an exponent. */
const SCIENTIFIC_FROM: i32 = 6;

// The digits of the last decimal, without zeros behind, and its point: 0.digits * 10^point.
let digits: u32 = 0;
let length: u32 = 0;
let point: i32 = 0;

/** Makes mantissa * 2^exponent the last decimal, exactly. */
function readBinary(mantissa: u32, exponent: i32): void {
  if (exponent >= 0) {
    digits = digitsOfNatural(shiftLeft(mantissa, exponent));
    point = digitsLength;
  } else {
    // m / 2^k is m * 5^k / 10^k.
    digits = digitsOfNatural(multiplyNatural(mantissa, powerOfFive(-exponent)));
    point = <i32>digitsLength + exponent;
  }
  length = digitsLength;
  while (length > 0 && load<u8>(digits + length - 1) == 0x30) length -= 1;
}

function roundDown(count: u32): void {
  length = count;
  while (length > 0 && load<u8>(digits + length - 1) == 0x30) length -= 1;
}

function roundUp(count: u32): void {
  let n = count;
  while (n > 0 && load<u8>(digits + n - 1) >= 0x39) n -= 1;
  if (n == 0) {
    store<u8>(digits, 0x31);
    length = 1;
    point += 1;
    return;
  }
  store<u8>(digits + n - 1, load<u8>(digits + n - 1) + 1);
  length = n;
}

/** Half a unit up is rounded to even, as Go's decimal does. */
function roundNearest(count: u32): void {
  const next = load<u8>(digits + count);
  const tie = next == 0x35 && count + 1 == length;
  const up = tie ? count > 0 && (load<u8>(digits + count - 1) & 1) != 0 : next >= 0x35;
  if (up) roundUp(count);
  else roundDown(count);
}

function digitOf(text: u32, count: u32, index: u32): u32 {
  return index < count ? <u32>load<u8>(text + index) : 0x30;
}

/** Shortens the last decimal, which is this number's, as far as it still rounds to it (Go's roundShortest). */
function shorten(a: u32): void {
  const all = digits;
  const count = length;
  const exact = point;
  // A mantissa whose lowest bit is half a unit of the last place.
  const shift = <i32>precisionOf(a) + 1 - <i32>bitsOf(mantissaOf(a));
  const mantissa = shift >= 0 ? shiftLeft(mantissaOf(a), shift) : shiftRight(mantissaOf(a), -shift);
  const exponent = exponentOf(a) - shift;
  const inclusive = !bitAt(mantissa, 1);
  readBinary(subtractNatural(mantissa, naturalOf(1)), exponent);
  const lower = digits;
  const lowerCount = length;
  readBinary(addNatural(mantissa, naturalOf(1)), exponent);
  const upper = digits;
  const upperCount = length;
  digits = all;
  length = count;
  point = exact;
  for (let i: u32 = 0; i < count; i++) {
    const m = <u32>load<u8>(all + i);
    const l = digitOf(lower, lowerCount, i);
    const u = digitOf(upper, upperCount, i);
    const down = l != m || (inclusive && i + 1 == lowerCount);
    const up = m != u && (inclusive || m + 1 < u || i + 1 < upperCount);
    // The number itself ends here, and rounding would only read behind it.
    if ((down || up) && i + 1 >= count) return;
    if (down && up) roundNearest(i + 1);
    else if (down) roundDown(i + 1);
    else if (up) roundUp(i + 1);
    else continue;
    return;
  }
}

/** The value of a number: whole ones in full, others as Go's `%g` with as few digits as can be. */
export function numberOfFloat(a: u32): u32 {
  readBinary(mantissaOf(a), exponentOf(a));
  if (!isZero(mantissaOf(a))) shorten(a);
  const whole = isWhole(a);
  const scientific = !whole && (point - 1 < -4 || point - 1 >= SCIENTIFIC_FROM);
  const extra = point < 0 ? -point : point;
  const buffer = alloc(length + (scientific ? 32 : extra + 8));
  let out = buffer;
  if (isNegative(a)) store<u8>(out++, 0x2d);
  out = scientific ? writeScientific(out) : writePlain(out);
  return numberOfScanned(buffer, out - buffer);
}

/** Go's fmtF, with as many digits behind the point as there are. */
function writePlain(at: u32): u32 {
  let out = at;
  const before: i32 = max(point, 0);
  if (before == 0) store<u8>(out++, 0x30);
  for (let i: i32 = 0; i < before; i++) store<u8>(out++, digitOf(digits, length, i));
  if (point >= <i32>length) return out;
  store<u8>(out++, 0x2e);
  for (let i = point; i < <i32>length; i++) {
    store<u8>(out++, i < 0 ? 0x30 : digitOf(digits, length, i));
  }
  return out;
}

/** Go's fmtE: one digit before the point, two digits of exponent at least. */
function writeScientific(at: u32): u32 {
  let out = at;
  store<u8>(out++, load<u8>(digits));
  if (length > 1) {
    store<u8>(out++, 0x2e);
    memory.copy(out, digits + 1, length - 1);
    out += length - 1;
  }
  store<u8>(out++, 0x65);
  const exponent = point - 1;
  store<u8>(out++, exponent < 0 ? 0x2d : 0x2b);
  const size: u32 = exponent < 0 ? -exponent : exponent;
  if (size < 10) store<u8>(out++, 0x30);
  let divisor: u32 = 1;
  while (size / divisor >= 10) divisor *= 10;
  for (; divisor > 0; divisor /= 10) store<u8>(out++, 0x30 + ((size / divisor) % 10));
  return out;
}
