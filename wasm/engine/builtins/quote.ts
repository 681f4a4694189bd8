// Values as Rego text and strings in Go's quotes, for sprintf and template strings (ast.Value.String, strconv.Quote).

import { VALUE_DEPTH_MAX } from '../compare';
import { Failure, stop } from '../failure';
import { sorted } from '../object';
import {
  elementAt,
  integerOf,
  isInteger,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  NUMBER_LENGTH,
  NUMBER_TEXT,
  textOf,
  valueAt,
} from '../value';
import { addAscii, addByte, addBytes, addInteger, addRune } from './text-builder';
import { isPrint } from './unicode-print';
import { runeAt, runeBytes } from './utf8';

/** Adds one hexadecimal digit. */
export function addHexDigit(digit: u32, upper: bool): void {
  addByte(digit < 10 ? 0x30 + digit : (upper ? 0x37 : 0x57) + digit);
}

/** Adds text in quotes (a byte) as Go's strconv does; with `ascii` everything else is escaped. */
export function addQuoted(pointer: u32, length: u32, quote: u32, ascii: bool): void {
  const end = pointer + length;
  addByte(quote);
  for (let p = pointer; p < end; p += runeBytes) {
    const rune = runeAt(p, end);
    if (rune == 0xfffd && runeBytes == 1) {
      addAscii('\\x');
      addHexDigit(load<u8>(p) >> 4, false);
      addHexDigit(load<u8>(p) & 15, false);
    } else addQuotedRune(rune, quote, ascii);
  }
  addByte(quote);
}

/** Adds one character of text in quotes. */
export function addQuotedRune(rune: u32, quote: u32, ascii: bool): void {
  if (rune == quote || rune == 0x5c) {
    addByte(0x5c);
    addByte(rune);
  } else if ((!ascii || rune < 0x80) && isPrint(rune)) addRune(rune);
  else if (rune >= 7 && rune <= 13) {
    addByte(0x5c);
    addByte(load<u8>(LETTERS + rune - 7));
  } else if (rune < 0x20 || rune == 0x7f) addEscape(0x78, rune, 4);
  else if (rune < 0x10000) addEscape(0x75, rune, 12);
  else addEscape(0x55, rune, 28);
}

/** The letters of the escapes of 7 to 13: a, b, t, n, v, f, r. */
const LETTERS: u32 = <u32>memory.data<u8>([0x61, 0x62, 0x74, 0x6e, 0x76, 0x66, 0x72]);

function addEscape(letter: u32, rune: u32, highest: i32): void {
  addByte(0x5c);
  addByte(letter);
  for (let shift = highest; shift >= 0; shift -= 4) addHexDigit((rune >> shift) & 15, false);
}

/** Adds a number's own text. */
export function addNumber(value: u32): void {
  if (isInteger(value)) addInteger(integerOf(value));
  else addBytes(value + NUMBER_TEXT, load<u32>(value, NUMBER_LENGTH));
}

/** Adds any value as Rego text: members in the order of their keys, strings in quotes. */
export function addValue(value: u32, depth: u32 = 0): void {
  const kind = kindOf(value);
  if (kind == Kind.Null) return addAscii('null');
  if (kind == Kind.True) return addAscii('true');
  if (kind == Kind.False) return addAscii('false');
  if (kind == Kind.Number) return addNumber(value);
  if (kind == Kind.String) return addQuoted(textOf(value), lengthOf(value), 0x22, false);
  if (depth == VALUE_DEPTH_MAX) stop(Failure.Depth);
  const count = lengthOf(value);
  if (kind == Kind.Set && count == 0) return addAscii('set()');
  if (kind != Kind.Array) sorted(value);
  addByte(kind == Kind.Array ? 0x5b : 0x7b);
  for (let i: u32 = 0; i < count; i++) {
    if (i > 0) addAscii(', ');
    addValue(kind == Kind.Array ? elementAt(value, i) : keyAt(value, i), depth + 1);
    if (kind != Kind.Object) continue;
    addAscii(': ');
    addValue(valueAt(value, i), depth + 1);
  }
  addByte(kind == Kind.Array ? 0x5d : 0x7d);
}
