// Turns a template with patterns between delimiters into one pattern (OPA's v1/topdown/regex_template.go).

import { lengthOf, stringOf, textOf } from '../value';
import { programOf } from './regex-program';
import { addByte, addBytes, beginText, finishText } from './text-builder';

/** Adds text as a pattern of just this text. */
function addQuoted(from: u32, to: u32): void {
  for (let p = from; p < to; p++) {
    const byte = <u32>load<u8>(p);
    if (isSpecial(byte)) addByte(0x5c);
    addByte(byte);
  }
}

/** Whether Go's QuoteMeta escapes this byte. */
function isSpecial(byte: u32): bool {
  switch (byte) {
    case 0x5c: // \
    case 0x2e: // .
    case 0x2b: // +
    case 0x2a: // *
    case 0x3f: // ?
    case 0x28: // (
    case 0x29: // )
    case 0x7c: // |
    case 0x5b: // [
    case 0x5d: // ]
    case 0x7b: // {
    case 0x7d: // }
    case 0x5e: // ^
    case 0x24: // $
      return true;
    default:
      return false;
  }
}

/** Whether `^part$` is a pattern. */
function isPart(from: u32, to: u32): bool {
  beginText(to - from + 2);
  addByte(0x5e);
  addBytes(from, to - from);
  addByte(0x24);
  return programOf(finishText()) != 0;
}

/**
 * The pattern (a string value) of a template whose parts stand between the bytes `open` and `close`; 0 when they do
 * not pair or a part is no pattern.
 */
export function templatePattern(template: u32, open: u32, close: u32): u32 {
  const start = textOf(template);
  const end = start + lengthOf(template);
  if (!partsAreSound(start, end, open, close)) return 0;
  let level: i32 = 0;
  let raw = start;
  let part = start;
  beginText(lengthOf(template) * 2 + 2);
  addByte(0x5e);
  for (let p = start; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte == open) {
      if (++level == 1) part = p;
    } else if (byte == close && --level == 0) {
      addQuoted(raw, part);
      addByte(0x28);
      addBytes(part + 1, p - part - 1);
      addByte(0x29);
      raw = p + 1;
    }
  }
  addQuoted(raw, end);
  addByte(0x24);
  return finishText();
}

function partsAreSound(start: u32, end: u32, open: u32, close: u32): bool {
  let level: i32 = 0;
  let part = start;
  for (let p = start; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte == open) {
      if (++level == 1) part = p;
    } else if (byte == close) {
      if (--level < 0) return false;
      if (level == 0 && !isPart(part + 1, p)) return false;
    }
  }
  return level == 0;
}
