// The output buffer of a module: appended to byte by byte, read by the host after the call.

import { alloc } from './arena';

let start: u32 = 0;
let end: u32 = 0;
let capacity: u32 = 0;

/** Begins a new output; earlier output of this decision is dropped. */
export function beginOutput(): void {
  capacity = 1024;
  start = alloc(capacity);
  end = start;
}

/** Where the output begins. */
export function outputPointer(): u32 {
  return start;
}

/** How many bytes were written. */
export function outputBytes(): u32 {
  return end - start;
}

/** Makes given memory the output, without a copy. */
export function setOutput(pointer: u32, length: u32): void {
  start = pointer;
  end = pointer + length;
  capacity = length;
}

function room(bytes: u32): void {
  if (end - start + bytes > capacity) grow(bytes);
}

function grow(bytes: u32): void {
  const used = end - start;
  const wanted = max(capacity * 2, used + bytes);
  const moved = alloc(wanted);
  memory.copy(moved, start, used);
  start = moved;
  end = moved + used;
  capacity = wanted;
}

export function writeByte(byte: u32): void {
  room(1);
  store<u8>(end, byte);
  end += 1;
}

export function writeBytes(pointer: u32, length: u32): void {
  room(length);
  memory.copy(end, pointer, length);
  end += length;
}

/** Writes an ASCII literal; the literal lives in static memory as UTF-16. */
export function writeAscii(text: string): void {
  const length = <u32>text.length;
  room(length);
  const source = changetype<usize>(text);
  for (let i: u32 = 0; i < length; i++) store<u8>(end + i, load<u8>(source + (i << 1)));
  end += length;
}

export function writeU32(value: u32): void {
  let divisor: u32 = 1;
  while (value / divisor >= 10) divisor *= 10;
  for (; divisor > 0; divisor /= 10) writeByte(0x30 + ((value / divisor) % 10));
}

/** Writes UTF-8 text as a JSON string, escaped as RFC 8785 section 3.2.2.2 says. */
export function writeJsonString(pointer: u32, length: u32): void {
  writeByte(0x22);
  for (let i: u32 = 0; i < length; i++) writeJsonByte(load<u8>(pointer + i));
  writeByte(0x22);
}

/** Writes one byte of a JSON string's UTF-8 content, escaped where RFC 8785 demands it. */
export function writeJsonByte(byte: u32): void {
  if (byte >= 0x20) {
    if (byte == 0x22 || byte == 0x5c) writeByte(0x5c);
    writeByte(byte);
    return;
  }
  writeByte(0x5c);
  if (byte == 8) writeByte(0x62);
  else if (byte == 9) writeByte(0x74);
  else if (byte == 10) writeByte(0x6e);
  else if (byte == 12) writeByte(0x66);
  else if (byte == 13) writeByte(0x72);
  else {
    writeAscii('u00');
    writeByte(0x30 + (byte >> 4));
    const low = byte & 15;
    writeByte(low < 10 ? 0x30 + low : 0x57 + low);
  }
}
