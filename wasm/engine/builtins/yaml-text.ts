// Quoted and block scalars of YAML, line folding among them (YAML 1.2.2 sections 7.3 and 8.1).

import {
  addByte,
  addBytes,
  addRune,
  beginText,
  cutText,
  finishText,
  textAt,
  textBytes,
} from './text-builder';
import {
  at,
  column,
  end,
  endsDocument,
  fault,
  isBreak,
  moveTo,
  moveToLine,
  peek,
  skipBreak,
  skipInLine,
} from './yaml-source';

/** Reads a scalar in single quotes to a string. */
export function singleQuoted(): u32 {
  moveTo(at + 1);
  beginText();
  while (at < end) {
    const byte = peek();
    if (byte == 0x27) {
      if (peek(1) != 0x27) {
        moveTo(at + 1);
        return finishText();
      }
      addByte(byte);
      moveTo(at + 2);
    } else if (isBreak(byte)) foldBreaks(0);
    else {
      addByte(byte);
      moveTo(at + 1);
    }
  }
  return fault();
}

/** Reads a scalar in double quotes to a string. */
export function doubleQuoted(): u32 {
  moveTo(at + 1);
  beginText();
  // White space before a line break goes, but not what an escape has put there.
  let kept: u32 = 0;
  while (at < end) {
    const byte = peek();
    if (byte == 0x22) {
      moveTo(at + 1);
      return finishText();
    }
    if (isBreak(byte)) foldBreaks(kept);
    else if (byte == 0x5c) {
      if (isBreak(peek(1))) {
        moveTo(at + 1);
        skipBreak();
        while (peek() == 0x20 || peek() == 9) moveTo(at + 1);
      } else if (!addEscape()) return fault();
      kept = textBytes();
    } else {
      addByte(byte);
      moveTo(at + 1);
    }
  }
  return fault();
}

/** Folds one line break into a space, and each further one into a break. */
function foldBreaks(kept: u32): void {
  trimTo(kept);
  let breaks: u32 = 0;
  while (at < end && isBreak(peek())) {
    skipBreak();
    breaks++;
    if (endsDocument()) {
      fault();
      return;
    }
    while (peek() == 0x20 || peek() == 9) moveTo(at + 1);
  }
  if (breaks == 1) addByte(0x20);
  for (; breaks > 1; breaks--) addByte(0x0a);
}

/** Takes white space off the end, down to so many bytes. */
function trimTo(kept: u32): void {
  let size = textBytes();
  while (size > kept && isSpaceAt(size - 1)) size--;
  cutText(size);
}

function isSpaceAt(offset: u32): bool {
  const byte = <u32>load<u8>(textAt(offset));
  return byte == 0x20 || byte == 9;
}

function addEscape(): bool {
  const letter = peek(1);
  moveTo(at + 2);
  if (letter == 0x78) return addCode(2);
  if (letter == 0x75) return addCode(4);
  if (letter == 0x55) return addCode(8);
  const rune = runeOf(letter);
  if (rune < 0) return false;
  addRune(rune);
  return true;
}

function addCode(digits: u32): bool {
  let rune: u32 = 0;
  for (let i: u32 = 0; i < digits; i++) {
    const byte = peek(i);
    const lower = byte | 0x20;
    if (byte - 0x30 < 10) rune = (rune << 4) | (byte - 0x30);
    else if (lower - 0x61 < 6) rune = (rune << 4) | (lower - 0x57);
    else return false;
  }
  if (rune > 0x10ffff || rune >> 11 == 0x1b) return false;
  addRune(rune);
  moveTo(at + digits);
  return true;
}

function runeOf(letter: u32): i32 {
  if (letter == 0x22 || letter == 0x5c || letter == 0x2f || letter == 0x20 || letter == 0x27)
    return letter;
  if (letter == 0x6e) return 10;
  if (letter == 0x74 || letter == 9) return 9;
  if (letter == 0x72) return 13;
  if (letter == 0x30) return 0;
  if (letter == 0x61) return 7;
  if (letter == 0x62) return 8;
  if (letter == 0x65) return 27;
  if (letter == 0x66) return 12;
  if (letter == 0x76) return 11;
  if (letter == 0x5f) return 0xa0;
  if (letter == 0x4e) return 0x85;
  if (letter == 0x4c) return 0x2028;
  return letter == 0x50 ? 0x2029 : -1;
}

/** Reads a block scalar from its `|` or `>` on; its lines are indented deeper than `parent`. */
export function blockScalar(parent: i32): u32 {
  const folds = peek() == 0x3e;
  moveTo(at + 1);
  let chomp: u32 = 0;
  let indent: i32 = -1;
  for (let i = 0; i < 2; i++) {
    const byte = peek();
    if (byte == 0x2b || byte == 0x2d) chomp = byte;
    else if (byte - 0x31 < 9) indent = max(parent, 0) + <i32>(byte - 0x30);
    else break;
    moveTo(at + 1);
  }
  skipInLine();
  if (at < end && !isBreak(peek())) return fault();
  if (at < end) skipBreak();
  if (indent < 0) indent = indentHere(parent);
  return blockLines(indent, folds, chomp);
}

/** The deepest indentation down to the first line that is not empty, at least one more than that of the parent. */
function indentHere(parent: i32): i32 {
  let p = at;
  let deepest = max(parent + 1, 1);
  while (p < end) {
    const from = p;
    while (p < end && load<u8>(p) == 0x20) p++;
    deepest = max(deepest, <i32>(p - from));
    if (p < end && !isBreak(load<u8>(p))) break;
    p++;
  }
  return deepest;
}

function blockLines(indent: i32, folds: bool, chomp: u32): u32 {
  beginText();
  // Line breaks that are not written yet, and whether the line before was indented deeper.
  let breaks: u32 = 0;
  let wasDeep = true;
  let kept: u32 = 0;
  while (at < end && !endsDocument()) {
    const line = at;
    while (peek() == 0x20 && column() < indent) moveTo(at + 1);
    if (at < end && !isBreak(peek()) && column() < indent) {
      if (peek() == 9) return fault();
      moveToLine(line);
      break;
    }
    const from = at;
    while (at < end && !isBreak(peek())) moveTo(at + 1);
    if (at > from) {
      const isDeep = load<u8>(from) == 0x20 || load<u8>(from) == 9;
      if (folds && !isDeep && !wasDeep && breaks == 1) addByte(0x20);
      else {
        if (folds && !isDeep && !wasDeep && breaks > 1) breaks--;
        for (; breaks > 0; breaks--) addByte(0x0a);
      }
      wasDeep = isDeep;
      breaks = 0;
      addBytes(from, at - from);
      kept = textBytes();
    }
    if (at < end) {
      skipBreak();
      breaks++;
    }
  }
  if (chomp == 0x2b) for (; breaks > 0; breaks--) addByte(0x0a);
  else if (chomp == 0 && kept > 0 && breaks > 0) addByte(0x0a);
  return finishText();
}
