// Where the references of a JSON Schema lead: to its parts, by their identifiers and by JSON pointers.
//
// Nothing is fetched: a schema of somewhere else, a metaschema too, is not found.

import { alloc } from '../../common/arena';
import { equalStrings } from '../compare';
import { Failure, stop } from '../failure';
import { get, sorted } from '../object';
import {
  asciiString,
  elementAt,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newArray,
  newString,
  push,
  stringOf,
  textOf,
  valueAt,
} from '../value';
import { addBytes, addText, beginText, finishText } from './text-builder';

/** How deep a schema may nest. */
const DEPTH: u32 = 256;

/** Identifiers of parts, each followed by its part; objects with a reference, each followed by what it says. */
let parts: u32 = 0;
let references: u32 = 0;
/** Whether two parts have the same identifier; which one. */
export let repeated: u32 = 0;
/** Why the last reference leads nowhere. */
export let broken: u32 = 0;

/** Begins a schema; false with `repeated` when two parts have the same identifier. */
export function collect(schema: u32): bool {
  parts = newArray(4);
  references = newArray(8);
  repeated = 0;
  const base = asciiString('');
  visit(schema, base, 0);
  push(parts, base);
  push(parts, schema);
  return repeated == 0;
}

function visit(value: u32, base: u32, depth: u32): void {
  if (depth > DEPTH) stop(Failure.Depth);
  const kind = kindOf(value);
  if (kind == Kind.Array) {
    for (let i: u32 = 0; i < lengthOf(value); i++) visit(elementAt(value, i), base, depth + 1);
  }
  if (kind != Kind.Object || repeated != 0) return;
  const inner = identify(value, base);
  const reference = member(value, '$ref');
  if (reference != 0 && kindOf(reference) == Kind.String) {
    push(references, value);
    push(references, resolve(inner, reference));
  }
  sorted(value);
  for (let i: u32 = 0; i < lengthOf(value); i++) {
    const key = keyAt(value, i);
    const part = valueAt(value, i);
    if (named(key, 'const') || named(key, 'enum')) continue;
    const holder =
      named(key, 'properties') || named(key, 'dependencies') || named(key, 'patternProperties');
    if (!holder) visit(part, inner, depth + 1);
    else if (kindOf(part) == Kind.Object) {
      sorted(part);
      for (let j: u32 = 0; j < lengthOf(part); j++) visit(valueAt(part, j), inner, depth + 1);
    }
  }
}

/** Notes a part's identifier; returns what references inside of it are relative to. */
function identify(schema: u32, base: u32): u32 {
  const old = member(schema, 'id');
  const id = old != 0 ? old : member(schema, '$id');
  if (id == 0 || kindOf(id) != Kind.String) return base;
  const full = resolve(base, id);
  for (let i: u32 = 0; i < lengthOf(parts); i += 2) {
    if (equalStrings(elementAt(parts, i), full)) repeated = full;
  }
  push(parts, full);
  push(parts, schema);
  return full;
}

/** The member of an object with this ASCII name, 0 when there is none. */
export function member(object: u32, name: string): u32 {
  return get(object, asciiString(name));
}

/** Whether a key is this ASCII name. */
export function named(key: u32, name: string): bool {
  if (kindOf(key) != Kind.String || lengthOf(key) != <u32>name.length) return false;
  const source = changetype<usize>(name);
  for (let i: u32 = 0; i < lengthOf(key); i++) {
    if (load<u8>(textOf(key) + i) != load<u8>(source + (i << 1))) return false;
  }
  return true;
}

/** Where a byte first stands in a text, its length when it does not. */
function indexOf(text: u32, byte: u32): u32 {
  let i: u32 = 0;
  while (i < lengthOf(text) && load<u8>(textOf(text) + i) != byte) i++;
  return i;
}

/** A reference relative to a base (RFC 3986 section 5.2, without dot segments); an empty fragment is none. */
function resolve(base: u32, reference: u32): u32 {
  let length = lengthOf(reference);
  if (length > 0 && load<u8>(textOf(reference) + length - 1) == 0x23) length -= 1;
  const first: u32 = length == 0 ? 0x23 : <u32>load<u8>(textOf(reference));
  const colon = indexOf(reference, 0x3a);
  const absolute = colon < indexOf(reference, 0x2f) && colon < indexOf(reference, 0x23);
  beginText();
  if (!absolute) addBytes(textOf(base), baseBytes(base, first));
  addBytes(textOf(reference), length);
  return finishText();
}

