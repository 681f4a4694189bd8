// How go-yaml v3 writes a string: plain, in quotes, or as a block of lines.

import { Kind, kindOf, lengthOf, stringOf, textOf } from '../value';
import { addHexDigit } from './quote';
import { addAscii, addByte, addBytes, addRune } from './text-builder';
import { runeAt, runeBytes } from './utf8';
import { isOneOf, resolved } from './yaml-resolve';
import { isBlank } from './yaml-source';

/** The style of a scalar. */
export const enum Style {
  Plain,
  Single,
  Double,
  Literal,
}

/** The style of a string as a value, or as a key, which stays on one line. */
export function styleOf(text: u32, isKey: bool): Style {
  const length = lengthOf(text);
  const start = textOf(text);
  if (length == 0) return Style.Double;
  const end = start + length;
  const first = runeAt(start, end);
  let marks = startsWithMark(start, end);
  let breaks = false;
  let special = false;
  let tabs = false;
  let breakSpace = false;
  let spaceBreak = false;
  let before: u32 = 0;
  for (let p = start; p < end; p += runeBytes) {
    const rune = runeAt(p, end);
    if (rune == 9) tabs = true;
    else if (!isPrintable(rune)) special = true;
    const next: u32 = p + runeBytes < end ? load<u8>(p + runeBytes) : 0x20;
    if (p > start && rune == 0x3a && isBlankHere(next)) marks = true;
    if (p > start && rune == 0x23 && isBlank(before)) marks = true;
    if (rune == 0x20 && isLine(before)) breakSpace = true;
    if (isLine(rune)) {
      breaks = true;
      if (before == 0x20) spaceBreak = true;
    }
    before = rune;
  }
  const last = before;
  const ends = first == 0x20 || isLine(first) || last == 0x20 || isLine(last);
  if (hasNewLine(start, end)) {
    return isKey || last == 0x20 || spaceBreak || special ? Style.Double : Style.Literal;
  }
  if (!isText(text)) return Style.Double;
  if (!(marks || ends || breakSpace || spaceBreak || tabs || special || breaks)) return Style.Plain;
  return breakSpace || spaceBreak || tabs || special || (isKey && breaks)
    ? Style.Double
    : Style.Single;
}

function hasNewLine(start: u32, end: u32): bool {
  for (let p = start; p < end; p++) if (load<u8>(p) == 10) return true;
  return false;
}

/** Line breaks as libyaml has them. */
function isLine(rune: u32): bool {
  return rune == 10 || rune == 13 || rune == 0x85 || rune == 0x2028 || rune == 0x2029;
}

function isBlankHere(byte: u32): bool {
  return byte == 0x20 || byte == 9;
}

/** Whether a string begins with what has a meaning in YAML. */
function startsWithMark(start: u32, end: u32): bool {
  const first = <u32>load<u8>(start);
  const second: u32 = start + 1 < end ? load<u8>(start, 1) : 0x20;
  const third: u32 = start + 2 < end ? load<u8>(start, 2) : 0;
  if ((first == 0x2d || first == 0x2e) && second == first && third == first) return true;
  if (first == 0x3f || first == 0x3a || first == 0x2d) return isBlankHere(second);
  return isOneOf(stringOf(start, 1), ' # , [ ] { } & * ! | > \' " % @ ` ');
}

/** What libyaml calls printable: nothing beyond the basic plane. */
function isPrintable(rune: u32): bool {
  if (rune < 0xa0) return rune == 10 || (rune >= 0x20 && rune < 0x7f);
  return rune < 0xfffe && rune != 0xfeff;
}

/** Whether a string without quotes would be read as a string, by older readers too. */
function isText(text: u32): bool {
  const value = resolved(textOf(text), lengthOf(text));
  if (value == 0 || kindOf(value) != Kind.String) return false;
  const length = lengthOf(text);
  if (length <= 3) {
    if (isOneOf(text, ' y Y yes Yes YES on On ON n N no No NO off Off OFF ')) return false;
  }
  return !isDate(textOf(text), length) && !isSexagesimal(textOf(text), length);
}

