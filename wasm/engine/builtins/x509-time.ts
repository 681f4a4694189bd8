// Times of certificates (RFC 5280 section 4.1.2.5), read as Go's cryptobyte reads them.

import { content, contentLength, peek, readAny, Tag, tag } from '../../crypto/der';

/** Of the time that was read last: seconds since 1970, and how many it is east of Greenwich. */
export let seconds: i64 = 0;
export let offset: i32 = 0;

let at: u32 = 0;
/** Whether all pairs so far were digits. */
let valid: bool = false;

/** The number of the two digits at `at`; moves behind them. */
function pair(end: u32): i32 {
  valid = valid && at + 2 <= end;
  if (!valid) return 0;
  const high = <u32>load<u8>(at) - 0x30;
  const low = <u32>load<u8>(at, 1) - 0x30;
  at += 2;
  valid = high <= 9 && low <= 9;
  return <i32>(high * 10 + low);
}

/** Reads a UTCTime or GeneralizedTime; false when it is none. */
export function readTime(cursor: u32): bool {
  const next = peek(cursor);
  if (next != Tag.UtcTime && next != Tag.GeneralizedTime) return false;
  if (!readAny(cursor)) return false;
  const end = content + contentLength;
  at = content;
  valid = true;
  let year = pair(end);
  if (tag == Tag.GeneralizedTime) year = year * 100 + pair(end);
  else year += year >= 50 ? 1900 : 2000;
  const month = pair(end);
  const day = pair(end);
  const hour = pair(end);
  const minute = pair(end);
  let second = 0;
  // Old certificates write UTCTime without seconds.
  const digit = at < end && <u32>load<u8>(at) - 0x30 <= 9;
  if (tag == Tag.GeneralizedTime || digit) second = pair(end);
  if (!valid || month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return false;
  if (hour > 23 || minute > 59 || second > 59) return false;
  if (!readZone(end)) return false;
  const clock = hour * 3600 + minute * 60 + second;
  seconds = daysSince1970(year, month, day) * 86400 + clock - offset;
  return true;
}

/** Reads `Z`, or an offset that is not 0. */
function readZone(end: u32): bool {
  offset = 0;
  if (at + 1 == end && load<u8>(at) == 0x5a) return true;
  if (at + 5 != end) return false;
  const sign = <u32>load<u8>(at++);
  const hours = pair(end);
  const minutes = pair(end);
  offset = hours * 3600 + minutes * 60;
  if (!valid || offset == 0 || (sign != 0x2b && sign != 0x2d)) return false;
  // Go reads a day or an hour of more, and would write it differently.
  if (hours > 23 || minutes > 59) return false;
  if (sign == 0x2d) offset = -offset;
  return true;
}

function daysOf(year: i32, month: i32): i32 {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/** Days from 1970 to a date of the proleptic Gregorian calendar (Hinnant, days_from_civil). */
function daysSince1970(year: i32, month: i32, day: i32): i64 {
  const from = month <= 2 ? year - 1 : year;
  const era = (from >= 0 ? from : from - 399) / 400;
  const ofEra = from - era * 400;
  const ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return <i64>era * 146097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719468;
}
