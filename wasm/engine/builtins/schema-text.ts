// The texts of JSON Schema's errors, and values as gojsonschema compares and shows them.

import { alloc } from '../../common/arena';
import { digitCount, digitsFrom, digitsTo, negative, power, readDecimal } from '../decimal';
import { numberWithText, toF64, writeI64 } from '../number';
import { insert, newObject } from '../object';
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
  newArray,
  push,
  textOf,
  valueAt,
} from '../value';
import { addDouble } from './float-text';
import { jsonText } from './json-text';
import {
  addAscii,
  addByte,
  addBytes,
  addInteger,
  addText,
  beginText,
  finishText,
} from './text-builder';

/** Integers up to here are the same as binary64. */
const SAFE: i64 = 9007199254740992;

/** Reads a number's digits, whether it is an i64 or kept as its text. */
export function readNumber(number: u32): void {
  if (!isInteger(number)) {
    return readDecimal(number + NUMBER_TEXT, load<u32>(number, NUMBER_LENGTH));
  }
  const text = alloc(24);
  readDecimal(text, writeI64(integerOf(number), text) - text);
}

/** Whether a number has nothing behind the point. */
export function isWhole(number: u32): bool {
  if (isInteger(number)) return true;
  readNumber(number);
  return digitCount == 0 || power >= <i32>digitCount;
}

/** Adds a number as Go's `%g` of a big.Float: so many digits as it has, an exponent from a million on. */
export function addGeneral(number: u32): void {
  readNumber(number);
  if (digitCount == 0) return addByte(0x30);
  if (negative) addByte(0x2d);
  if (power - 1 < -4 || power - 1 >= 6) return addScientific();
  if (power <= 0) {
    addAscii('0.');
    for (let i = power; i < 0; i++) addByte(0x30);
  }
  let place: i32 = 0;
  for (let p = digitsFrom; p < digitsTo; p++) {
    if (load<u8>(p) == 0x2e) continue;
    if (place == power && power > 0) addByte(0x2e);
    addByte(load<u8>(p));
    place++;
  }
  for (; place < power; place++) addByte(0x30);
}

function addScientific(): void {
  let place: u32 = 0;
  for (let p = digitsFrom; p < digitsTo; p++) {
    if (load<u8>(p) == 0x2e) continue;
    if (place == 1) addByte(0x2e);
    addByte(load<u8>(p));
    place++;
  }
  const exponent = power - 1;
  addByte(0x65);
  addByte(exponent < 0 ? 0x2d : 0x2b);
  const size = abs(exponent);
  if (size < 10) addByte(0x30);
  addInteger(size);
}

/** The JSON text by which values are compared: numbers are those of binary64, keys are in order. */
export function comparable(value: u32): u32 {
  return jsonText(withDoubles(value));
}

function withDoubles(value: u32): u32 {
  const kind = kindOf(value);
  if (kind == Kind.Number) return asDouble(value);
  if (kind == Kind.Array) {
    const list = newArray(lengthOf(value));
    for (let i: u32 = 0; i < lengthOf(value); i++) push(list, withDoubles(elementAt(value, i)));
    return list;
  }
  if (kind != Kind.Object) return value;
  const object = newObject(lengthOf(value));
  for (let i: u32 = 0; i < lengthOf(value); i++) {
    insert(object, keyAt(value, i), withDoubles(valueAt(value, i)));
  }
  return object;
}

/** A number as Go's encoding/json writes the nearest binary64. */
function asDouble(number: u32): u32 {
  if (isInteger(number) && integerOf(number) < SAFE && integerOf(number) > -SAFE) return number;
  const double = toF64(number);
  const size = abs(double);
  const scientific = size != 0 && (size < 1e-6 || size >= 1e21);
  beginText(32);
  if (double < 0 || (double == 0 && reinterpret<u64>(double) != 0)) addByte(0x2d);
  addDouble(size, scientific ? 0x65 : 0x66, -1);
  const text = finishText();
  return numberWithText(textOf(text), withoutZero(text));
}

/** Turns e-07 into e-7; returns the length. */
function withoutZero(text: u32): u32 {
  const length = lengthOf(text);
  const end = textOf(text) + length;
  const cut =
    length > 4 && load<u32>(end - 4) >> 24 >= 0x30 && (load<u32>(end - 4) & 0xffffff) == 0x302d65;
  if (!cut) return length;
  store<u8>(end - 2, load<u8>(end - 1));
  return length - 1;
}

// Pieces of a description, added to the text that is being built.

/** Begins a description. */
export function describe(piece: string): void {
  beginText();
  addAscii(piece);
}

/** A description of one piece. */
export function plainText(piece: string): u32 {
  describe(piece);
  return finishText();
}

/** A description with a text in it. */
export function withText(before: string, text: u32, after: string): u32 {
  describe(before);
  addText(text);
  addAscii(after);
  return finishText();
}

/** A description with a number in it. */
export function withNumber(before: string, number: u32, after: string): u32 {
  describe(before);
  addGeneral(number);
  addAscii(after);
  return finishText();
}

/** A description with an integer in it. */
export function withInteger(before: string, number: i64, after: string): u32 {
  describe(before);
  addInteger(number);
  addAscii(after);
  return finishText();
}

/** A description of three pieces. */
export function threeTexts(a: string, b: string, c: string): u32 {
  describe(a);
  addAscii(b);
  addAscii(c);
  return finishText();
}

/** Bytes of a text that is being built. */
export function addPiece(pointer: u32, length: u32): void {
  addBytes(pointer, length);
}
