// SHA-256 over fields, each as a 32-bit big-endian length and its bytes (runtime/modules/frames.ts).

import { alloc } from '../common/arena';
import { sha256Byte, sha256Update } from '../common/sha256';
import { ascii } from './text';

/** Adds a field; `sha256Begin` comes before the first and `sha256End` behind the last. */
export function frame(pointer: u32, length: u32): void {
  sha256Byte(length >> 24);
  sha256Byte((length >> 16) & 0xff);
  sha256Byte((length >> 8) & 0xff);
  sha256Byte(length & 0xff);
  sha256Update(pointer, length);
}

export function frameText(text: string): void {
  frame(ascii(text), <u32>text.length);
}

/** The bytes of hexadecimal digits in either case, which the caller has checked. */
export function fromHex(digits: u32, length: u32): u32 {
  const bytes = alloc(length >> 1);
  for (let i: u32 = 0; i < length >> 1; i++) {
    store<u8>(
      bytes + i,
      (digit(load<u8>(digits + (i << 1))) << 4) | digit(load<u8>(digits + (i << 1), 1)),
    );
  }
  return bytes;
}

function digit(character: u32): u32 {
  return (character & 15) + (character >= 0x41 ? 9 : 0);
}
