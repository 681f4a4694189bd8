// Writes a moment by a layout, as Go's Time.Format does.

import { lengthOf, textOf } from '../value';
import { addByte, addBytes, addInteger, addRepeated, beginText, finishText } from './text-builder';
import {
  civilOf,
  DAY_SECONDS,
  day,
  floorDivide,
  month,
  weekdayOf,
  year,
  yearDay,
} from './time-civil';
import {
  digits,
  hasColon,
  hasSeconds,
  isIso,
  isOffset,
  isShort,
  nextPart,
  Part,
  partEnd,
  partStart,
  separator,
} from './time-layout';
import { monthName, nameBytes, nameStart, weekdayName } from './time-names';
import { abbreviation, abbreviationLength, lookUp, offset, UTC } from './time-zone';

const NANOS: i64 = 1000000000;

let days: i64 = 0;
let seconds: i32 = 0;
let nanoseconds: i32 = 0;
let zone: u32 = 0;

/** The text of nanoseconds since 1970 in a zone, by a layout that is a string value. */
export function format(time: i64, inZone: u32, layout: u32): u32 {
  const unix = floorDivide(time, NANOS);
  zone = inZone;
  lookUp(zone, unix);
  const local = unix + offset;
  days = floorDivide(local, DAY_SECONDS);
  seconds = <i32>(local - days * DAY_SECONDS);
  nanoseconds = <i32>(time - unix * NANOS);
  civilOf(days);
  beginText(lengthOf(layout) + 16);
  const end = textOf(layout) + lengthOf(layout);
  let p = textOf(layout);
  while (p < end) {
    const part = nextPart(p, end);
    addBytes(p, partStart - p);
    p = partEnd;
    if (isOffset(part)) addOffset(part);
    else if (part >= <u32>Part.Fraction) addFraction(part == Part.FractionTrimmed);
    else addPart(part);
  }
  return finishText();
}

/** A number with zeros or other bytes in front, if it is shorter than `width`. */
function addNumber(number: i64, width: u32, fill: u32): void {
  let length: u32 = 1;
  const size = number < 0 ? -number : number;
  for (let rest = size / 10; rest > 0; rest /= 10) length++;
  if (number < 0) addByte(0x2d);
  if (length < width) addRepeated(fill, width - length);
  addInteger(size);
}

function addZeros(number: i32, width: u32): void {
  addNumber(number, width, 0x30);
}

function addPart(part: u32): void {
  const hour = seconds / 3600;
  const minute = (seconds / 60) % 60;
  switch (part) {
    case Part.Hour:
      return addZeros(hour, 2);
    case Part.Hour12:
      return addZeros(((hour + 11) % 12) + 1, 1);
    case Part.ZeroHour12:
      return addZeros(((hour + 11) % 12) + 1, 2);
    case Part.Minute:
      return addZeros(minute, 1);
    case Part.ZeroMinute:
      return addZeros(minute, 2);
    case Part.Second:
      return addZeros(seconds % 60, 1);
    case Part.ZeroSecond:
      return addZeros(seconds % 60, 2);
    case Part.UpperPm:
      addByte(hour >= 12 ? 0x50 : 0x41);
      return addByte(0x4d);
    case Part.LowerPm:
      addByte(hour >= 12 ? 0x70 : 0x61);
      return addByte(0x6d);
    case Part.Zone:
      return addZone();
  }
  addDatePart(part);
}

function addDatePart(part: u32): void {
  switch (part) {
    case Part.Year:
      return addZeros(<i32>(year % 100), 2);
    case Part.LongYear:
      return addNumber(year, 4, 0x30);
    case Part.LongMonth:
    case Part.Month:
      monthName(month);
      return addBytes(nameStart, part == Part.Month ? 3 : nameBytes);
    case Part.NumMonth:
      return addZeros(month, 1);
    case Part.ZeroMonth:
      return addZeros(month, 2);
    case Part.LongWeekday:
    case Part.Weekday:
      weekdayName(weekdayOf(days));
      return addBytes(nameStart, part == Part.Weekday ? 3 : nameBytes);
    case Part.Day:
      return addZeros(day, 1);
    case Part.UnderDay:
      return addNumber(day, 2, 0x20);
    case Part.ZeroDay:
      return addZeros(day, 2);
    case Part.UnderYearDay:
      return addNumber(yearDay, 3, 0x20);
    case Part.ZeroYearDay:
      return addZeros(yearDay, 3);
  }
}

/** The zone's abbreviation. */
function addZone(): void {
  if (zone != UTC) return addBytes(abbreviation, abbreviationLength);
  addByte(0x55);
  addByte(0x54);
  addByte(0x43);
}

function addOffset(part: u32): void {
  if (offset == 0 && isIso(part)) return addByte(0x5a);
  // The sign is that of the whole minutes, as in Go.
  const minutes = offset / 60;
  const negative = minutes < 0;
  const whole = negative ? -minutes : minutes;
  addByte(negative ? 0x2d : 0x2b);
  addZeros(whole / 60, 2);
  if (isShort(part)) return;
  if (hasColon(part)) addByte(0x3a);
  addZeros(whole % 60, 2);
  if (!hasSeconds(part)) return;
  if (hasColon(part)) addByte(0x3a);
  addZeros((negative ? -offset : offset) % 60, 2);
}

/** The fraction of the second: so many digits, or no more than that and without zeros at the end. */
function addFraction(trimmed: bool): void {
  if (trimmed && (digits == 0 || nanoseconds == 0)) return;
  let left = min<u32>(digits, 9);
  let rest = nanoseconds;
  for (let i = left; i < 9; i++) rest /= 10;
  while (trimmed && left > 0 && rest % 10 == 0) {
    rest /= 10;
    left--;
  }
  if (trimmed && left == 0) return;
  addByte(separator);
  if (left > 0) addZeros(rest, left);
}
