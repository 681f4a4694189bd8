// Dates of the proleptic Gregorian calendar and days since 1970, both ways.

export const DAY_SECONDS: i64 = 86400;

/** The date that `civilOf` found: year, month 1 to 12, day 1 to 31, day of the year from 1. */
export let year: i64 = 0;
export let month: i32 = 0;
export let day: i32 = 0;
export let yearDay: i32 = 0;

/** Whether a year has a 29 February. */
export function isLeap(inYear: i64): bool {
  return (inYear & 3) == 0 && (inYear % 100 != 0 || inYear % 400 == 0);
}

/** Days of a year without a leap day before a month of 1 to 13. */
export function daysBefore(ofMonth: i32): i32 {
  // 31 and 30 days take turns, but for February, and July with August.
  const long = ofMonth <= 8 ? ofMonth >> 1 : (ofMonth + 1) >> 1;
  return (ofMonth - 1) * 30 + long - (ofMonth > 2 ? 2 : 0);
}

/** Days of a month. */
export function daysIn(ofMonth: i32, inYear: i64): i32 {
  if (ofMonth == 2) return isLeap(inYear) ? 29 : 28;
  return daysBefore(ofMonth + 1) - daysBefore(ofMonth);
}

/** The quotient rounded down. */
export function floorDivide(a: i64, b: i64): i64 {
  const quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

/** Days from 1970-01-01 to 1 January of a year. */
export function daysOfYear(ofYear: i64): i64 {
  const before = ofYear - 1;
  const leaps = floorDivide(before, 4) - floorDivide(before, 100) + floorDivide(before, 400);
  // 719162 days lie between the years 1 and 1970.
  return before * 365 + leaps - 719162;
}

/** Days from 1970-01-01 to a date whose month is 1 to 12; the day may lie outside of it. */
export function daysOf(ofYear: i64, ofMonth: i32, ofDay: i64): i64 {
  const leap: i64 = ofMonth > 2 && isLeap(ofYear) ? 1 : 0;
  return daysOfYear(ofYear) + daysBefore(ofMonth) + leap + ofDay - 1;
}

/** Finds the date of a day counted from 1970-01-01. */
export function civilOf(days: i64): void {
  // 400 years have 146097 days; the estimate is off by one at most.
  year = floorDivide((days + 719162) * 400, 146097) + 1;
  if (daysOfYear(year) > days) year -= 1;
  else if (daysOfYear(year + 1) <= days) year += 1;
  yearDay = <i32>(days - daysOfYear(year)) + 1;
  const leap = isLeap(year) ? 1 : 0;
  if (leap == 1 && yearDay == 60) {
    month = 2;
    day = 29;
    return;
  }
  const plain = leap == 1 && yearDay > 60 ? yearDay - 1 : yearDay;
  month = (plain - 1) / 31 + 1;
  if (daysBefore(month + 1) < plain) month += 1;
  day = plain - daysBefore(month);
}

/** The day of the week of a day counted from 1970-01-01, 0 for Sunday. */
export function weekdayOf(days: i64): i32 {
  const rest = <i32>((days + 4) % 7);
  return rest < 0 ? rest + 7 : rest;
}

const NANOS: i64 = 1000000000;

/** Whether 64 bits hold the nanoseconds of so many seconds and nanoseconds since 1970. */
export function fitsNanoseconds(seconds: i64, nanos: i64): bool {
  const last = i64.MAX_VALUE / NANOS;
  const first = i64.MIN_VALUE / NANOS - 1;
  if (seconds > last || seconds < first) return false;
  if (seconds == last) return nanos <= i64.MAX_VALUE % NANOS;
  // The remainder of the smallest integer is negative.
  return seconds != first || nanos >= NANOS + (i64.MIN_VALUE % NANOS);
}
