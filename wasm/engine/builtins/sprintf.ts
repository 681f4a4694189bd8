// sprintf as OPA has it: Go's fmt.Sprintf, everything but numbers and strings as its Rego text (fmt/print.go).

import { Failure, failed } from '../failure';
import { numberText, toF64 } from '../number';
import { asciiString, elementAt, Kind, kindOf, lengthOf, newArray, push, textOf } from '../value';
import { isInt, parsed } from './atoi';
import { addValue } from './quote';
import {
  addArgument,
  MINUS,
  PLUS,
  PLUS_V,
  SHARP,
  SHARP_V,
  SPACE,
  setFormat,
  Type,
  typeOf,
  ZERO,
} from './sprintf-verbs';
import {
  addAscii,
  addByte,
  addBytes,
  addRune,
  addText,
  beginText,
  finishText,
} from './text-builder';
import { runeAt, runeBytes } from './utf8';

/** The largest width, precision and number of an argument. */
const NUMBER_MAX: i32 = 1000000;

// The format string and the arguments as numbers and strings.
let at: u32 = 0;
let end: u32 = 0;
let list: u32 = 0;
let next: i32 = 0;
/** The last item was an explicit number as in `%[3]d`. */
let afterIndex: bool = false;
let goodIndex: bool = false;
let reordered: bool = false;
/** No bracket closes from here on, so that unclosed ones are not looked for again and again. */
let noBracket: bool = false;

export function b_sprintf(format: u32, values: u32): u32 {
  if (kindOf(format) != Kind.String || kindOf(values) != Kind.Array) return failed(Failure.Type);
  list = prepared(values);
  at = textOf(format);
  end = at + lengthOf(format);
  next = 0;
  afterIndex = false;
  reordered = false;
  noBracket = false;
  beginText(lengthOf(format) + 16);
  while (at < end) {
    const from = at;
    while (at < end && load<u8>(at) != 0x25) at++;
    addBytes(from, at - from);
    if (at == end) break;
    at++;
    if (!directive()) break;
  }
  if (!reordered && next < <i32>lengthOf(list)) addExtra();
  return finishText();
}

/** The arguments as Go gets them: numbers and strings, all else as text. */
function prepared(values: u32): u32 {
  const count = lengthOf(values);
  const array = newArray(count);
  for (let i: u32 = 0; i < count; i++) {
    const value = elementAt(values, i);
    const kind = kindOf(value);
    if (kind == Kind.String) push(array, value);
    else if (kind == Kind.Number) push(array, isBeyond(value) ? numberText(value) : value);
    else {
      beginText();
      addValue(value);
      push(array, finishText());
    }
  }
  return array;
}

/** Whether a number is a float that binary64 does not hold: Go then takes its text. */
function isBeyond(number: u32): bool {
  return abs(toF64(number)) == Infinity && typeOf(number) == Type.Float;
}

function byteAt(): u32 {
  return at < end ? load<u8>(at) : 0;
}

function readFlags(): u32 {
  let flags: u32 = 0;
  for (; at < end; at++) {
    const byte = <u32>load<u8>(at);
    if (byte == 0x23) flags |= SHARP;
    else if (byte == 0x30) flags |= ZERO;
    else if (byte == 0x2b) flags |= PLUS;
    else if (byte == 0x2d) flags |= MINUS;
    else if (byte == 0x20) flags |= SPACE;
    else break;
  }
  return flags;
}

/** A decimal number before `limit`, or -1 when there is none; behind one that is too large stands the end. */
function readNumber(limit: u32): i32 {
  let value: i32 = -1;
  for (; at < limit && <u32>load<u8>(at) - 0x30 <= 9; at++) {
    if (value > NUMBER_MAX) {
      at = limit;
      return -1;
    }
    value = max(value, 0) * 10 + (<i32>load<u8>(at) - 0x30);
  }
  return value;
}

/** An explicit argument number in brackets, when one stands here. */
function argumentNumber(): void {
  afterIndex = false;
  if (byteAt() != 0x5b) return;
  reordered = true;
  const close = closingBracket();
  if (close == 0) {
    goodIndex = false;
    at += 1;
    return;
  }
  at++;
  const number = readNumber(close);
  const whole = number >= 0 && at == close;
  at = close + 1;
  afterIndex = whole;
  if (whole && number >= 1 && number <= <i32>lengthOf(list)) next = number - 1;
  else goodIndex = false;
}

