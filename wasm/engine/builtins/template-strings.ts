// Constants of templates: Go's interpreted and raw strings, and characters, which are ints.

import { integer, LENGTH, newString, textOf } from '../value';
import { runeAt, runeBytes } from './utf8';

/** Where the last `unquoted` constant ended. */
export let unquotedEnd: u32 = 0;

/** White space as templates have it. */
export function isWhite(byte: u32): bool {
  return byte == 0x20 || byte == 9 || byte == 10 || byte == 13;
}

/** The constant whose opening quote is at `start`, or 0: `"…"`, `` `…` `` or `'x'`. */
export function unquoted(start: u32, end: u32): u32 {
  const quote = <u32>load<u8>(start);
  let p = start + 1;
  while (p < end && load<u8>(p) != quote) {
    if (load<u8>(p) == 10 && quote != 0x60) return 0;
    p += load<u8>(p) == 0x5c && quote != 0x60 ? 2 : 1;
  }
  if (p >= end) return 0;
  unquotedEnd = p + 1;
  const text = newString(p - start - 1);
  let out = textOf(text);
  for (let from = start + 1; from < p; ) {
    const byte = <u32>load<u8>(from++);
    if (byte != 0x5c || quote == 0x60) {
      store<u8>(out++, byte);
      continue;
    }
    const letter = <u32>load<u8>(from++);
    const plain = escaped(letter);
    if (plain == 0) return 0;
    store<u8>(out++, plain);
  }
  const length = out - textOf(text);
  store<u32>(text, length, LENGTH);
  if (quote != 0x27) return text;
  if (length == 0) return 0;
  const rune = runeAt(textOf(text), out);
  return runeBytes == length ? integer(rune) : 0;
}

/** The escapes of one letter; those with numbers are not taken. */
function escaped(letter: u32): u32 {
  if (letter == 0x5c || letter == 0x22 || letter == 0x27) return letter;
  if (letter == 0x6e) return 10;
  if (letter == 0x74) return 9;
  if (letter == 0x72) return 13;
  if (letter == 0x61) return 7;
  if (letter == 0x62) return 8;
  if (letter == 0x66) return 12;
  return letter == 0x76 ? 11 : 0;
}
