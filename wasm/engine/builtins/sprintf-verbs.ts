// One argument of sprintf in one format, as Go's fmt writes an int64, float64, *big.Int or string (fmt/format.go).

import { toF64 } from '../number';
import { isInteger, Kind, kindOf, lengthOf, NUMBER_LENGTH, NUMBER_TEXT, textOf } from '../value';
import { isInt, parsed } from './atoi';
import { addInBase } from './big-digits';
import { addDouble } from './float-text';
import { addHexDigit, addQuoted, addQuotedRune } from './quote';
import {
  addAscii,
  addByte,
  addBytes,
  addInteger,
  addRepeated,
  addRune,
  cutText,
  insertRepeated,
  textAt,
  textBytes,
} from './text-builder';
import { isPrint } from './unicode-print';
import { runeAt, runeBytes, runeOffset, runesIn } from './utf8';

/** Flags of a format; PLUS_V and SHARP_V are those of `%+v` and `%#v`, which mean something else. */
export const MINUS: u32 = 1;
export const PLUS: u32 = 2;
export const SHARP: u32 = 4;
export const SPACE: u32 = 8;
export const ZERO: u32 = 16;
export const PLUS_V: u32 = 32;
export const SHARP_V: u32 = 64;

/** What Go takes an argument for. */
export const enum Type {
  Int,
  Float,
  Big,
  String,
}

// The format at hand; -1 for a width or a precision that is not given.
let flags: u32 = 0;
let width: i32 = -1;
let precision: i32 = -1;

/** Sets the format of the next arguments. */
export function setFormat(given: u32, wide: i32, precise: i32): void {
  flags = given;
  width = wide;
  precision = precise;
}

function has(flag: u32): bool {
  return (flags & flag) != 0;
}

/** Go's type of an argument, a number or a string. */
export function typeOf(argument: u32): Type {
  if (kindOf(argument) == Kind.String) return Type.String;
  if (isInteger(argument)) return Type.Int;
  if (isFloat(argument)) return Type.Float;
  return isInt(argument) ? Type.Int : Type.Big;
}

/** Whether a number's text has a point or an exponent: the text decides, not the value. */
function isFloat(number: u32): bool {
  for (let i: u32 = 0; i < load<u32>(number, NUMBER_LENGTH); i++) {
    const byte = <u32>load<u8>(number + NUMBER_TEXT + i);
    if (byte == 0x2e || (byte | 0x20) == 0x65) return true;
  }
  return false;
}

/** Pads what was written since an offset to the width; with the flag 0 by zeros where `zeros` allows it. */
function pad(offset: u32, zeros: bool): void {
  if (width <= 0) return;
  const missing = width - <i32>runesIn(textAt(offset), textBytes() - offset);
  if (missing <= 0) return;
  if (has(MINUS)) addRepeated(0x20, missing);
  else insertRepeated(offset, zeros && has(ZERO) ? 0x30 : 0x20, missing);
}

/** Adds an argument for a verb; false when the verb does not go with it, and nothing is added. */
export function addArgument(argument: u32, verb: u32): bool {
  const type = typeOf(argument);
  if (type == Type.String) return addString(textOf(argument), lengthOf(argument), verb);
  if (type == Type.Float) return addFloat(toF64(argument), verb);
  if (type == Type.Int) {
    isInt(argument);
    return addInt(parsed, verb);
  }
  return addBig(argument + NUMBER_TEXT, load<u32>(argument, NUMBER_LENGTH), verb);
}

function addString(pointer: u32, bytes: u32, verb: u32): bool {
  const offset = textBytes();
  let length = bytes;
  if (verb == 0x78 || verb == 0x58) {
    addHexText(pointer, precision < 0 ? length : min(length, precision), verb == 0x58);
    pad(offset, true);
    return true;
  }
  const quotes = verb == 0x71 || (verb == 0x76 && has(SHARP_V));
  if (!quotes && verb != 0x76 && verb != 0x73) return false;
  if (precision >= 0) length = runeOffset(pointer, length, precision) - pointer;
  if (!quotes) addBytes(pointer, length);
  else if (has(SHARP) && canBackquote(pointer, length)) {
    addByte(0x60);
    addBytes(pointer, length);
    addByte(0x60);
  } else addQuoted(pointer, length, 0x22, has(PLUS));
  pad(offset, true);
  return true;
}

/** strconv.CanBackquote: no control character but the tab, no backquote, no byte order mark. */
function canBackquote(pointer: u32, length: u32): bool {
  const end = pointer + length;
  for (let p = pointer; p < end; p += runeBytes) {
    const rune = runeAt(p, end);
    if (rune == 0xfeff || (rune == 0xfffd && runeBytes == 1)) return false;
    if ((rune < 0x20 && rune != 9) || rune == 0x60 || rune == 0x7f) return false;
  }
  return true;
}

function addHexText(pointer: u32, length: u32, upper: bool): void {
  for (let i: u32 = 0; i < length; i++) {
    const spaced = has(SPACE) && i > 0;
    if (spaced) addByte(0x20);
    if (has(SHARP) && (i == 0 || spaced)) addAscii(upper ? '0X' : '0x');
    addHexDigit(load<u8>(pointer + i) >> 4, upper);
    addHexDigit(load<u8>(pointer + i) & 15, upper);
  }
}

function baseOf(verb: u32): u32 {
  if (verb == 0x64 || verb == 0x76) return 10;
  if (verb == 0x62) return 2;
  if ((verb | 0x20) == 0x6f) return 8;
  return (verb | 0x20) == 0x78 ? 16 : 0;
}

