// The layouts of Go's time package: text in which parts of the reference time stand for what is there.

import { asciiString, lengthOf, textOf } from '../value';

/** What stands in a layout. */
export const enum Part {
  None,
  LongMonth,
  Month,
  NumMonth,
  ZeroMonth,
  LongWeekday,
  Weekday,
  Day,
  UnderDay,
  ZeroDay,
  UnderYearDay,
  ZeroYearDay,
  Hour,
  Hour12,
  ZeroHour12,
  Minute,
  ZeroMinute,
  Second,
  ZeroSecond,
  LongYear,
  Year,
  UpperPm,
  LowerPm,
  Zone,
  // Offsets that are written Z when there is none, then such that never are.
  Iso,
  IsoSeconds,
  IsoShort,
  IsoColon,
  IsoColonSeconds,
  Offset,
  OffsetSeconds,
  OffsetShort,
  OffsetColon,
  OffsetColonSeconds,
  // Fractions of a second, with as many digits as `digits` and after `separator`.
  Fraction,
  FractionTrimmed,
}

/** What `nextPart` found: where it begins and ends; the layout's end when there is `None`. */
export let partStart: u32 = 0;
export let partEnd: u32 = 0;
/** Of a fraction: its digits and what stands in front of them. */
export let digits: u32 = 0;
export let separator: u32 = 0;

let end: u32 = 0;

/** Finds the first part of a layout. */
export function nextPart(layout: u32, layoutEnd: u32): u32 {
  end = layoutEnd;
  for (let p = layout; p < layoutEnd; p++) {
    partStart = p;
    const part = partAt(p, load<u8>(p));
    if (part != Part.None) return part;
  }
  partStart = layoutEnd;
  partEnd = layoutEnd;
  return Part.None;
}

/** Whether this text stands here; then the part ends behind it. */
function reads(p: u32, literal: string): bool {
  const length = <u32>literal.length;
  if (end - p < length) return false;
  const source = changetype<usize>(literal);
  for (let i: u32 = 0; i < length; i++) {
    if (load<u8>(p + i) != load<u8>(source + (i << 1))) return false;
  }
  partEnd = p + length;
  return true;
}

function partAt(p: u32, byte: u32): u32 {
  switch (byte) {
    case 0x4a: // J
      if (reads(p, 'January')) return Part.LongMonth;
      return reads(p, 'Jan') && !lowerAt(p + 3) ? Part.Month : Part.None;
    case 0x4d: // M
      if (reads(p, 'Monday')) return Part.LongWeekday;
      if (reads(p, 'Mon') && !lowerAt(p + 3)) return Part.Weekday;
      return reads(p, 'MST') ? Part.Zone : Part.None;
    case 0x30:
      return zeroAt(p);
    case 0x5f:
      return underscoreAt(p);
    case 0x50:
      return reads(p, 'PM') ? Part.UpperPm : Part.None;
    case 0x70:
      return reads(p, 'pm') ? Part.LowerPm : Part.None;
    case 0x2d:
      return offsetAt(p);
    case 0x5a:
      return isoAt(p);
    case 0x2e:
    case 0x2c:
      return fractionAt(p, byte);
  }
  return numberAt(p, byte);
}

/** 15 or 1, 2006 or 2, 3, 4 and 5. */
function numberAt(p: u32, byte: u32): u32 {
  if (byte < 0x31 || byte > 0x35) return Part.None;
  if (byte == 0x31 && reads(p, '15')) return Part.Hour;
  if (byte == 0x32 && reads(p, '2006')) return Part.LongYear;
  partEnd = p + 1;
  if (byte == 0x31) return Part.NumMonth;
  if (byte == 0x32) return Part.Day;
  if (byte == 0x33) return Part.Hour12;
  return byte == 0x34 ? Part.Minute : Part.Second;
}

/** 01 to 06 and 002. */
function zeroAt(p: u32): u32 {
  if (reads(p, '01')) return Part.ZeroMonth;
  if (reads(p, '02')) return Part.ZeroDay;
  if (reads(p, '03')) return Part.ZeroHour12;
  if (reads(p, '04')) return Part.ZeroMinute;
  if (reads(p, '05')) return Part.ZeroSecond;
  if (reads(p, '06')) return Part.Year;
  return reads(p, '002') ? Part.ZeroYearDay : Part.None;
}

/** _2 and __2; _2006 is an underscore and a year. */
function underscoreAt(p: u32): u32 {
  if (reads(p, '_2006')) {
    partStart = p + 1;
    return Part.LongYear;
  }
  if (reads(p, '_2')) return Part.UnderDay;
  return reads(p, '__2') ? Part.UnderYearDay : Part.None;
}

