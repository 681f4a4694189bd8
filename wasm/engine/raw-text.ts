// Strings of bytes that are no UTF-8, as base64.decode may give them: kept as they are, as in OPA, so that they
// can be hashed and encoded again, and written with U+FFFD for every wrong byte, as Go's encoding/json does.

import { scanUtf8, validUtf8 } from '../common/text';
import { LENGTH, lengthOf, newString, textOf } from './value';

let isSeen: bool = false;

/** Notes that a string may be no UTF-8; returns it. */
export function noteRaw(string: u32): u32 {
  if (!isSeen && !validUtf8(textOf(string), lengthOf(string))) isSeen = true;
  return string;
}

/** The string with every byte that is no UTF-8 replaced; itself while no such string was made. */
export function asUtf8(string: u32): u32 {
  if (!isSeen || validUtf8(textOf(string), lengthOf(string))) return string;
  const copy = newString(lengthOf(string) * 3);
  const end = textOf(string) + lengthOf(string);
  let out = textOf(copy);
  for (let p = textOf(string); p < end; ) {
    const next = load<u8>(p) < 0x80 ? p + 1 : scanUtf8(p, end);
    if (next == 0) {
      store<u16>(out, 0xbfef);
      store<u8>(out, 0xbd, 2);
      out += 3;
      p += 1;
      continue;
    }
    for (; p < next; p++) store<u8>(out++, load<u8>(p));
  }
  store<u32>(copy, out - textOf(copy), LENGTH);
  return copy;
}
