// Reads a moment by a layout, as Go's time.Parse does where the local zone is UTC.

import { lengthOf, textOf } from '../value';
import { DAY_SECONDS, daysBefore, daysIn, daysOf, isLeap } from './time-civil';
import { digits, isIso, isOffset, nextPart, Part, partEnd, partStart } from './time-layout';
import { monthName, nameBytes, nameStart, weekdayName } from './time-names';
import { offsetFound, readOffset, reads, readZone } from './time-parse-zone';

const NANOS: i64 = 1000000000;
const MISSING: i32 = -1;

/** The moment that `parseTime` read: seconds since 1970 and nanoseconds. */
export let parsedSeconds: i64 = 0;
export let parsedNanos: i32 = 0;

let p: u32 = 0;
let end: u32 = 0;
let year: i32 = 0;
let month: i32 = 0;
let day: i32 = 0;
let yearDay: i32 = 0;
let hour: i32 = 0;
let minute: i32 = 0;
let second: i32 = 0;
let nanos: i32 = 0;
let morning: bool = false;
let afternoon: bool = false;
/** Whether the zone is UTC, whatever else the value says; otherwise its offset, -1 when there is none. */
let isUtc: bool = false;
let zone: i32 = 0;

/** Reads a value by a layout, both string values; false when it does not fit. */
export function parseTime(layout: u32, value: u32): bool {
  p = textOf(value);
  end = p + lengthOf(value);
  year = hour = minute = second = nanos = 0;
  month = day = yearDay = zone = MISSING;
  morning = afternoon = isUtc = false;
  const layoutEnd = textOf(layout) + lengthOf(layout);
  let at = textOf(layout);
  while (true) {
    const part = nextPart(at, layoutEnd);
    if (!skip(at, partStart)) return false;
    if (part == Part.None) break;
    at = partEnd;
    if (!readPart(part, at, layoutEnd)) return false;
  }
  if (p != end || !completeDate()) return false;
  if (afternoon && hour < 12) hour += 12;
  else if (morning && hour == 12) hour = 0;
  const ofDay = <i64>(hour * 3600 + minute * 60 + second);
  parsedSeconds = daysOf(year, month, day) * DAY_SECONDS + ofDay;
  if (!isUtc && zone != MISSING) parsedSeconds -= zone;
  parsedNanos = nanos;
  return true;
}

/** Skips a layout's text; a run of spaces there stands for any number of them. */
function skip(from: u32, to: u32): bool {
  let at = from;
  while (at < to) {
    const byte = load<u8>(at);
    if (byte == 0x20) {
      if (p < end && load<u8>(p) != 0x20) return false;
      while (at < to && load<u8>(at) == 0x20) at++;
      while (p < end && load<u8>(p) == 0x20) p++;
    } else {
      if (p == end || load<u8>(p) != byte) return false;
      at++;
      p++;
    }
  }
  return true;
}

function isDigit(at: u32): bool {
  return at < end && <u32>load<u8>(at) - 0x30 < 10;
}

function digitAt(at: u32): i32 {
  return <i32>load<u8>(at) - 0x30;
}

/** A number of one or two digits, of two when they are asked for; -1 when there is none. */
function number(two: bool): i32 {
  if (!isDigit(p) || (two && !isDigit(p + 1))) return -1;
  let value = digitAt(p++);
  if (isDigit(p)) value = value * 10 + digitAt(p++);
  return value;
}

/** Go's atoi of so many bytes, which may begin with a sign; MIN_VALUE when they are no number. */
function signed(at: u32, length: u32): i32 {
  const sign = <u32>load<u8>(at);
  const skipped: u32 = length > 0 && (sign == 0x2d || sign == 0x2b) ? 1 : 0;
  let value: i32 = 0;
  for (let i = skipped; i < length; i++) {
    if (!isDigit(at + i)) return i32.MIN_VALUE;
    value = value * 10 + digitAt(at + i);
  }
  return sign == 0x2d ? -value : value;
}

/** Reads what a part of the layout stands for; `rest` is the layout behind it. */
function readPart(part: u32, rest: u32, layoutEnd: u32): bool {
  if (part >= <u32>Part.LongMonth && part <= <u32>Part.ZeroYearDay) return readDatePart(part);
  if (isOffset(part)) return readZonePart(part);
  switch (part) {
    case Part.Hour:
      hour = number(false);
      return hour >= 0 && hour < 24;
    case Part.Hour12:
    case Part.ZeroHour12:
      hour = number(part == Part.ZeroHour12);
      return hour >= 0 && hour <= 12;
    case Part.Minute:
    case Part.ZeroMinute:
      minute = number(part == Part.ZeroMinute);
      return minute >= 0 && minute < 60;
    case Part.Second:
    case Part.ZeroSecond:
      second = number(part == Part.ZeroSecond);
      return second >= 0 && second < 60 && readUnaskedFraction(rest, layoutEnd);
    case Part.LongYear:
      return readLongYear();
    case Part.Year:
      return readYear();
    case Part.UpperPm:
    case Part.LowerPm:
      return readHalf(part == Part.LowerPm ? 0x20 : 0);
    case Part.Zone:
      return readZonePart(part);
    case Part.Fraction:
      return readFraction(digits + 1);
  }
  // Nines may be missing, and may be more than the layout has.
  if (!(isDigit(p + 1) && (load<u8>(p) == 0x2e || load<u8>(p) == 0x2c))) return true;
  return readFraction(fractionBytes());
}

