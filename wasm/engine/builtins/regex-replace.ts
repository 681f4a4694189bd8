// Replaces all matches, with `$1` and `${name}` in the replacement (Go's ReplaceAllString and Expand).

import { slotsOfProgram, UNSET } from '../../regex/regex';
import { isLetterOrDigit } from '../../regex/unicode';
import { lengthOf, textOf } from '../value';
import { beginMatches, matchEnd, matchSlot, matchStart, nextMatch } from './regex-matches';
import { addByte, addBytes, beginText, finishText } from './text-builder';
import { runeAt, runeBytes } from './utf8';

const NO_GROUP: i32 = -1;

let program: u32 = 0;
let pattern: u32 = 0;
let subject: u32 = 0;
let nameEnd: u32 = 0;

/** The string value with every match of the pattern, whose program this is, replaced. */
export function replaced(text: u32, patternText: u32, compiled: u32, replacement: u32): u32 {
  program = compiled;
  pattern = textOf(patternText);
  subject = textOf(text);
  const length = lengthOf(text);
  const expands = hasDollar(replacement);
  beginMatches(program, text, -1, expands ? slotsOfProgram(program) : 2);
  let from: u32 = 0;
  beginText(length + lengthOf(replacement));
  while (nextMatch()) {
    addBytes(subject + from, matchStart() - from);
    if (expands) expand(textOf(replacement), textOf(replacement) + lengthOf(replacement));
    else addBytes(textOf(replacement), lengthOf(replacement));
    from = matchEnd();
  }
  addBytes(subject + from, length - from);
  return finishText();
}

function hasDollar(text: u32): bool {
  for (let i: u32 = 0; i < lengthOf(text); i++) {
    if (load<u8>(textOf(text) + i) == 0x24) return true;
  }
  return false;
}

/** Writes the replacement of one match. */
function expand(start: u32, end: u32): void {
  let p = start;
  while (p < end) {
    const byte = <u32>load<u8>(p);
    p++;
    if (byte != 0x24) {
      addByte(byte);
    } else if (p < end && load<u8>(p) == 0x24) {
      addByte(0x24);
      p++;
    } else {
      const next = expandName(p, end);
      // What names nothing stands for itself.
      if (next == 0) addByte(0x24);
      else p = next;
    }
  }
}

/** Writes what the name at `p` captured, with braces or without; returns what follows it, or 0 for no name. */
function expandName(p: u32, end: u32): u32 {
  const braced = p < end && load<u8>(p) == 0x7b;
  const name = braced ? p + 1 : p;
  nameEnd = name;
  while (nameEnd < end) {
    const rune = runeAt(nameEnd, end);
    const width = runeBytes;
    if (rune != 0x5f && !isLetterOrDigit(rune)) break;
    nameEnd += width;
  }
  if (nameEnd == name) return 0;
  if (braced && (nameEnd >= end || load<u8>(nameEnd) != 0x7d)) return 0;
  const number = numberAt(name);
  if (number != NO_GROUP) addGroup(<u32>number);
  else addNamed(name, nameEnd - name);
  return braced ? nameEnd + 1 : nameEnd;
}

/** The number of a group when the name is one, without a leading zero. */
function numberAt(name: u32): i32 {
  let number: i32 = 0;
  for (let p = name; p < nameEnd; p++) {
    const digit = <i32>load<u8>(p) - 0x30;
    if (digit < 0 || digit > 9 || number >= 100_000_000) return NO_GROUP;
    number = number * 10 + digit;
  }
  return load<u8>(name) == 0x30 && nameEnd > name + 1 ? NO_GROUP : number;
}

/** Writes what a group captured, nothing when it took no part; returns whether it did. */
function addGroup(group: u32): bool {
  if (group * 2 + 1 >= slotsOfProgram(program)) return false;
  const start = matchSlot(group * 2);
  if (start == UNSET) return false;
  addBytes(subject + start, matchSlot(group * 2 + 1) - start);
  return true;
}

/** Writes what the first group of this name captured that took part. */
function addNamed(name: u32, length: u32): void {
  const groups = load<u32>(program, 8);
  const names = program + load<u32>(program, 12);
  for (let group: u32 = 1; group <= groups; group++) {
    const place = load<u32>(names + (group - 1) * 4);
    if ((place & 0xffff) != length) continue;
    if (memory.compare(pattern + (place >> 16), name, length) == 0 && addGroup(group)) return;
  }
}
