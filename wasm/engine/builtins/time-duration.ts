// Reads durations: Go's time.ParseDuration, with OPA's days, weeks and years.

import { alloc } from '../../common/arena';
import { numberFromText, toF64 } from '../number';
import { lengthOf, textOf } from '../value';
import { addDouble } from './float-text';
import { addByte, addBytes, beginText, finishText } from './text-builder';

/** The duration that was read, nanoseconds. */
export let duration: i64 = 0;

/** One more than the largest duration: what a negative one may be. */
const LIMIT: u64 = 1 << 63;

let p: u32 = 0;
let end: u32 = 0;

/** Reads a duration, a string value; false when it is none, or longer than 290 years. */
export function parseDuration(text: u32): bool {
  p = textOf(text);
  end = p + lengthOf(text);
  if (!hasLongUnit()) return parsePlain(text);
  const plain = inHours(text);
  return plain != 0 && parsePlain(plain);
}

/** Whether a letter of OPA's units stands anywhere. */
function hasLongUnit(): bool {
  for (let at = p; at < end; at++) {
    if (hoursOf(load<u8>(at)) != 0) return true;
  }
  return false;
}

/** The hours of a day, a week or a year of 365 days; 0 for other units. */
function hoursOf(unit: u32): f64 {
  if (unit == 0x64) return 24;
  if (unit == 0x77) return 168;
  return unit == 0x79 ? 8760 : 0;
}

/** The text with OPA's units turned into hours, 0 when it breaks the grammar. */
function inHours(text: u32): u32 {
  beginText(lengthOf(text) + 16);
  if (p < end && isSign(load<u8>(p))) addByte(load<u8>(p++));
  if (p == end) return 0;
  while (p < end) {
    const number = p;
    while (p < end && isNumeric(load<u8>(p))) p++;
    const length = p - number;
    if (length == 0 || p == end) return 0;
    const unit = <u32>load<u8>(p);
    const hours = hoursOf(unit);
    if (hours != 0) {
      const count = readFloat(number, length);
      if (count < 0) return 0;
      addDouble(count * hours, 0x66, -1);
      addByte(0x68);
      p += 1;
    } else {
      const bytes = unitBytes(unit);
      if (bytes == 0) return 0;
      addBytes(number, length + bytes);
      p += bytes;
    }
  }
  return finishText();
}

/** Bytes of a unit of the grammar: ms, us, µs, ns, or one small letter. */
function unitBytes(unit: u32): u32 {
  const next: u32 = p + 1 < end ? <u32>load<u8>(p, 1) : 0;
  if (unit == 0xc2 && next == 0xb5) return p + 2 < end && load<u8>(p, 2) == 0x73 ? 3 : 0;
  if (unit - 0x61 >= 26) return 0;
  return next == 0x73 && (unit == 0x6d || unit == 0x75 || unit == 0x6e) ? 2 : 1;
}

function isSign(byte: u32): bool {
  return byte == 0x2b || byte == 0x2d;
}

function isNumeric(byte: u32): bool {
  return byte == 0x2e || byte - 0x30 < 10;
}

/** Digits with at most one point among them, which JSON would have digits around; -1 for others. */
function readFloat(at: u32, length: u32): f64 {
  let whole: u32 = 0;
  while (whole < length && load<u8>(at + whole) != 0x2e) whole++;
  let zeros: u32 = 0;
  while (zeros < whole && load<u8>(at + zeros) == 0x30) zeros++;
  const fraction: u32 = whole < length ? length - whole - 1 : 0;
  if (whole + fraction == 0) return -1;
  const text = alloc(length + 2);
  let to = text;
  if (zeros == whole) store<u8>(to++, 0x30);
  memory.copy(to, at + zeros, whole - zeros);
  to += whole - zeros;
  if (fraction > 0) {
    memory.copy(to, at + whole, fraction + 1);
    to += fraction + 1;
  }
  const number = numberFromText(text, to - text);
  return number == 0 ? -1 : toF64(number);
}

/** Go's ParseDuration. */
function parsePlain(text: u32): bool {
  p = textOf(text);
  end = p + lengthOf(text);
  const negative = p < end && load<u8>(p) == 0x2d;
  if (p < end && isSign(load<u8>(p))) p++;
  duration = 0;
  if (p == end) return false;
  if (p + 1 == end && load<u8>(p) == 0x30) return true;
  let sum: u64 = 0;
  while (p < end) {
    if (!readSegment()) return false;
    sum += segment;
    if (sum > LIMIT) return false;
  }
  if (!negative && sum == LIMIT) return false;
  duration = negative ? -(<i64>sum) : <i64>sum;
  return true;
}

let segment: u64 = 0;

/** A number with a unit. */
function readSegment(): bool {
  const from = p;
  let whole: u64 = 0;
  while (p < end && <u32>load<u8>(p) - 0x30 < 10) {
    if (whole > LIMIT / 10) return false;
    whole = whole * 10 + (<u64>load<u8>(p++) - 0x30);
    if (whole > LIMIT) return false;
  }
  let digits = p - from;
  fraction = 0;
  scale = 1;
  if (p < end && load<u8>(p) == 0x2e) {
    p++;
    digits += readFraction();
  }
  const unit = digits == 0 ? 0 : readUnit();
  if (unit == 0 || whole > LIMIT / unit) return false;
  segment = whole * unit;
  if (fraction > 0) segment += <u64>(<f64>fraction * (<f64>unit / scale));
  return segment <= LIMIT;
}

let fraction: u64 = 0;
let scale: f64 = 1;

/** Digits behind the point, of which those count that fit; returns how many there are. */
function readFraction(): u32 {
  const from = p;
  let full = false;
  for (; p < end && <u32>load<u8>(p) - 0x30 < 10; p++) {
    if (full) continue;
    const next = fraction * 10 + (<u64>load<u8>(p) - 0x30);
    full = fraction > (LIMIT - 1) / 10 || next > LIMIT;
    if (full) continue;
    fraction = next;
    scale *= 10;
  }
  return p - from;
}

/** The nanoseconds of the unit, which reaches to the next number; 0 when there is none. */
function readUnit(): u64 {
  const from = p;
  while (p < end && !isNumeric(load<u8>(p))) p++;
  const length = p - from;
  const last: u32 = length == 0 ? 0 : <u32>load<u8>(p - 1);
  if (length == 1)
    return last == 0x68
      ? 3600000000000
      : last == 0x6d
        ? 60000000000
        : last == 0x73
          ? 1000000000
          : 0;
  if (last != 0x73) return 0;
  const first = <u32>load<u8>(from);
  if (length == 2) return first == 0x6e ? 1 : first == 0x75 ? 1000 : first == 0x6d ? 1000000 : 0;
  // The micro sign and the Greek letter.
  const micro = length == 3 && (load<u16>(from) == 0xb5c2 || load<u16>(from) == 0xbcce);
  return micro ? 1000 : 0;
}
