// Takes characters, a beginning or an end off strings (OPA's v1/topdown/strings.go, Go's strings.Trim…).

import { alloc, mark, release } from '../../common/arena';
import { Failure, failed } from '../failure';
import { Kind, kindOf, lengthOf, stringOf, textOf } from '../value';
import { runeAt, runeBytes } from './utf8';

function twoStrings(a: u32, b: u32): bool {
  return kindOf(a) == Kind.String && kindOf(b) == Kind.String;
}

/** The part of a string from one address to another; the string itself when that is all of it. */
function part(text: u32, from: u32, to: u32): u32 {
  return to - from == lengthOf(text) ? text : stringOf(from, to - from);
}

// The characters to trim as an open hash table, so that long lists of them cost no more than short ones.
let slots: u32 = 0;
let mask: u32 = 0;

function readSet(characters: u32): void {
  const end = textOf(characters) + lengthOf(characters);
  mask = 7;
  while (mask < lengthOf(characters) << 1) mask = (mask << 1) | 1;
  slots = alloc((mask + 1) << 2);
  memory.fill(slots, 0xff, (mask + 1) << 2);
  for (let p = textOf(characters); p < end; p += runeBytes) {
    const rune = runeAt(p, end);
    store<u32>(slotOf(rune), rune);
  }
}

function slotOf(rune: u32): u32 {
  let at = (rune * 0x9e3779b1) >> 7;
  while (true) {
    const slot = slots + ((at & mask) << 2);
    const taken = load<u32>(slot);
    if (taken == rune || taken == 0xffffffff) return slot;
    at++;
  }
}

/** Whether a character is in the set, or is white space when there is none. */
function trimmed(rune: u32): bool {
  if (slots != 0) return load<u32>(slotOf(rune)) == rune;
  return isSpace(rune);
}

/** Go's unicode.IsSpace. */
function isSpace(rune: u32): bool {
  if (rune < 0x80) return rune == 0x20 || (rune >= 9 && rune <= 13);
  if (rune == 0x85 || rune == 0xa0 || rune == 0x1680 || rune == 0x202f || rune == 0x205f)
    return true;
  return (rune >= 0x2000 && rune <= 0x200a) || rune == 0x2028 || rune == 0x2029 || rune == 0x3000;
}

function skipLeft(start: u32, end: u32): u32 {
  let p = start;
  while (p < end && trimmed(runeAt(p, end))) p += runeBytes;
  return p;
}

function skipRight(start: u32, end: u32): u32 {
  let p = end;
  while (p > start) {
    let before = p - 1;
    const lowest = p - start > 4 ? p - 4 : start;
    while (before > lowest && (load<u8>(before) & 0xc0) == 0x80) before--;
    const rune = runeAt(before, p);
    if (runeBytes != p - before) {
      // Broken text: its last byte alone, as Go's DecodeLastRune.
      if (!trimmed(0xfffd)) return p;
      p -= 1;
    } else {
      if (!trimmed(rune)) return p;
      p = before;
    }
  }
  return p;
}

function trim(text: u32, characters: u32, left: bool, right: bool): u32 {
  if (!twoStrings(text, characters)) return failed(Failure.Type);
  if (lengthOf(characters) == 0) return text;
  const point = mark();
  readSet(characters);
  let from = textOf(text);
  let to = from + lengthOf(text);
  if (left) from = skipLeft(from, to);
  if (right) to = skipRight(from, to);
  release(point);
  return part(text, from, to);
}

export function b_trim(text: u32, characters: u32): u32 {
  return trim(text, characters, true, true);
}

export function b_trim_left(text: u32, characters: u32): u32 {
  return trim(text, characters, true, false);
}

export function b_trim_right(text: u32, characters: u32): u32 {
  return trim(text, characters, false, true);
}

export function b_trim_space(text: u32): u32 {
  if (kindOf(text) != Kind.String) return failed(Failure.Type);
  slots = 0;
  const end = textOf(text) + lengthOf(text);
  const from = skipLeft(textOf(text), end);
  return part(text, from, skipRight(from, end));
}

export function b_trim_prefix(text: u32, prefix: u32): u32 {
  if (!twoStrings(text, prefix)) return failed(Failure.Type);
  const length = lengthOf(prefix);
  const from = textOf(text);
  const to = from + lengthOf(text);
  if (length > to - from || memory.compare(from, textOf(prefix), length) != 0) return text;
  return part(text, from + length, to);
}

export function b_trim_suffix(text: u32, suffix: u32): u32 {
  if (!twoStrings(text, suffix)) return failed(Failure.Type);
  const length = lengthOf(suffix);
  const from = textOf(text);
  const to = from + lengthOf(text);
  if (length > to - from || memory.compare(to - length, textOf(suffix), length) != 0) return text;
  return part(text, from, to - length);
}