function digitsAt(p: u32, end: u32): u32 {
  let count: u32 = 0;
  while (p + count < end && <u32>load<u8>(p + count) - 0x30 < 10) count++;
  return count;
}

/** A year, month and day, perhaps with a time. */
function isDate(start: u32, length: u32): bool {
  const end = start + length;
  if (digitsAt(start, end) != 4 || length < 8 || load<u8>(start, 4) != 0x2d) return false;
  const month = digitsAt(start + 5, end);
  const dash = start + 5 + month;
  if (month - 1 > 1 || dash >= end || load<u8>(dash) != 0x2d) return false;
  const day = digitsAt(dash + 1, end);
  if (day - 1 > 1) return false;
  const p = dash + 1 + day;
  if (p == end) return true;
  const mark = <u32>load<u8>(p);
  if (mark != 0x54 && mark != 0x74 && mark != 0x20) return false;
  const hour = digitsAt(p + 1, end);
  return hour - 1 < 2 && p + 1 + hour < end && load<u8>(p + 1 + hour) == 0x3a;
}

/** YAML 1.1's numbers of base 60: `1:30`. */
function isSexagesimal(start: u32, length: u32): bool {
  let p = start;
  const end = start + length;
  if (p < end && (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d)) p++;
  let size = digitsAt(p, end);
  if (size == 0) return false;
  p += size;
  while (p < end && load<u8>(p) == 0x5f) p += 1 + digitsAt(p + 1, end);
  let parts: u32 = 0;
  while (p < end && load<u8>(p) == 0x3a) {
    size = digitsAt(p + 1, end);
    if (size == 0 || size > 2 || (size == 2 && load<u8>(p, 1) > 0x35)) return false;
    p += 1 + size;
    parts++;
  }
  if (parts > 0 && p < end && load<u8>(p) == 0x2e) p += 1 + digitsAt(p + 1, end);
  return parts > 0 && p == end;
}

/** Adds a string in single quotes; it has no line breaks. */
export function addSingleQuoted(text: u32): void {
  addByte(0x27);
  for (let i: u32 = 0; i < lengthOf(text); i++) {
    const byte = <u32>load<u8>(textOf(text) + i);
    if (byte == 0x27) addByte(byte);
    addByte(byte);
  }
  addByte(0x27);
}

/** Adds a string in double quotes with the escapes of libyaml. */
export function addDoubleQuoted(text: u32): void {
  const end = textOf(text) + lengthOf(text);
  addByte(0x22);
  for (let p = textOf(text); p < end; p += runeBytes) {
    const rune = runeAt(p, end);
    const letter = letterOf(rune);
    if (letter != 0) {
      addByte(0x5c);
      addByte(letter);
    } else if (isPrintable(rune) && !isLine(rune)) addRune(rune);
    else if (rune < 0x100) addCode(0x78, rune, 4);
    else if (rune < 0x10000) addCode(0x75, rune, 12);
    else addCode(0x55, rune, 28);
  }
  addByte(0x22);
}

function addCode(letter: u32, rune: u32, highest: i32): void {
  addByte(0x5c);
  addByte(letter);
  for (let shift = highest; shift >= 0; shift -= 4) addHexDigit((rune >> shift) & 15, true);
}

function letterOf(rune: u32): u32 {
  if (rune == 0x22 || rune == 0x5c) return rune;
  if (rune == 0) return 0x30;
  if (rune == 7) return 0x61;
  if (rune == 8) return 0x62;
  if (rune == 9) return 0x74;
  if (rune == 10) return 0x6e;
  if (rune == 11) return 0x76;
  if (rune == 12) return 0x66;
  if (rune == 13) return 0x72;
  if (rune == 27) return 0x65;
  if (rune == 0x85) return 0x4e;
  if (rune == 0xa0) return 0x5f;
  if (rune == 0x2028) return 0x4c;
  return rune == 0x2029 ? 0x50 : 0;
}