function addInt(number: i64, verb: u32): bool {
  const base = baseOf(verb);
  const offset = textBytes();
  if (base == 0) {
    const rune: u32 = number < 0 || number > 0x10ffff ? 0xfffd : <u32>number;
    if (verb == 0x63) addRune(rune);
    else if (verb == 0x71) {
      addByte(0x27);
      addQuotedRune(rune >> 11 == 0x1b ? 0xfffd : rune, 0x27, has(PLUS));
      addByte(0x27);
    } else if (verb == 0x55) addUnicode(number);
    else return false;
    pad(offset, verb != 0x55);
    return true;
  }
  if (precision == 0 && number == 0) {
    addRepeated(0x20, max(width, 0));
    return true;
  }
  const negative = number < 0;
  const signed = negative || has(PLUS | SPACE);
  let least = precision;
  if (least < 0 && has(ZERO) && !has(MINUS) && width >= 0) least = width - (signed ? 1 : 0);
  if (signed) addByte(negative ? 0x2d : has(PLUS) ? 0x2b : 0x20);
  if (verb == 0x4f) addAscii('0o');
  if (has(SHARP)) {
    if (base == 2) addAscii('0b');
    if (base == 16) addAscii(verb == 0x58 ? '0X' : '0x');
  }
  const start = textBytes();
  addUnsigned(negative ? <u64>(0 - number) : <u64>number, base, verb == 0x58);
  const missing = least - <i32>(textBytes() - start);
  if (missing > 0) insertRepeated(start, 0x30, missing);
  if (has(SHARP) && base == 8 && load<u8>(textAt(start)) != 0x30) insertRepeated(start, 0x30, 1);
  pad(offset, false);
  return true;
}

function addUnsigned(number: u64, base: u32, upper: bool): void {
  let divisor: u64 = 1;
  while (number / divisor >= base) divisor *= base;
  for (; divisor > 0; divisor /= base) addHexDigit(<u32>((number / divisor) % base), upper);
}

/** `U+0041`, with the flag # also the character. */
function addUnicode(number: i64): void {
  addAscii('U+');
  const start = textBytes();
  addUnsigned(number, 16, true);
  const missing = max(precision, 4) - <i32>(textBytes() - start);
  if (missing > 0) insertRepeated(start, 0x30, missing);
  if (!has(SHARP) || <u64>number > 0x10ffff || !isPrint(<u32>number)) return;
  addAscii(" '");
  addRune(<u32>number);
  addByte(0x27);
}

function addBig(pointer: u32, length: u32, verb: u32): bool {
  const base = verb == 0x73 ? 10 : baseOf(verb);
  const negative = load<u8>(pointer) == 0x2d;
  if (base == 0) {
    addAscii('%!');
    addRune(verb);
    addAscii('(big.Int=');
    addBytes(pointer, length);
    addByte(0x29);
    return true;
  }
  const offset = textBytes();
  if (negative) addByte(0x2d);
  else if (has(PLUS | PLUS_V)) addByte(0x2b);
  else if (has(SPACE)) addByte(0x20);
  if (has(SHARP | SHARP_V)) {
    if (base == 2) addAscii('0b');
    if (verb == 0x6f) addByte(0x30);
    if (base == 16) addAscii(verb == 0x58 ? '0X' : '0x');
  }
  if (verb == 0x4f) addAscii('0o');
  const start = textBytes();
  const sign: u32 = negative ? 1 : 0;
  addInBase(pointer + sign, length - sign, base, verb == 0x58);
  let missing = precision - <i32>(textBytes() - start);
  if (precision < 0 && has(ZERO) && !has(MINUS)) missing = width - <i32>(textBytes() - offset);
  if (missing > 0) insertRepeated(start, 0x30, missing);
  pad(offset, false);
  return true;
}

function addFloat(number: f64, verb: u32): bool {
  let format = verb;
  let digits = precision;
  if (verb == 0x76) format = 0x67;
  else if (verb == 0x46) format = 0x66;
  const kind = format | 0x20;
  const fixed = kind == 0x65 || format == 0x66;
  if (!fixed && kind != 0x67 && format != 0x62 && kind != 0x78) return false;
  if (fixed && digits < 0) digits = 6;
  const offset = textBytes();
  const negative = reinterpret<u64>(number) >> 63 != 0;
  if (negative || has(PLUS) || has(SPACE)) addByte(negative ? 0x2d : has(PLUS) ? 0x2b : 0x20);
  const start = textBytes();
  addDouble(number, format, digits);
  if (has(SHARP) && format != 0x62) addAllDigits(start, verb, digits);
  if (has(ZERO) && !has(MINUS)) {
    const missing = width - <i32>(textBytes() - offset);
    if (missing > 0) insertRepeated(start, 0x30, missing);
  }
  pad(offset, false);
  return true;
}

/** The flag #: always a point, and with %g as many digits as the precision says. */
function addAllDigits(start: u32, verb: u32, given: i32): void {
  let wanted = 0;
  if (verb == 0x76 || (verb | 0x20) == 0x67 || verb == 0x78) wanted = given < 0 ? 6 : given;
  const isHex = (verb | 0x20) == 0x78;
  let hasPoint = false;
  let seen = false;
  let at = start;
  for (; at < textBytes(); at++) {
    const byte = <u32>load<u8>(textAt(at));
    if (byte == 0x2e) {
      hasPoint = true;
      continue;
    }
    if ((byte | 0x20) == 0x70 || (!isHex && (byte | 0x20) == 0x65)) break;
    if (byte != 0x30) seen = true;
    if (seen) wanted--;
  }
  if (!hasPoint) {
    if (at - start == 1 && load<u8>(textAt(start)) == 0x30) wanted--;
    insertRepeated(at++, 0x2e, 1);
  }
  if (wanted > 0) insertRepeated(at, 0x30, wanted);
}
