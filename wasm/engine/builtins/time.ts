// The time built-ins, as OPA's v1/topdown/time.go has them; the clock is the input's.

import { timeNs } from '../clock';
import { Failure, failed } from '../failure';
import { fitsI64, toI64 } from '../number';
import {
  elementAt,
  integer,
  integerOf,
  isInteger,
  Kind,
  kindOf,
  lengthOf,
  newArray,
  push,
  stringOf,
} from '../value';
import {
  civilOf,
  DAY_SECONDS,
  day,
  daysIn,
  daysOf,
  fitsNanoseconds,
  floorDivide,
  month,
  weekdayOf,
  year,
} from './time-civil';
import { duration, parseDuration } from './time-duration';
import { format } from './time-format';
import { namedLayout, rfc3339, rfc3339Nano } from './time-layout';
import { nameBytes, nameStart, weekdayName } from './time-names';
import { parsedNanos, parsedSeconds, parseTime } from './time-parse';
import { end, lookUp, offset, start, UNKNOWN, UTC, zoneOf } from './time-zone';

const NANOS: i64 = 1000000000;
/** Years, months and days that are added beyond this leave the range of time in any case. */
const ADDED_MAX: i64 = 1000000000000;

/** What `readTime` read: nanoseconds since 1970, the zone, and the layout, 0 for none. */
let time: i64 = 0;
let zone: u32 = UTC;
let layout: u32 = 0;

/** Reads a number, or an array of a number and perhaps a zone's name and a layout; `None` when it is one. */
function readTime(value: u32): Failure {
  zone = UTC;
  layout = 0;
  let number = value;
  if (kindOf(value) == Kind.Array) {
    const length = lengthOf(value);
    if (length == 0) return Failure.Type;
    number = elementAt(value, 0);
    for (let i: u32 = 1; i < min<u32>(length, 3); i++) {
      if (kindOf(elementAt(value, i)) != Kind.String) return Failure.Type;
    }
    if (kindOf(number) != Kind.Number) return Failure.Type;
    if (length > 1) zone = zoneOf(elementAt(value, 1));
    if (length > 2) layout = elementAt(value, 2);
  }
  if (kindOf(number) != Kind.Number) return Failure.Type;
  if (zone == UNKNOWN || !fitsI64(number)) return Failure.Builtin;
  time = toI64(number);
  return Failure.None;
}

/** Seconds of local time since 1970, as if the zone were UTC. */
function localSeconds(): i64 {
  const seconds = floorDivide(time, NANOS);
  lookUp(zone, seconds);
  return seconds + offset;
}

function three(a: i64, b: i64, c: i64): u32 {
  const list = newArray(3);
  push(list, integer(a));
  push(list, integer(b));
  push(list, integer(c));
  return list;
}

/** Nanoseconds since 1970, when 64 bits hold them. */
function nanosecondsOf(seconds: i64, nanos: i64): u32 {
  if (!fitsNanoseconds(seconds, nanos)) return failed();
  return integer(seconds * NANOS + nanos);
}

/** time.now_ns: the time of the input. */
export function b_time_now_ns(): u32 {
  return integer(timeNs());
}

/** time.parse_ns: a moment's text by a layout of Go's. */
export function b_time_parse_ns(form: u32, value: u32): u32 {
  if (kindOf(form) != Kind.String || kindOf(value) != Kind.String) return failed(Failure.Type);
  return parseTime(namedLayout(form), value) ? nanosecondsOf(parsedSeconds, parsedNanos) : failed();
}

/** time.parse_rfc3339_ns: a moment's text of RFC 3339. */
export function b_time_parse_rfc3339_ns(value: u32): u32 {
  if (kindOf(value) != Kind.String) return failed(Failure.Type);
  return parseTime(rfc3339(), value) ? nanosecondsOf(parsedSeconds, parsedNanos) : failed();
}

/** time.parse_duration_ns: a duration such as `1h30m`, or with days, weeks and years. */
export function b_time_parse_duration_ns(value: u32): u32 {
  if (kindOf(value) != Kind.String) return failed(Failure.Type);
  return parseDuration(value) ? integer(duration) : failed();
}

/** time.format: a moment by its layout, RFC 3339 without one. */
export function b_time_format(value: u32): u32 {
  const failure = readTime(value);
  if (failure != Failure.None) return failed(failure);
  const given = layout == 0 || lengthOf(layout) == 0;
  return format(time, zone, given ? rfc3339Nano() : namedLayout(layout));
}

