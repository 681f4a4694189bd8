// Short texts of one stream: literals as bytes, and comparisons that do not care for case.

import { alloc } from '../common/arena';

/** The ASCII bytes of a literal, in the arena; its length is that of the literal. */
export function ascii(text: string): u32 {
  const length = <u32>text.length;
  const pointer = alloc(length);
  const source = changetype<usize>(text);
  for (let i: u32 = 0; i < length; i++) store<u8>(pointer + i, load<u8>(source + (i << 1)));
  return pointer;
}

/** Whether the bytes are exactly the literal. */
export function equals(pointer: u32, length: u32, text: string): bool {
  return length == <u32>text.length && startsWith(pointer, length, text);
}

/** Whether the bytes begin with the literal. */
export function startsWith(pointer: u32, length: u32, text: string): bool {
  const count = <u32>text.length;
  if (length < count) return false;
  const source = changetype<usize>(text);
  for (let i: u32 = 0; i < count; i++) {
    if (load<u8>(pointer + i) != load<u8>(source + (i << 1))) return false;
  }
  return true;
}

/** Lower-case hexadecimal of bytes, in the arena: twice as long. */
export function hex(pointer: u32, length: u32): u32 {
  const out = alloc(length << 1);
  for (let i: u32 = 0; i < length; i++) {
    const byte = <u32>load<u8>(pointer + i);
    store<u8>(out + (i << 1), hexDigit(byte >> 4));
    store<u8>(out + (i << 1), hexDigit(byte & 15), 1);
  }
  return out;
}

function hexDigit(value: u32): u32 {
  return value < 10 ? 0x30 + value : 0x57 + value;
}
