// Writes values as YAML as go-yaml v3 does at an indentation of two, keys in its natural order.

import { alloc } from '../../common/arena';
import { toF64 } from '../number';
import {
  elementAt,
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
import { addDouble } from './float-text';
import { withTextKeys } from './json-text';
import { addNumber } from './quote';
import {
  addAscii,
  addByte,
  addBytes,
  addInteger,
  addRepeated,
  addText,
  beginText,
  finishText,
  resumeText,
  suspendText,
} from './text-builder';
import { keyBefore } from './yaml-order';
import { addDoubleQuoted, addSingleQuoted, Style, styleOf } from './yaml-style';

/** Columns for each level. */
const INDENT: u32 = 2;

/** The YAML text of a value; sets are sequences, and keys that are no strings are their JSON text. */
export function yamlText(value: u32): u32 {
  const plain = withTextKeys(value);
  beginText(256);
  if (isFull(plain)) addCollection(plain, 0, false);
  else addScalar(plain, 0);
  return finishText();
}

/** Whether a value is a collection with entries, which stand on lines of their own. */
function isFull(value: u32): bool {
  return kindOf(value) >= <u32>Kind.Array && lengthOf(value) > 0;
}

/** The entries of a collection, each on its line; the first goes on where one is begun. */
function addCollection(value: u32, indent: u32, begun: bool): void {
  const isObject = kindOf(value) == Kind.Object;
  const order = isObject ? keysOf(value) : 0;
  for (let i: u32 = 0; i < lengthOf(value); i++) {
    if (i > 0 || !begun) addRepeated(0x20, indent);
    if (!isObject) {
      addAscii('- ');
      const element = elementAt(value, i);
      if (isFull(element)) addCollection(element, indent + INDENT, true);
      else addScalar(element, indent + INDENT);
      continue;
    }
    const entry = load<u32>(order + (i << 2));
    addString(keyAt(value, entry), 0, true);
    addByte(0x3a);
    const member = valueAt(value, entry);
    if (isFull(member)) {
      addByte(0x0a);
      addCollection(member, indent + INDENT, false);
    } else {
      addByte(0x20);
      addScalar(member, indent + INDENT);
    }
  }
}

/** A value on the rest of the line, and the line's end. */
function addScalar(value: u32, indent: u32): void {
  const kind = kindOf(value);
  if (kind == Kind.String) {
    if (addString(value, indent, false)) return;
  } else if (kind == Kind.Array) addAscii('[]');
  else if (kind == Kind.Object) addAscii('{}');
  else if (kind == Kind.Null) addAscii('null');
  else if (kind == Kind.True) addAscii('true');
  else if (kind == Kind.False) addAscii('false');
  else addYamlNumber(value);
  addByte(0x0a);
}

/** An integer that 64 bits hold as it is, any other number as Go's shortest float. */
function addYamlNumber(value: u32): void {
  if (isInteger(value)) return addNumber(value);
  const text = value + NUMBER_TEXT;
  const length = load<u32>(value, NUMBER_LENGTH);
  let whole = length < 21;
  for (let i: u32 = 0; i < length; i++) if (<u32>load<u8>(text + i) - 0x30 > 9) whole = false;
  const number = toF64(value);
  if (whole && number < 1.8446744073709552e19) return addBytes(text, length);
  if (reinterpret<i64>(number) < 0) addByte(0x2d);
  addDouble(number, 0x67, -1);
}

/** A string in its style; whether it has ended its line. */
function addString(text: u32, indent: u32, isKey: bool): bool {
  const state = suspendText();
  const style = styleOf(text, isKey);
  resumeText(state);
  if (style == Style.Literal) addLiteral(text, max(indent, INDENT));
  else if (style == Style.Single) addSingleQuoted(text);
  else if (style == Style.Double) addDoubleQuoted(text);
  else addText(text);
  return style == Style.Literal;
}

/** A string of several lines as they are. */
function addLiteral(text: u32, indent: u32): void {
  const start = textOf(text);
  const end = start + lengthOf(text);
  const first = <u32>load<u8>(start);
  addByte(0x7c);
  if (first == 0x20 || first == 0x0a) addInteger(INDENT);
  if (load<u8>(end - 1) != 0x0a) addByte(0x2d);
  else if (end - start == 1 || load<u8>(end - 2) == 0x0a) addByte(0x2b);
  addByte(0x0a);
  for (let p = start; p < end; ) {
    let line = p;
    while (line < end && load<u8>(line) != 0x0a) line++;
    if (line > p) addRepeated(0x20, indent);
    addBytes(p, line - p);
    addByte(0x0a);
    p = line + 1;
  }
}

/** The numbers of an object's entries in the order of their keys (bottom-up merge sort). */
function keysOf(object: u32): u32 {
  const count = lengthOf(object);
  let from = alloc(count << 2);
  let to = alloc(count << 2);
  for (let i: u32 = 0; i < count; i++) store<u32>(from + (i << 2), i);
  for (let width: u32 = 1; width < count; width <<= 1) {
    for (let low: u32 = 0; low < count; low += width << 1) {
      mergeKeys(object, from, to, low, min(low + width, count), min(low + (width << 1), count));
    }
    const swap = from;
    from = to;
    to = swap;
  }
  return from;
}

function mergeKeys(object: u32, from: u32, to: u32, low: u32, middle: u32, high: u32): void {
  let i = low;
  let j = middle;
  for (let k = low; k < high; k++) {
    let left = j >= high;
    if (i < middle && j < high) {
      const a = keyAt(object, load<u32>(from + (i << 2)));
      left = !keyBefore(keyAt(object, load<u32>(from + (j << 2))), a);
    }
    store<u32>(to + (k << 2), load<u32>(from + ((left ? i : j) << 2)));
    if (left) i++;
    else j++;
  }
}
