// Writes a glob of the Go package github.com/gobwas/glob as a pattern of Go's package regexp, which matches the same
// texts (the package's own fuzz test holds it to that), but in linear time.

import { lengthOf, textOf } from '../value';
import { addAscii, addByte, addRune, beginText, finishText } from './text-builder';
import { runeAt, runeBytes } from './utf8';

let at: u32 = 0;
let end: u32 = 0;
let separators: u32 = 0;
let separatorCount: u32 = 0;

/** The next character, or -1 at the end. */
function readRune(): i32 {
  if (at >= end) return -1;
  const rune = runeAt(at, end);
  at += runeBytes;
  return <i32>rune;
}

function peekByte(): u32 {
  return at < end ? <u32>load<u8>(at) : 0;
}

/** Writes `\x{...}` for a character. */
function addEscaped(rune: u32): void {
  addAscii('\\x{');
  for (let shift: u32 = 24; shift > 0; shift -= 4) {
    const digit = (rune >> (shift - 4)) & 15;
    addByte(digit < 10 ? 0x30 + digit : 0x57 + digit);
  }
  addByte(0x7d);
}

/** Writes a character that stands for itself. */
function addLiteral(rune: u32): void {
  const lower = rune | 0x20;
  const plain = rune >= 0x80 || (rune >= 0x30 && rune <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
  if (!plain && rune > 0x20 && rune < 0x7f) addByte(0x5c);
  addRune(rune);
}

/** Writes a class of all characters but the separators. */
function addSingle(): void {
  if (separatorCount == 0) {
    addByte(0x2e);
    return;
  }
  addAscii('[^');
  for (let i: u32 = 0; i < separatorCount; i++) addEscaped(load<u32>(separators + i * 4));
  addByte(0x5d);
}

/** Writes a class after its bracket; false when it is none. */
function addClass(): bool {
  addByte(0x5b);
  if (peekByte() == 0x21) {
    at++;
    addByte(0x5e);
  }
  const start = at;
  const low = readRune();
  if (low >= 0 && peekByte() == 0x2d) {
    at++;
    const high = readRune();
    if (high < low || readRune() != 0x5d) return false;
    addEscaped(low);
    addByte(0x2d);
    addEscaped(high);
    addByte(0x5d);
    return true;
  }
  at = start;
  let isEmpty = true;
  while (true) {
    let rune = readRune();
    if (rune == 0x5d) break;
    if (rune == 0x5c) rune = readRune();
    if (rune < 0) return false;
    addEscaped(rune);
    isEmpty = false;
  }
  addByte(0x5d);
  return !isEmpty;
}

/** Writes what begins with `rune`; `inTerms` when a brace is open. False when it is no glob. */
function addTerm(rune: u32, inTerms: bool): bool {
  switch (rune) {
    case 0x2a: // *
      if (peekByte() == 0x2a) {
        at++;
        addByte(0x2e);
      } else {
        addSingle();
      }
      addByte(0x2a);
      return true;
    case 0x3f: // ?
      addSingle();
      return true;
    case 0x5b: // [
      return addClass();
    case 0x5c: {
      const escaped = readRune();
      if (escaped >= 0) addLiteral(escaped);
      return escaped >= 0;
    }
    case 0x7b: // {
      addAscii('(?:');
      return true;
    default:
      break;
  }
  if (inTerms && rune == 0x2c) addByte(0x7c);
  else if (inTerms && rune == 0x7d) addByte(0x29);
  else addLiteral(rune);
  return true;
}

/**
 * The pattern (a string value) of a glob, itself a string value, whose `*` and `?` stop at `count` separators: code
 * points in a row at `from`. 0 when it is no glob.
 */
export function globPattern(glob: u32, from: u32, count: u32): u32 {
  at = textOf(glob);
  end = at + lengthOf(glob);
  separators = from;
  separatorCount = count;
  let depth: u32 = 0;
  beginText(lengthOf(glob) * 2 + 16);
  addAscii('(?s)^(?:');
  while (at < end) {
    const rune = <u32>readRune();
    if (!addTerm(rune, depth > 0)) return 0;
    if (rune == 0x7b) depth++;
    else if (rune == 0x7d && depth > 0) depth--;
  }
  addAscii(')$');
  return depth == 0 ? finishText() : 0;
}
