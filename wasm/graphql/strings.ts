// Reads the quoted and the block strings of GraphQL, as gqlparser's lexer does.

import { alloc, release } from '../common/arena';
import { stringOf } from '../engine/value';

/** Where the last string read ends, behind its quotes. */
export let readTo: u32 = 0;
/** The last string read, a string value. */
export let readValue: u32 = 0;

/** Reads from behind the opening quote; false when the string is broken. */
export function readString(start: u32, end: u32): bool {
  // No string is longer than what is left; what it does not need is given back.
  let to = alloc(end - start);
  const from = to;
  for (let p = start; p < end; ) {
    const byte = <u32>load<u8>(p);
    if (byte == 0x22) {
      release(to);
      readTo = p + 1;
      readValue = stringOf(from, to - from);
      return true;
    }
    if (byte < 0x20 && byte != 9) return false;
    if (byte != 0x5c) {
      store<u8>(to++, byte);
      p += 1;
      continue;
    }
    if (p + 1 >= end) return false;
    const letter = <u32>load<u8>(p, 1);
    if (letter == 0x75) {
      const point = p + 6 < end ? hex4(p + 2) : -1;
      if (point < 0) return false;
      to = writePoint(to, point);
      p += 6;
    } else {
      const plain = escaped(letter);
      if (plain == 0) return false;
      store<u8>(to++, plain);
      p += 2;
    }
  }
  return false;
}

/** What backslash and this letter stand for, 0 when they stand for nothing. */
function escaped(letter: u32): u32 {
  if (letter == 0x22 || letter == 0x2f || letter == 0x5c) return letter;
  if (letter == 0x62) return 8;
  if (letter == 0x66) return 12;
  if (letter == 0x6e) return 10;
  if (letter == 0x72) return 13;
  return letter == 0x74 ? 9 : 0;
}

function hex4(p: u32): i32 {
  let point: i32 = 0;
  for (let i: u32 = 0; i < 4; i++) {
    const byte = <i32>load<u8>(p + i);
    const lower = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) point = (point << 4) | (byte - 0x30);
    else if (lower >= 0x61 && lower <= 0x66) point = (point << 4) | (lower - 0x57);
    else return -1;
  }
  return point;
}

/** Writes a character of the basic plane as UTF-8; half a surrogate pair is U+FFFD, as Go writes it. */
function writePoint(to: u32, point: i32): u32 {
  if (point < 0x80) {
    store<u8>(to, point);
    return to + 1;
  }
  if (point < 0x800) {
    store<u8>(to, 0xc0 | (point >> 6));
    store<u8>(to, 0x80 | (point & 63), 1);
    return to + 2;
  }
  const whole = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
  store<u8>(to, 0xe0 | (whole >> 12));
  store<u8>(to, 0x80 | ((whole >> 6) & 63), 1);
  store<u8>(to, 0x80 | (whole & 63), 2);
  return to + 3;
}

/** Reads from behind the three opening quotes; false when the string is broken. */
export function readBlockString(start: u32, end: u32): bool {
  let to = alloc(end - start);
  const from = to;
  for (let p = start; p < end; ) {
    const byte = <u32>load<u8>(p);
    const quotes = byte == 0x22 ? run(p, end) : 0;
    if (quotes >= 3) {
      // Of more than three quotes the last three close.
      memory.fill(to, 0x22, quotes - 3);
      to += quotes - 3;
      release(to);
      readTo = p + quotes;
      readValue = trimmed(from, to);
      return true;
    }
    if (byte < 0x20 && byte != 9 && byte != 10 && byte != 13) return false;
    if (byte == 0x5c && p + 4 <= end && load<u8>(p, 1) == 0x22 && run(p + 1, p + 4) == 3) {
      memory.fill(to, 0x22, 3);
      to += 3;
      p += 4;
    } else if (byte == 13) {
      store<u8>(to++, 10);
      p += p + 1 < end && load<u8>(p, 1) == 10 ? 2 : 1;
    } else {
      store<u8>(to++, byte);
      p += 1;
    }
  }
  return false;
}

/** How many quotes stand in a row. */
function run(p: u32, end: u32): u32 {
  let last = p;
  while (last < end && load<u8>(last) == 0x22) last++;
  return last - p;
}

const BLANK: u32 = u32.MAX_VALUE;

/** The specification's BlockStringValue: common indentation and blank lines at both ends removed. */
function trimmed(from: u32, end: u32): u32 {
  const indent = commonIndent(from, end);
  const text = alloc(end - from + 1);
  let to = text;
  // Where the text stands after its last line that is not blank.
  let kept: u32 = 0;
  for (let line = from; line <= end; ) {
    const close = lineEnd(line, end);
    const blank = leading(line, close) == BLANK;
    if (!blank || kept != 0) {
      // The first of all lines keeps its indentation.
      const cut = line == from ? 0 : min(indent, close - line);
      memory.copy(to, line + cut, close - line - cut);
      to += close - line - cut;
      if (!blank) kept = to;
      store<u8>(to++, 10);
    }
    line = close + 1;
  }
  return stringOf(text, kept == 0 ? 0 : kept - text);
}

function commonIndent(from: u32, end: u32): u32 {
  let common = BLANK;
  for (let line = from; line <= end; ) {
    const close = lineEnd(line, end);
    common = min(common, leading(line, close));
    line = close + 1;
  }
  return common == BLANK ? 0 : common;
}

function lineEnd(line: u32, end: u32): u32 {
  let p = line;
  while (p < end && load<u8>(p) != 10) p++;
  return p;
}

/** Spaces and tabs at the beginning of a line, BLANK when it has nothing else. */
function leading(line: u32, close: u32): u32 {
  for (let p = line; p < close; p++) {
    if (load<u8>(p) != 0x20 && load<u8>(p) != 9) return p - line;
  }
  return BLANK;
}
