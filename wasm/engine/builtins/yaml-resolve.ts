// What a plain YAML scalar stands for: null, a boolean, a number or text (go-yaml v3, with timestamps as text).

import { nearest } from '../nearest';
import { numberFromText } from '../number';
import {
  asciiString,
  boolean,
  integer,
  Kind,
  kindOf,
  lengthOf,
  NULL,
  stringOf,
  textOf,
} from '../value';
import { addDouble } from './float-text';
import { addNumber } from './quote';
import {
  addByte,
  addText,
  beginText,
  cutText,
  finishText,
  textAt,
  textBytes,
} from './text-builder';

/** The value of a plain scalar; 0 for infinity and for what is no number, which JSON cannot say. */
export function resolved(pointer: u32, length: u32): u32 {
  const text = stringOf(pointer, length);
  if (length == 0) return NULL;
  const first = <u32>load<u8>(pointer);
  if (first == 0x7e && length == 1) return NULL;
  if (length <= 5) {
    if (isOneOf(text, ' null Null NULL ')) return NULL;
    if (isOneOf(text, ' true True TRUE ')) return boolean(true);
    if (isOneOf(text, ' false False FALSE ')) return boolean(false);
    if (isOneOf(text, ' .nan .NaN .NAN ')) return 0;
    if (isOneOf(text, ' .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF ')) return 0;
  }
  const isDigit = first - 0x30 < 10;
  if (!isDigit && first != 0x2b && first != 0x2d && first != 0x2e) return text;
  const number = numberOf(text);
  return number == 0 ? text : number;
}

/** Whether a text without spaces is one of those in a list. */
export function isOneOf(text: u32, list: string): bool {
  beginText(lengthOf(text) + 2);
  addByte(0x20);
  addText(text);
  addByte(0x20);
  const spaced = finishText();
  const names = asciiString(list);
  const size = lengthOf(spaced);
  for (let at: u32 = 0; at + size <= lengthOf(names); at++) {
    if (memory.compare(textOf(names) + at, textOf(spaced), size) == 0) return true;
  }
  return false;
}

/** A number as YAML writes it, or 0. */
function numberOf(text: u32): u32 {
  // Underscores only group digits.
  beginText(lengthOf(text));
  for (let i: u32 = 0; i < lengthOf(text); i++) {
    const byte = <u32>load<u8>(textOf(text) + i);
    if (byte != 0x5f) addByte(byte);
  }
  const plain = finishText();
  const whole = wholeOf(plain);
  if (whole != 0) return whole;
  if (!isFloat(textOf(plain), lengthOf(plain))) return 0;
  return numberOfDouble(nearest(textOf(plain), lengthOf(plain)));
}

/** A whole number in base 2, 8, 10 or 16 that 64 bits hold, or 0. */
function wholeOf(text: u32): u32 {
  let p = textOf(text);
  const end = p + lengthOf(text);
  const sign: u32 = p < end ? load<u8>(p) : 0;
  const negative = sign == 0x2d;
  if (negative || sign == 0x2b) p++;
  let base: u64 = 10;
  if (end - p > 1 && load<u8>(p) == 0x30) {
    const mark = <u32>load<u8>(p, 1) | 0x20;
    base = mark == 0x78 ? 16 : mark == 0x62 ? 2 : 8;
    p += mark == 0x78 || mark == 0x62 || mark == 0x6f ? 2 : 1;
  }
  if (p == end) return 0;
  let value: u64 = 0;
  for (; p < end; p++) {
    const byte = <u32>load<u8>(p);
    const letter = (byte | 0x20) - 0x61;
    const digit: u64 = byte - 0x30 < 10 ? byte - 0x30 : letter < 6 ? letter + 10 : 16;
    if (digit >= base) return 0;
    if (value > (u64.MAX_VALUE - digit) / base) return 0;
    value = value * base + digit;
  }
  if (value <= <u64>i64.MAX_VALUE) return integer(negative ? -(<i64>value) : <i64>value);
  if (negative) return value == <u64>i64.MIN_VALUE ? integer(i64.MIN_VALUE) : 0;
  return unsigned(value);
}

function unsigned(value: u64): u32 {
  beginText(20);
  let divisor: u64 = 10000000000000000000;
  for (; divisor > 0; divisor /= 10) addByte(0x30 + <u32>((value / divisor) % 10));
  const text = finishText();
  // Only numbers beyond 2^63 come here: 19 or 20 digits.
  const zeros: u32 = load<u8>(textOf(text)) == 0x30 ? 1 : 0;
  return numberFromText(textOf(text) + zeros, lengthOf(text) - zeros);
}

/** `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?` */
function isFloat(pointer: u32, length: u32): bool {
  let p = pointer;
  const end = pointer + length;
  if (p < end && (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d)) p++;
  let from = p;
  p = digitsFrom(p, end);
  let some = p > from;
  if (p < end && load<u8>(p) == 0x2e) {
    from = ++p;
    p = digitsFrom(p, end);
    some = some || p > from;
  }
  if (!some) return false;
  if (p < end && (load<u8>(p) | 0x20) == 0x65) {
    p++;
    if (p < end && (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d)) p++;
    from = p;
    p = digitsFrom(p, end);
    if (p == from) return false;
  }
  return p == end;
}

function digitsFrom(start: u32, end: u32): u32 {
  let p = start;
  while (p < end && <u32>load<u8>(p) - 0x30 < 10) p++;
  return p;
}

/** The number that Go's encoding/json writes for a binary64; 0 for an infinite one. */
function numberOfDouble(double: f64): u32 {
  if (abs(double) == Infinity) return 0;
  beginText(32);
  if (reinterpret<i64>(double) < 0) addByte(0x2d);
  const plain = double == 0 || (abs(double) >= 1e-6 && abs(double) < 1e21);
  addDouble(double, plain ? 0x66 : 0x65, -1);
  const size = textBytes();
  if (!plain && load<u8>(textAt(size - 4)) == 0x65 && load<u8>(textAt(size - 2)) == 0x30) {
    // e-09 is e-9.
    const digit = <u32>load<u8>(textAt(size - 1));
    if (load<u8>(textAt(size - 3)) == 0x2d) {
      cutText(size - 2);
      addByte(digit);
    }
  }
  const text = finishText();
  return numberFromText(textOf(text), lengthOf(text));
}

/** The text that a key has in JSON; 0 for null and for what is no scalar. */
export function keyOf(value: u32): u32 {
  const kind = kindOf(value);
  if (kind == Kind.String) return value;
  if (kind == Kind.True) return asciiString('true');
  if (kind == Kind.False) return asciiString('false');
  if (kind != Kind.Number) return 0;
  beginText(24);
  addNumber(value);
  return finishText();
}