function readDatePart(part: u32): bool {
  switch (part) {
    case Part.LongMonth:
    case Part.Month:
      return readName(12, part == Part.Month);
    case Part.LongWeekday:
    case Part.Weekday:
      return readName(7, part == Part.Weekday);
    case Part.NumMonth:
    case Part.ZeroMonth:
      month = number(part == Part.ZeroMonth);
      return month > 0 && month <= 12;
    case Part.UnderYearDay:
    case Part.ZeroYearDay:
      return readYearDay(part == Part.ZeroYearDay);
  }
  if (part == Part.UnderDay && p < end && load<u8>(p) == 0x20) p++;
  day = number(part == Part.ZeroDay);
  return day >= 0;
}

/** A name in any case, of one of twelve months or of one of seven days of the week, which is forgotten. */
function readName(count: i32, short: bool): bool {
  for (let i = 0; i < count; i++) {
    if (count == 12) monthName(i + 1);
    else weekdayName(i);
    const length: u32 = short ? 3 : nameBytes;
    if (end - p < length || !sameLetters(p, nameStart, length)) continue;
    if (count == 12) month = i + 1;
    p += length;
    return true;
  }
  return false;
}

function sameLetters(a: u32, b: u32, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) {
    if ((load<u8>(a + i) | 0x20) != (load<u8>(b + i) | 0x20)) return false;
  }
  return true;
}

/** A day of the year, of three digits or, with spaces in front, of fewer. */
function readYearDay(three: bool): bool {
  for (let i = 0; i < 2; i++) if (!three && p < end && load<u8>(p) == 0x20) p++;
  const from = p;
  yearDay = 0;
  while (p - from < 3 && isDigit(p)) yearDay = yearDay * 10 + digitAt(p++);
  return p != from && (!three || p - from == 3);
}

function readLongYear(): bool {
  if (end - p < 4 || !isDigit(p)) return false;
  year = signed(p, 4);
  p += 4;
  return year != i32.MIN_VALUE;
}

/** The last two digits of a year from 1969 to 2068. */
function readYear(): bool {
  if (end - p < 2) return false;
  year = signed(p, 2);
  p += 2;
  if (year == i32.MIN_VALUE) return false;
  year += year >= 69 ? 1900 : 2000;
  return true;
}

/** AM or PM, in small letters when `small` is their bit. */
function readHalf(small: u32): bool {
  if (end - p < 2 || load<u8>(p, 1) != (0x4d | small)) return false;
  const letter = load<u8>(p) ^ small;
  p += 2;
  if (letter == 0x50) afternoon = true;
  if (letter == 0x41) morning = true;
  return letter == 0x41 || letter == 0x50;
}

/** Bytes of a fraction with all of its digits. */
function fractionBytes(): u32 {
  let length: u32 = 1;
  while (isDigit(p + length)) length++;
  return length;
}

/** A fraction that stands behind the seconds although the layout has none there. */
function readUnaskedFraction(rest: u32, layoutEnd: u32): bool {
  if (!isDigit(p + 1) || (load<u8>(p) != 0x2e && load<u8>(p) != 0x2c)) return true;
  const next = nextPart(rest, layoutEnd);
  return next >= <u32>Part.Fraction ? true : readFraction(fractionBytes());
}

/** A point or a comma and digits, so many bytes in all, of which nine digits count. */
function readFraction(length: u32): bool {
  if (end - p < length || (load<u8>(p) != 0x2e && load<u8>(p) != 0x2c)) return false;
  const used = min<u32>(length, 10);
  nanos = signed(p + 1, used - 1);
  p += length;
  if (nanos < 0) return false;
  for (let i = used; i < 10; i++) nanos *= 10;
  return true;
}

/** An offset, or the name of a zone, which changes nothing: only the local zone's names mean an offset. */
function readZonePart(part: u32): bool {
  if (isIso(part) && p < end && load<u8>(p) == 0x5a) {
    p += 1;
    isUtc = true;
    return true;
  }
  const length = part == Part.Zone ? readZone(p, end) : readOffset(part, p, end);
  if (part != Part.Zone) zone = offsetFound;
  else if (length == 3 && reads(p, 'UTC')) isUtc = true;
  p += length;
  return length != 0;
}

/** Makes day and month of the day of the year, and checks that they agree and exist. */
function completeDate(): bool {
  if (yearDay >= 0 && !takeYearDay()) return false;
  if (month < 0) month = 1;
  if (day < 0) day = 1;
  return day >= 1 && day <= daysIn(month, year);
}

function takeYearDay(): bool {
  let plain = yearDay;
  let m: i32 = 0;
  let d: i32 = 29;
  if (isLeap(year)) {
    if (plain == 60) m = 2;
    else if (plain > 60) plain -= 1;
  }
  if (plain < 1 || plain > 365) return false;
  if (m == 0) {
    m = (plain - 1) / 31 + 1;
    if (daysBefore(m + 1) < plain) m += 1;
    d = plain - daysBefore(m);
  }
  if ((month >= 0 && month != m) || (day >= 0 && day != d)) return false;
  month = m;
  day = d;
  return true;
}
