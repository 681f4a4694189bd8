// Paths of json.filter, json.remove and json.patch: JSON pointers or arrays of steps (OPA's v1/topdown/json.go).

import { Kind, kindOf, lengthOf, newArray, push, textOf } from '../value';
import { addByte, beginText, finishText } from './text-builder';

/** A path as an array of steps; 0 when the value is neither text nor array. */
export function pathOf(value: u32): u32 {
  if (kindOf(value) == Kind.Array) return value;
  if (kindOf(value) != Kind.String) return 0;
  const steps = newArray(4);
  let p = textOf(value);
  const end = p + lengthOf(value);
  if (p == end) return steps;
  // Any number of slashes may lead.
  while (p < end && load<u8>(p) == 0x2f) p++;
  beginText(16);
  for (; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte == 0x2f) {
      push(steps, finishText());
      beginText(16);
    } else p += addUnescaped(p, end, byte);
  }
  push(steps, finishText());
  return steps;
}

/** Adds a byte, or what `~0` and `~1` stand for; returns how many bytes more that took. */
function addUnescaped(p: u32, end: u32, byte: u32): u32 {
  const next: u32 = byte == 0x7e && p + 1 < end ? load<u8>(p, 1) : 0;
  if (next == 0x30 || next == 0x31) {
    addByte(next == 0x30 ? 0x7e : 0x2f);
    return 1;
  }
  addByte(byte);
  return 0;
}