/** time.date: year, month and day. */
export function b_time_date(value: u32): u32 {
  const failure = readTime(value);
  if (failure != Failure.None) return failed(failure);
  civilOf(floorDivide(localSeconds(), DAY_SECONDS));
  return three(year, month, day);
}

/** time.clock: hour, minute and second. */
export function b_time_clock(value: u32): u32 {
  const failure = readTime(value);
  if (failure != Failure.None) return failed(failure);
  const local = localSeconds();
  const ofDay = local - floorDivide(local, DAY_SECONDS) * DAY_SECONDS;
  return three(ofDay / 3600, (ofDay / 60) % 60, ofDay % 60);
}

/** time.weekday: the English name of the day. */
export function b_time_weekday(value: u32): u32 {
  const failure = readTime(value);
  if (failure != Failure.None) return failed(failure);
  weekdayName(weekdayOf(floorDivide(localSeconds(), DAY_SECONDS)));
  return stringOf(nameStart, nameBytes);
}

function isWhole(value: u32): bool {
  return kindOf(value) == Kind.Number && isInteger(value);
}

function isFar(value: u32): bool {
  const number = integerOf(value);
  return number > ADDED_MAX || number < -ADDED_MAX;
}

/** time.add_date: years, months and days later, on the same time of day. */
export function b_time_add_date(value: u32, years: u32, months: u32, days: u32): u32 {
  const failure = readTime(value);
  if (failure != Failure.None) return failed(failure);
  if (!isWhole(years) || !isWhole(months) || !isWhole(days)) return failed(Failure.Type);
  if (isFar(years) || isFar(months) || isFar(days)) return failed();
  const local = localSeconds();
  const today = floorDivide(local, DAY_SECONDS);
  civilOf(today);
  const monthsSince = <i64>(month - 1) + integerOf(months);
  const overflow = floorDivide(monthsSince, 12);
  const newYear = year + integerOf(years) + overflow;
  const newMonth = <i32>(monthsSince - overflow * 12) + 1;
  const newDays = daysOf(newYear, newMonth, day + integerOf(days));
  const nanos = time - floorDivide(time, NANOS) * NANOS;
  return nanosecondsOf(inUtc(newDays * DAY_SECONDS + local - today * DAY_SECONDS), nanos);
}

/** The seconds of UTC at a local time, as Go's time.Date chooses where a change of offset leaves none or two. */
function inUtc(local: i64): i64 {
  lookUp(zone, local);
  if (offset == 0) return local;
  const utc = local - offset;
  if (utc < start || utc >= end) lookUp(zone, utc);
  return local - offset;
}

/** time.diff: years, months, days, hours, minutes and seconds between two moments, in the zone of the first. */
export function b_time_diff(one: u32, other: u32): u32 {
  let failure = readTime(one);
  if (failure != Failure.None) return failed(failure);
  const from = time;
  const inZone = zone;
  failure = readTime(other);
  if (failure != Failure.None) return failed(failure);
  zone = inZone;
  const later = max(from, time);
  time = min(from, time);
  const first = localSeconds();
  time = later;
  const second = localSeconds();
  return difference(first, second);
}

function difference(from: i64, to: i64): u32 {
  const fromDays = floorDivide(from, DAY_SECONDS);
  const toDays = floorDivide(to, DAY_SECONDS);
  civilOf(fromDays);
  const fromYear = year;
  const fromMonth = month;
  const fromDay = day;
  civilOf(toDays);
  let years = year - fromYear;
  let months = month - fromMonth;
  let days = day - fromDay;
  let hours = <i32>((to - toDays * DAY_SECONDS) / 3600 - (from - fromDays * DAY_SECONDS) / 3600);
  const toMinute = ((to - toDays * DAY_SECONDS) / 60) % 60;
  let minutes = <i32>(toMinute - (((from - fromDays * DAY_SECONDS) / 60) % 60));
  let seconds = <i32>(((to - toDays * DAY_SECONDS) % 60) - ((from - fromDays * DAY_SECONDS) % 60));
  if (seconds < 0) {
    seconds += 60;
    minutes -= 1;
  }
  if (minutes < 0) {
    minutes += 60;
    hours -= 1;
  }
  if (hours < 0) {
    hours += 24;
    days -= 1;
  }
  if (days < 0) {
    days += daysIn(fromMonth, fromYear);
    months -= 1;
  }
  if (months < 0) {
    months += 12;
    years -= 1;
  }
  const list = three(years, months, days);
  push(list, integer(hours));
  push(list, integer(minutes));
  push(list, integer(seconds));
  return list;
}
