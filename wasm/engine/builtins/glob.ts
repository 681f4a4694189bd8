// Rego's glob.* (OPA's v1/topdown/glob.go), matched by the one pattern engine.

import { alloc } from '../../common/arena';
import { Failure, failed } from '../failure';
import { boolean, elementAt, Kind, kindOf, lengthOf, textOf } from '../value';
import { globPattern } from './glob-pattern';
import { matches, programOf } from './regex-program';
import { addByte, beginText, finishText } from './text-builder';
import { runeAt, runesIn } from './utf8';

/** What separates where the policy gives an empty list. */
const DOT: u32 = 0x2e;

/** Writes the delimiters, an array of single characters, to code points at `to`; false when it is no such array. */
function readDelimiters(delimiters: u32, to: u32): bool {
  for (let i: u32 = 0; i < lengthOf(delimiters); i++) {
    const element = elementAt(delimiters, i);
    if (kindOf(element) != Kind.String) return false;
    const start = textOf(element);
    if (runesIn(start, lengthOf(element)) != 1) return false;
    store<u32>(to + i * 4, runeAt(start, start + lengthOf(element)));
  }
  return true;
}

export function b_glob_match(pattern: u32, delimiters: u32, text: u32): u32 {
  if (kindOf(pattern) != Kind.String || kindOf(text) != Kind.String) return failed(Failure.Type);
  const isNull = kindOf(delimiters) == Kind.Null;
  if (!isNull && kindOf(delimiters) != Kind.Array) return failed(Failure.Type);
  let count: u32 = isNull ? 0 : lengthOf(delimiters);
  const points = alloc(count * 4 + 4);
  if (count > 0 && !readDelimiters(delimiters, points)) return failed(Failure.Type);
  if (!isNull && count == 0) {
    store<u32>(points, DOT);
    count = 1;
  }
  const written = globPattern(pattern, points, count);
  const program = written == 0 ? 0 : programOf(written);
  return program == 0 ? failed() : boolean(matches(program, text));
}

export function b_glob_quote_meta(text: u32): u32 {
  if (kindOf(text) != Kind.String) return failed(Failure.Type);
  const length = lengthOf(text);
  beginText(length * 2);
  for (let i: u32 = 0; i < length; i++) {
    const byte = <u32>load<u8>(textOf(text) + i);
    if (isMeta(byte)) addByte(0x5c);
    addByte(byte);
  }
  return finishText();
}

/** Whether the glob package escapes this byte: one of `*?\[]{}`. */
function isMeta(byte: u32): bool {
  if (byte == 0x2a || byte == 0x3f) return true;
  return (byte >= 0x5b && byte <= 0x5d) || byte == 0x7b || byte == 0x7d;
}
