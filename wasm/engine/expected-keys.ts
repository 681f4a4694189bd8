// The keys of the last input, since the next one mostly has the same, in the same order: found without a hash.

import { equalBytes } from './text';
import { flagsOf, INTERNED, lengthOf, textOf } from './value';

const KEYS: u32 = 64;
const keys: u32 = <u32>memory.data(256);
/** How many keys of the present text were read. */
let read: u32 = KEYS;

/** Begins a text; one whose keys say nothing about the next text's is not `remembered`. */
export function beginKeys(remembered: bool): void {
  read = remembered ? 0 : KEYS;
}

/** The interned string whose text and closing quote are here, when it was in this place last time; or 0. */
export function expectedKey(start: u32, end: u32): u32 {
  if (read == KEYS) return 0;
  const key = load<u32>(keys + (read << 2));
  if (key == 0) return 0;
  const length = lengthOf(key);
  if (start + length >= end || load<u8>(start + length) != 0x22) return 0;
  if (!equalBytes(textOf(key), start, length)) return 0;
  read += 1;
  return key;
}

/** Remembers a key; `plain`: its text was written as it is, so that the same bytes are a string again. */
export function rememberKey(key: u32, plain: bool): void {
  if (read == KEYS) return;
  store<u32>(keys + (read << 2), plain && (flagsOf(key) & INTERNED) != 0 ? key : 0);
  read += 1;
}