/** Where the bracket at `at` closes, or 0. */
function closingBracket(): u32 {
  if (noBracket) return 0;
  for (let p = at + 1; p < end; p++) if (load<u8>(p) == 0x5d) return end - at < 3 ? 0 : p;
  noBracket = true;
  return 0;
}

/** Reads the argument of a `*` to `parsed`; false when it is no int or too large. */
function starred(): bool {
  if (next >= <i32>lengthOf(list)) return false;
  const argument = elementAt(list, next++);
  if (kindOf(argument) != Kind.Number || typeOf(argument) != Type.Int) return false;
  return isInt(argument) && parsed >= -NUMBER_MAX && parsed <= NUMBER_MAX;
}

/** One directive from behind its percent sign; false when the format ends in it. */
function directive(): bool {
  goodIndex = true;
  let flags = readFlags();
  let width = -1;
  let precision = -1;
  argumentNumber();
  if (byteAt() == 0x2a) {
    at++;
    if (!starred()) addAscii('%!(BADWIDTH)');
    else {
      width = <i32>abs(parsed);
      if (parsed < 0) flags = (flags | MINUS) & ~ZERO;
    }
    afterIndex = false;
  } else {
    width = readNumber(end);
    if (afterIndex && width >= 0) goodIndex = false;
  }
  if (at + 1 < end && byteAt() == 0x2e) {
    at++;
    if (afterIndex) goodIndex = false;
    argumentNumber();
    if (byteAt() == 0x2a) {
      at++;
      precision = starred() && parsed >= 0 ? <i32>parsed : -1;
      if (precision < 0) addAscii('%!(BADPREC)');
      afterIndex = false;
    } else precision = max(readNumber(end), 0);
  }
  if (!afterIndex) argumentNumber();
  if (at >= end) {
    addAscii('%!(NOVERB)');
    return false;
  }
  const verb = runeAt(at, end);
  at += runeBytes;
  write(verb, flags, width, precision);
  return true;
}

/** Writes what a whole directive stands for. */
function write(verb: u32, given: u32, width: i32, precision: i32): void {
  if (verb == 0x25) addByte(0x25);
  else if (!goodIndex) addBad(verb, '(BADINDEX)');
  else if (next >= <i32>lengthOf(list)) addBad(verb, '(MISSING)');
  else {
    let flags = given;
    if (verb == 0x76 || verb == 0x77) {
      if ((flags & SHARP) != 0) flags = (flags & ~SHARP) | SHARP_V;
      if ((flags & PLUS) != 0) flags = (flags & ~PLUS) | PLUS_V;
    }
    setFormat(flags, width, precision);
    addOne(elementAt(list, next++), verb);
  }
}

function addBad(verb: u32, what: string): void {
  addAscii('%!');
  addRune(verb);
  addAscii(what);
}

function addOne(argument: u32, verb: u32): void {
  if (verb == 0x54) {
    addArgument(typeName(argument), 0x73);
    return;
  }
  if (addArgument(argument, verb)) return;
  addBad(verb, '(');
  addTyped(argument);
  addByte(0x29);
}

/** `type=value`. */
function addTyped(argument: u32): void {
  addText(typeName(argument));
  addByte(0x3d);
  addArgument(argument, 0x76);
}

/** What Go calls the argument's type. */
function typeName(argument: u32): u32 {
  const type = typeOf(argument);
  if (type == Type.Int) return asciiString('int64');
  if (type == Type.Float) return asciiString('float64');
  return asciiString(type == Type.Big ? '*big.Int' : 'string');
}

/** Names the arguments that no directive has used. */
function addExtra(): void {
  setFormat(0, -1, -1);
  addAscii('%!(EXTRA ');
  for (let i = next; i < <i32>lengthOf(list); i++) {
    if (i > next) addAscii(', ');
    addTyped(elementAt(list, i));
  }
  addByte(0x29);
}
