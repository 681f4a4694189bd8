// POSIX rules for a time zone (IEEE 1003.1 TZ with the extensions of RFC 8536), as Go's tzset reads them.

import {
  civilOf,
  DAY_SECONDS,
  daysBefore,
  daysIn,
  floorDivide,
  isLeap,
  year,
  yearDay,
} from './time-civil';

/** What holds at the moment asked for: seconds east of UTC, the abbreviation, and from when until when. */
export let ruleOffset: i32 = 0;
export let ruleName: u32 = 0;
export let ruleNameLength: u32 = 0;
export let ruleStart: i64 = 0;
export let ruleEnd: i64 = 0;

let p: u32 = 0;
let end: u32 = 0;
let name: u32 = 0;
let nameLength: u32 = 0;

/** Reads what holds at `seconds` by a rule of the database, which is valid; false when it is empty. */
export function applyRule(text: u32, length: u32, lastChange: i64, seconds: i64): bool {
  if (length == 0) return false;
  p = text;
  end = text + length;
  readName();
  ruleName = name;
  ruleNameLength = nameLength;
  ruleOffset = -readOffset();
  ruleStart = lastChange;
  ruleEnd = i64.MAX_VALUE;
  if (p == end) return true;
  const standard = ruleOffset;
  const standardName = ruleName;
  const standardLength = ruleNameLength;
  readName();
  const summer = p == end || load<u8>(p) == 0x2c ? standard + 3600 : -readOffset();
  civilOf(floorDivide(seconds, DAY_SECONDS));
  // Go takes the remainder of a division towards zero.
  const inYear = <i64>(yearDay - 1) * DAY_SECONDS + (seconds % DAY_SECONDS);
  const yearStart = seconds - inYear;
  let from = readChange(standard);
  let to = readChange(summer);
  let inside = summer;
  let outside = standard;
  let insideName = name;
  let insideLength = nameLength;
  ruleName = standardName;
  ruleNameLength = standardLength;
  if (to < from) {
    // South of the equator the year begins in summer.
    const other = from;
    from = to;
    to = other;
    inside = standard;
    outside = summer;
    ruleName = insideName;
    ruleNameLength = insideLength;
    insideName = standardName;
    insideLength = standardLength;
  }
  if (inYear >= from && inYear < to) {
    ruleOffset = inside;
    ruleName = insideName;
    ruleNameLength = insideLength;
    ruleStart = from + yearStart;
    ruleEnd = to + yearStart;
    return true;
  }
  ruleOffset = outside;
  ruleStart = inYear < from ? yearStart : to + yearStart;
  ruleEnd = inYear < from ? from + yearStart : yearStart + 365 * DAY_SECONDS;
  return true;
}

/** An abbreviation: letters, or anything between angle brackets. */
function readName(): void {
  const quoted = load<u8>(p) == 0x3c;
  if (quoted) p++;
  name = p;
  while (p < end) {
    const byte = <u32>load<u8>(p);
    if (quoted ? byte == 0x3e : byte < 0x41) break;
    p++;
  }
  nameLength = p - name;
  if (quoted) p++;
}

function readNumber(): i32 {
  let number: i32 = 0;
  while (p < end && load<u8>(p) - 0x30 < 10) number = number * 10 + (load<u8>(p++) - 0x30);
  return number;
}

/** Hours, perhaps minutes and seconds, with a sign: seconds. */
function readOffset(): i32 {
  const negative = p < end && load<u8>(p) == 0x2d;
  if (p < end && (negative || load<u8>(p) == 0x2b)) p++;
  let seconds = readNumber() * 3600;
  for (let unit = 60; unit > 0 && p < end && load<u8>(p) == 0x3a; unit /= 60) {
    p++;
    seconds += readNumber() * unit;
  }
  return negative ? -seconds : seconds;
}

/** A comma and when the change is: seconds of UTC since the year's beginning, `offset` being in force. */
function readChange(offset: i32): i64 {
  p++;
  let days: i32 = 0;
  const kind = <u32>load<u8>(p);
  if (kind == 0x4d) days = monthlyChange();
  else if (kind == 0x4a) {
    p++;
    days = readNumber() - 1;
    if (isLeap(year) && days >= 59) days += 1;
  } else days = readNumber();
  let time: i32 = 7200;
  if (p < end && load<u8>(p) == 0x2f) {
    p++;
    time = readOffset();
  }
  return <i64>days * DAY_SECONDS + time - offset;
}

/** `Mm.w.d`: the w-th weekday d of month m, 5 for the last: days since the year's beginning. */
function monthlyChange(): i32 {
  p++;
  const month = readNumber();
  p++;
  const week = readNumber();
  p++;
  const weekday = readNumber();
  // Zeller's congruence: the day of the week of the month's first.
  const shifted = ((month + 9) % 12) + 1;
  const anno = <i32>year - (month <= 2 ? 1 : 0);
  const century = anno / 100;
  const rest = anno % 100;
  let first = ((26 * shifted - 2) / 10 + 1 + rest + rest / 4 + century / 4 - 2 * century) % 7;
  if (first < 0) first += 7;
  let days = weekday - first;
  if (days < 0) days += 7;
  for (let i = 1; i < week && days + 7 < daysIn(month, year); i++) days += 7;
  return days + daysBefore(month) + (isLeap(year) && month > 2 ? 1 : 0);
}