/** How much of a base stays in front of a relative reference that begins with this byte. */
function baseBytes(base: u32, first: u32): u32 {
  const whole = indexOf(base, 0x23);
  if (first == 0x23) return whole;
  const colon = indexOf(base, 0x3a);
  let path: u32 = 0;
  if (colon + 2 < whole && load<u16>(textOf(base) + colon + 1) == 0x2f2f) {
    path = colon + 3;
    while (path < whole && load<u8>(textOf(base) + path) != 0x2f) path++;
  }
  if (first == 0x2f) return path;
  let end = whole;
  while (end > path && load<u8>(textOf(base) + end - 1) != 0x2f) end--;
  return end;
}

/** The full reference of an object that has one. */
export function referenceOf(object: u32): u32 {
  for (let i: u32 = 0; i < lengthOf(references); i += 2) {
    if (elementAt(references, i) == object) return elementAt(references, i + 1);
  }
  return 0;
}

function partOf(name: u32): u32 {
  for (let i: u32 = 0; i < lengthOf(parts); i += 2) {
    if (equalStrings(elementAt(parts, i), name)) return elementAt(parts, i + 1);
  }
  return 0;
}

/** What a full reference leads to, 0 with `broken` when that is nothing. */
export function target(reference: u32): u32 {
  const found = partOf(reference);
  if (found != 0) return found;
  const hash = indexOf(reference, 0x23);
  const document = partOf(stringOf(textOf(reference), hash));
  if (document == 0) {
    beginText();
    addText(asciiString('Reference '));
    addText(reference);
    addText(asciiString(' must be canonical'));
    broken = finishText();
    return 0;
  }
  const start = min(hash + 1, lengthOf(reference));
  return follow(document, decoded(textOf(reference) + start, lengthOf(reference) - start));
}

/** The text with its percent-encoded bytes decoded. */
function decoded(pointer: u32, length: u32): u32 {
  const text = newString(length);
  let to = textOf(text);
  for (let i: u32 = 0; i < length; i++) {
    const byte = <u32>load<u8>(pointer + i);
    if (byte == 0x25 && i + 2 < length) {
      store<u8>(to++, (digit(load<u8>(pointer + i + 1)) << 4) | digit(load<u8>(pointer + i + 2)));
      i += 2;
    } else store<u8>(to++, byte);
  }
  return stringOf(textOf(text), to - textOf(text));
}

function digit(byte: u32): u32 {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
}

/** Follows a JSON pointer (RFC 6901). */
function follow(document: u32, pointer: u32): u32 {
  const end = textOf(pointer) + lengthOf(pointer);
  let value = document;
  let p = textOf(pointer);
  // A fragment that is no pointer and nobody's identifier leads to the whole document, as in gojsonreference.
  if (p < end && load<u8>(p) != 0x2f) return document;
  while (p < end) {
    p++;
    const from = p;
    while (p < end && load<u8>(p) != 0x2f) p++;
    const token = unescaped(from, p - from);
    if (kindOf(value) == Kind.Object) {
      value = get(value, token);
      if (value == 0) return nowhere('Object has no key', token);
    } else if (kindOf(value) == Kind.Array) {
      const index = indexIn(from, p);
      if (index >= lengthOf(value)) return nowhere('Invalid array index', token);
      value = elementAt(value, index);
    } else return nowhere('Invalid token reference', token);
  }
  return value;
}

function indexIn(from: u32, to: u32): u32 {
  let index: u32 = 0;
  for (let p = from; p < to; p++) {
    const number = <u32>load<u8>(p) - 0x30;
    if (number > 9 || index > 100000000) return u32.MAX_VALUE;
    index = index * 10 + number;
  }
  return from == to ? u32.MAX_VALUE : index;
}

/** A token of a pointer: ~1 is a slash and ~0 a tilde. */
function unescaped(from: u32, length: u32): u32 {
  const text = alloc(length);
  let to = text;
  for (let i: u32 = 0; i < length; i++) {
    let byte = <u32>load<u8>(from + i);
    const next: u32 = byte == 0x7e && i + 1 < length ? <u32>load<u8>(from + i + 1) : 0;
    if (next == 0x30 || next == 0x31) {
      byte = next == 0x31 ? 0x2f : 0x7e;
      i++;
    }
    store<u8>(to++, byte);
  }
  return stringOf(text, to - text);
}

function nowhere(why: string, token: u32): u32 {
  beginText();
  addText(asciiString(why));
  addText(asciiString(" '"));
  addText(token);
  addText(asciiString("'"));
  broken = finishText();
  return 0;
}
