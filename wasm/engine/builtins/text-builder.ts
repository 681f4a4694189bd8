// Builds one string value in the arena, growing in place while nothing else is allocated; one string at a time.

import { alloc, mark, release } from '../../common/arena';
import { Kind, LENGTH, lengthOf, TEXT, textOf } from '../value';

let value: u32 = 0;
let end: u32 = 0;
let limit: u32 = 0;

/** Begins a string that will probably have so many bytes; an unfinished one before it is dropped. */
export function beginText(hint: u32 = 48): void {
  const bytes = (TEXT + hint + 7) & ~7;
  value = alloc(bytes);
  end = value + TEXT;
  limit = value + bytes;
}

/** Makes room for so many more bytes. */
function room(bytes: u32): void {
  if (bytes > limit - end) grow(bytes);
}

function grow(bytes: u32): void {
  const used = end - value;
  const wanted = (max(used << 1, used + bytes) + 7) & ~7;
  if (mark() == limit) {
    alloc(wanted - (limit - value));
  } else {
    const moved = alloc(wanted);
    memory.copy(moved, value, used);
    value = moved;
    end = moved + used;
  }
  limit = value + wanted;
}

/** Adds one byte. */
export function addByte(byte: u32): void {
  room(1);
  store<u8>(end, byte);
  end += 1;
}

/** Adds bytes, which may stand in the string itself. */
export function addBytes(pointer: u32, length: u32): void {
  room(length);
  memory.copy(end, pointer, length);
  end += length;
}

/** Adds a string value's text. */
export function addText(text: u32): void {
  addBytes(textOf(text), lengthOf(text));
}

/** Adds an ASCII literal. */
export function addAscii(text: string): void {
  const length = <u32>text.length;
  room(length);
  const source = changetype<usize>(text);
  for (let i: u32 = 0; i < length; i++) store<u8>(end + i, load<u8>(source + (i << 1)));
  end += length;
}

/** Adds the same byte so many times. */
export function addRepeated(byte: u32, times: u32): void {
  room(times);
  memory.fill(end, <u8>byte, times);
  end += times;
}

/** Adds a code point as UTF-8; one that is none becomes U+FFFD, as in Go. */
export function addRune(point: u32): void {
  let rune = point;
  if (rune > 0x10ffff || rune >> 11 == 0x1b) rune = 0xfffd;
  if (rune < 0x80) return addByte(rune);
  if (rune < 0x800) {
    addByte(0xc0 | (rune >> 6));
  } else {
    if (rune < 0x10000) addByte(0xe0 | (rune >> 12));
    else {
      addByte(0xf0 | (rune >> 18));
      addByte(0x80 | ((rune >> 12) & 63));
    }
    addByte(0x80 | ((rune >> 6) & 63));
  }
  addByte(0x80 | (rune & 63));
}

/** Adds an integer in decimal. */
export function addInteger(number: i64): void {
  let rest: u64 = number < 0 ? <u64>(0 - number) : <u64>number;
  if (number < 0) addByte(0x2d);
  let divisor: u64 = 1;
  while (rest / divisor >= 10) divisor *= 10;
  for (; divisor > 0; divisor /= 10) {
    addByte(0x30 + <u32>(rest / divisor));
    rest %= divisor;
  }
}

/** Sets the unfinished string aside so that another can be built; what it returns is for `resumeText`. */
export function suspendText(): u32 {
  const state = alloc(12);
  store<u32>(state, value);
  store<u32>(state, end, 4);
  store<u32>(state, limit, 8);
  return state;
}

/** Goes on with a string that was set aside. */
export function resumeText(state: u32): void {
  value = load<u32>(state);
  end = load<u32>(state, 4);
  limit = load<u32>(state, 8);
}

/** Bytes so far. */
export function textBytes(): u32 {
  return end - value - TEXT;
}

/** Where the byte at an offset is until something is added. */
export function textAt(offset: u32): u32 {
  return value + TEXT + offset;
}

/** Drops everything from an offset on. */
export function cutText(offset: u32): void {
  end = value + TEXT + offset;
}

/** Puts a byte so many times in front of the byte at an offset. */
export function insertRepeated(offset: u32, byte: u32, times: u32): void {
  room(times);
  const at = textAt(offset);
  memory.copy(at + times, at, end - at);
  memory.fill(at, <u8>byte, times);
  end += times;
}

/** The finished string value; unused memory behind it is given back. */
export function finishText(): u32 {
  store<u64>(value, Kind.String);
  store<u32>(value, end - value - TEXT, LENGTH);
  if (mark() == limit) release((end + 7) & ~7);
  return value;
}