function offsetAt(p: u32): u32 {
  if (reads(p, '-070000')) return Part.OffsetSeconds;
  if (reads(p, '-07:00:00')) return Part.OffsetColonSeconds;
  if (reads(p, '-0700')) return Part.Offset;
  if (reads(p, '-07:00')) return Part.OffsetColon;
  return reads(p, '-07') ? Part.OffsetShort : Part.None;
}

function isoAt(p: u32): u32 {
  if (reads(p, 'Z070000')) return Part.IsoSeconds;
  if (reads(p, 'Z07:00:00')) return Part.IsoColonSeconds;
  if (reads(p, 'Z0700')) return Part.Iso;
  if (reads(p, 'Z07:00')) return Part.IsoColon;
  return reads(p, 'Z07') ? Part.IsoShort : Part.None;
}

/** A point or a comma, then only zeros or only nines, and no other digit behind them. */
function fractionAt(p: u32, byte: u32): u32 {
  const digit = p + 1 < end ? <u32>load<u8>(p, 1) : 0;
  if (digit != 0x30 && digit != 0x39) return Part.None;
  let last = p + 1;
  while (last < end && load<u8>(last) == digit) last++;
  if (last < end && <u32>load<u8>(last) - 0x30 < 10) return Part.None;
  partEnd = last;
  // Go keeps twelve bits of the number.
  digits = (last - p - 1) & 0xfff;
  separator = byte;
  return digit == 0x30 ? Part.Fraction : Part.FractionTrimmed;
}

/** Whether a small letter stands here, so that `Mon` is the beginning of `Month`. */
function lowerAt(p: u32): bool {
  return p < end && <u32>load<u8>(p) - 0x61 < 26;
}

/** Whether an offset is written Z when it is zero. */
export function isIso(part: u32): bool {
  return part >= <u32>Part.Iso && part <= <u32>Part.IsoColonSeconds;
}

/** Whether a part is an offset of any form. */
export function isOffset(part: u32): bool {
  return part >= <u32>Part.Iso && part <= <u32>Part.OffsetColonSeconds;
}

/** Whether an offset has colons between its numbers. */
export function hasColon(part: u32): bool {
  return (
    part == Part.IsoColon ||
    part == Part.IsoColonSeconds ||
    part == Part.OffsetColon ||
    part == Part.OffsetColonSeconds
  );
}

/** Whether an offset has hours only. */
export function isShort(part: u32): bool {
  return part == Part.IsoShort || part == Part.OffsetShort;
}

/** Whether an offset has seconds. */
export function hasSeconds(part: u32): bool {
  return (
    part == Part.IsoSeconds ||
    part == Part.IsoColonSeconds ||
    part == Part.OffsetSeconds ||
    part == Part.OffsetColonSeconds
  );
}

/** The layout that a name of Go's stands for, `layout` itself when it is none. */
export function namedLayout(layout: u32): u32 {
  if (matches(layout, 'ANSIC')) return asciiString('Mon Jan _2 15:04:05 2006');
  if (matches(layout, 'UnixDate')) return asciiString('Mon Jan _2 15:04:05 MST 2006');
  if (matches(layout, 'RubyDate')) return asciiString('Mon Jan 02 15:04:05 -0700 2006');
  if (matches(layout, 'RFC822')) return asciiString('02 Jan 06 15:04 MST');
  if (matches(layout, 'RFC822Z')) return asciiString('02 Jan 06 15:04 -0700');
  if (matches(layout, 'RFC850')) return asciiString('Monday, 02-Jan-06 15:04:05 MST');
  if (matches(layout, 'RFC1123')) return asciiString('Mon, 02 Jan 2006 15:04:05 MST');
  if (matches(layout, 'RFC1123Z')) return asciiString('Mon, 02 Jan 2006 15:04:05 -0700');
  if (matches(layout, 'RFC3339')) return rfc3339();
  if (matches(layout, 'RFC3339Nano')) return rfc3339Nano();
  return layout;
}

/** RFC 3339. */
export function rfc3339(): u32 {
  return asciiString('2006-01-02T15:04:05Z07:00');
}

/** RFC 3339 with as many digits of a second as there are. */
export function rfc3339Nano(): u32 {
  return asciiString('2006-01-02T15:04:05.999999999Z07:00');
}

function matches(layout: u32, name: string): bool {
  const length = lengthOf(layout);
  end = textOf(layout) + length;
  return length == <u32>name.length && reads(textOf(layout), name);
}
