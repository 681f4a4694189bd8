// Upper and lower case of strings, character by character as Go's strings.ToUpper and strings.ToLower.

import { Failure, failed } from '../failure';
import { Kind, kindOf, lengthOf, textOf } from '../value';
import { addByte, addBytes, addRune, beginText, finishText } from './text-builder';
import { caseOf } from './unicode-case';
import { runeAt, runeBytes } from './utf8';

export function b_lower(text: u32): u32 {
  return mapped(text, 1);
}

export function b_upper(text: u32): u32 {
  return mapped(text, 0);
}

function mapped(text: u32, lower: u32): u32 {
  if (kindOf(text) != Kind.String) return failed(Failure.Type);
  const start = textOf(text);
  const end = start + lengthOf(text);
  const same = unchanged(start, end, lower);
  if (same == end) return text;
  beginText(end - start);
  addBytes(start, same - start);
  for (let p = same; p < end; ) {
    const byte = <u32>load<u8>(p);
    if (byte < 0x80) {
      addByte(caseOf(byte, lower));
      p += 1;
    } else {
      addRune(caseOf(runeAt(p, end), lower));
      p += runeBytes;
    }
  }
  return finishText();
}

/** Where the first character is that changes, or the end. */
function unchanged(start: u32, end: u32, lower: u32): u32 {
  for (let p = start; p < end; ) {
    const rune = runeAt(p, end);
    if (caseOf(rune, lower) != rune) return p;
    p += runeBytes;
  }
  return end;
}
