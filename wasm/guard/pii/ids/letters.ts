// The characters of identity numbers that have letters.

import { at, is, LOWER } from '../text';

/** The byte at `p`, small letters as capitals. */
export function letter(p: u32): u32 {
  return is(p, LOWER) ? at(p) - 0x20 : at(p);
}

/** The value of the digit at `p`. */
export function digitAt(p: u32): u32 {
  return at(p) - 0x30;
}

/** Character `index` of an ASCII literal. */
export function pick(literal: string, index: u32): u32 {
  return <u32>load<u16>(<u32>changetype<usize>(literal) + (index << 1));
}

/** Whether the byte stands in an ASCII literal. */
export function isOneOf(byte: u32, literal: string): bool {
  for (let i: u32 = 0; i < <u32>literal.length; i++) if (pick(literal, i) == byte) return true;
  return false;
}
