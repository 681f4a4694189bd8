// Walks UTF-8 as Go's range over a string does: a byte that begins no character is U+FFFD of one byte.

import { scanUtf8, validUtf8 } from '../../common/text';
import { lengthOf, textOf } from '../value';
import { addRune, beginText, finishText } from './text-builder';

/** How many bytes the character of the last `runeAt` has. */
export let runeBytes: u32 = 0;

/** The code point at `p`, which is below `end`. */
export function runeAt(p: u32, end: u32): u32 {
  const first = <u32>load<u8>(p);
  runeBytes = 1;
  if (first < 0x80) return first;
  const next = scanUtf8(p, end);
  if (next == 0) return 0xfffd;
  runeBytes = next - p;
  const second = <u32>load<u8>(p, 1) & 63;
  if (runeBytes == 2) return ((first & 31) << 6) | second;
  const third = <u32>load<u8>(p, 2) & 63;
  if (runeBytes == 3) return ((first & 15) << 12) | (second << 6) | third;
  return ((first & 7) << 18) | (second << 12) | (third << 6) | (<u32>load<u8>(p, 3) & 63);
}

/** Characters of some text. */
export function runesIn(pointer: u32, length: u32): u32 {
  const end = pointer + length;
  let count: u32 = 0;
  for (let p = pointer; p < end; count++) {
    if (load<u8>(p) < 0x80) p += 1;
    else {
      runeAt(p, end);
      p += runeBytes;
    }
  }
  return count;
}

/** Where the character with this number begins, or the end when there are fewer. */
export function runeOffset(pointer: u32, length: u32, number: u32): u32 {
  const end = pointer + length;
  let p = pointer;
  for (let i: u32 = 0; i < number && p < end; i++) {
    runeAt(p, end);
    p += runeBytes;
  }
  return p;
}

/** The string itself when it is UTF-8, otherwise a copy with U+FFFD for every byte that begins no character. */
export function wholeText(text: u32): u32 {
  const length = lengthOf(text);
  if (validUtf8(textOf(text), length)) return text;
  const end = textOf(text) + length;
  beginText(length);
  for (let p = textOf(text); p < end; p += runeBytes) addRune(runeAt(p, end));
  return finishText();
}
