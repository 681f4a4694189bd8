// Values as JSON text exactly as Go's encoding/json writes it: HTML escaped, keys in the order of their bytes.

import { VALUE_DEPTH_MAX } from '../compare';
import { Failure, stop } from '../failure';
import { insert, newObject, sorted } from '../object';
import {
  elementAt,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newArray,
  push,
  textOf,
  valueAt,
} from '../value';
import { addHexDigit, addNumber } from './quote';
import { addAscii, addByte, addBytes, addText, beginText, finishText } from './text-builder';

// What begins every line but the first, and what each level adds to it; 0 for a text in one line.
let prefix: u32 = 0;
let indent: u32 = 0;

/** The JSON text of a value in one line. */
export function jsonText(value: u32): u32 {
  return indentedText(value, 0, 0);
}

/** The JSON text of a value over several lines, as Go's MarshalIndent; in one when both are 0. */
export function indentedText(value: u32, before: u32, by: u32): u32 {
  const plain = withTextKeys(value);
  prefix = before;
  indent = by;
  beginText();
  add(plain, 0);
  return finishText();
}

/** The value with sets as arrays, and with the JSON text of each key that is no string instead of it. */
export function withTextKeys(value: u32, depth: u32 = 0): u32 {
  const kind = kindOf(value);
  if (kind < <u32>Kind.Array) return value;
  if (depth == VALUE_DEPTH_MAX) stop(Failure.Depth);
  const count = lengthOf(value);
  if (kind != Kind.Array) sorted(value);
  const isObject = kind == Kind.Object;
  const copy = isObject ? newObject(count) : newArray(count);
  let same = kind != Kind.Set;
  for (let i: u32 = 0; i < count; i++) {
    const key = isObject ? keyAt(value, i) : 0;
    const part = isObject
      ? valueAt(value, i)
      : kind == Kind.Array
        ? elementAt(value, i)
        : keyAt(value, i);
    const plain = withTextKeys(part, depth + 1);
    if (plain != part) same = false;
    if (!isObject) push(copy, plain);
    else if (kindOf(key) == Kind.String) insert(copy, key, plain);
    else {
      same = false;
      insert(copy, jsonText(key), plain);
    }
  }
  return same ? value : isObject ? sorted(copy) : copy;
}

function add(value: u32, depth: u32): void {
  const kind = kindOf(value);
  if (kind == Kind.Null) return addAscii('null');
  if (kind == Kind.True) return addAscii('true');
  if (kind == Kind.False) return addAscii('false');
  if (kind == Kind.Number) return addNumber(value);
  if (kind == Kind.String) return addString(value);
  const isObject = kind == Kind.Object;
  const count = lengthOf(value);
  addByte(isObject ? 0x7b : 0x5b);
  for (let i: u32 = 0; i < count; i++) {
    if (i > 0) addByte(0x2c);
    addLine(depth + 1);
    if (isObject) {
      addString(keyAt(value, i));
      addByte(0x3a);
      if (indent != 0) addByte(0x20);
    }
    add(isObject ? valueAt(value, i) : elementAt(value, i), depth + 1);
  }
  if (count > 0) addLine(depth);
  addByte(isObject ? 0x7d : 0x5d);
}

function addLine(depth: u32): void {
  if (indent == 0) return;
  addByte(0x0a);
  addText(prefix);
  for (let i: u32 = 0; i < depth; i++) addText(indent);
}

function addString(text: u32): void {
  const end = textOf(text) + lengthOf(text);
  addByte(0x22);
  let from = textOf(text);
  for (let p = from; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte == 0xe2 && p + 2 < end && load<u8>(p, 1) == 0x80 && load<u8>(p, 2) >> 1 == 0x54) {
      // U+2028 and U+2029 end lines in JavaScript.
      addBytes(from, p - from);
      addAscii(load<u8>(p, 2) == 0xa8 ? '\\u2028' : '\\u2029');
      p += 2;
    } else if (byte >= 0x20 && byte != 0x22 && byte != 0x5c && !isHtml(byte)) continue;
    else {
      addBytes(from, p - from);
      addEscaped(byte);
    }
    from = p + 1;
  }
  addBytes(from, end - from);
  addByte(0x22);
}

/** Less than, greater than and the ampersand, which Go escapes so that the text can stand in HTML. */
function isHtml(byte: u32): bool {
  return byte == 0x3c || byte == 0x3e || byte == 0x26;
}

function addEscaped(byte: u32): void {
  if (byte == 0x22 || byte == 0x5c) {
    addByte(0x5c);
    addByte(byte);
  } else if (byte == 8) addAscii('\\b');
  else if (byte == 9) addAscii('\\t');
  else if (byte == 10) addAscii('\\n');
  else if (byte == 12) addAscii('\\f');
  else if (byte == 13) addAscii('\\r');
  else {
    addAscii('\\u00');
    addHexDigit(byte >> 4, false);
    addHexDigit(byte & 15, false);
  }
}
