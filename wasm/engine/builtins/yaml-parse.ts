// Reads YAML as OPA does: block and flow collections, all scalars, anchors, merge keys; no complex keys, no directives.

import { equal, VALUE_DEPTH_MAX } from '../compare';
import { Failure, stop } from '../failure';
import { insert, newObject } from '../object';
import { asciiString, NULL, newArray, push } from '../value';
import { addByte, addBytes, addText, beginText, finishText } from './text-builder';
import { flow } from './yaml-flow';
import { keyOf } from './yaml-resolve';
import { forgetAnchors, isMerge, merge, named, scalar, setMerge, word } from './yaml-scalar';
import {
  at,
  column,
  end,
  endsDocument,
  fault,
  faulty,
  isBlank,
  isBreak,
  isMarker,
  lineBegin,
  moveTo,
  openSource,
  peek,
  skipBreak,
  skipInLine,
  skipToToken,
} from './yaml-source';
import { blockScalar } from './yaml-text';

/** The first document of a text as a value; 0 when any document of it is faulty. Nothing at all is null. */
export function parseYaml(pointer: u32, length: u32): u32 {
  openSource(pointer, length);
  let first: u32 = 0;
  skipToToken(true);
  while (at < end && !faulty) {
    forgetAnchors();
    let opened = false;
    if (isMarker(0x2d)) {
      opened = true;
      moveTo(at + 3);
    } else if (isMarker(0x2e)) {
      moveTo(at + 3);
      skipToToken(true);
      continue;
    }
    const document = node(-1, -1, opened, 0);
    if (document == 0 || faulty) return 0;
    if (first == 0) first = document;
    skipToToken(true);
    if (!endsDocument() || (!opened && at < end && column() > 0)) return 0;
  }
  if (faulty) return 0;
  return first == 0 ? NULL : first;
}

/**
 * A node in block style, indented deeper than `parent`; a sequence may stand at `list`. Where `apart`, a
 * collection without brackets has to begin on a line of its own.
 */
function node(parent: i32, list: i32, apart: bool, depth: u32): u32 {
  if (depth > VALUE_DEPTH_MAX) stop(Failure.Depth);
  let anchor: u32 = 0;
  let asText = false;
  const line = lineBegin();
  // An anchor or a tag on the line of a node is that of its first key, when it turns out to be a mapping.
  let propertyLine: u32 = 0;
  let start: i32 = 0;
  while (true) {
    skipToToken(true);
    if (faulty) return 0;
    if (endsDocument() || (column() <= parent && !(isDash() && column() >= list))) {
      return named(anchor, asText ? asciiString('') : NULL);
    }
    if (propertyLine != lineBegin()) start = column();
    if (peek() != 0x26 && peek() != 0x21) break;
    propertyLine = lineBegin();
    if (peek() != 0x26) asText = equal(word(), asciiString('!!str')) || asText;
    else anchor = anchor == 0 ? word() : fault();
  }
  const blocked = apart && line == lineBegin();
  const beside = propertyLine == lineBegin();
  if (isDash()) return blocked || beside ? fault() : named(anchor, sequence(depth));
  if (!isKeyed(parent, asText, depth)) return named(anchor, read);
  if (blocked) return fault();
  if (!beside) return named(anchor, mapping(read, start, depth));
  return mapping(named(anchor, read), start, depth);
}

function isDash(): bool {
  return peek() == 0x2d && isBlank(peek(1));
}

/** What `isKeyed` has read, 0 for a fault. */
let read: u32 = 0;

/** Reads a scalar or a collection in brackets; tells whether the colon of a mapping stands behind it. */
function isKeyed(parent: i32, asText: bool, depth: u32): bool {
  const byte = peek();
  if (byte == 0x7c || byte == 0x3e) {
    read = blockScalar(parent);
    return false;
  }
  const from = at;
  const isFlow = byte == 0x5b || byte == 0x7b;
  if (byte == 0x3f && isBlank(peek(1))) read = fault();
  else read = isFlow ? flow(depth) : scalar(false, asText);
  if (faulty) return false;
  const value = read;
  const oneLine = noBreak(from);
  const last = at;
  skipInLine();
  if (peek() == 0x3a && isBlank(peek(1))) {
    if (!oneLine) fault();
    return true;
  }
  const isPlain = !isFlow && byte != 0x22 && byte != 0x27 && byte != 0x2a;
  read = isPlain ? continued(from, last, value, parent) : value;
  return false;
}

function noBreak(from: u32): bool {
  for (let p = from; p < at; p++) if (isBreak(load<u8>(p))) return false;
  return true;
}

/** A plain scalar that goes on over further lines, folded. */
function continued(from: u32, last: u32, first: u32, parent: i32): u32 {
  let text: u32 = 0;
  // Behind a comment nothing goes on.
  for (let p = last; p < at; p++) if (load<u8>(p) == 0x23) return first;
  while (isBreak(peek())) {
    let breaks: u32 = 0;
    while (isBreak(peek())) {
      skipBreak();
      breaks++;
      while (peek() == 0x20 || peek() == 9) moveTo(at + 1);
    }
    if (endsDocument() || column() <= parent || peek() == 0x23) {
      moveTo(lineBegin());
      break;
    }
    const length = plainLine();
    if (length == 0) return fault();
    beginText();
    if (text == 0) addBytes(from, last - from);
    else addText(text);
    if (breaks == 1) addByte(0x20);
    for (; breaks > 1; breaks--) addByte(0x0a);
    addBytes(at, length);
    text = finishText();
    moveTo(at + length);
    const ends = at;
    skipInLine();
    if (peek() == 0x3a && isBlank(peek(1))) return fault();
    if (at > ends && !isBreak(peek()) && at < end) return fault();
  }
  return text == 0 ? first : text;
}

/** How many bytes of a further line of a plain scalar there are: any character may begin it. */
function plainLine(): u32 {
  let length: u32 = 0;
  for (let i: u32 = 0; at + i < end && !isBreak(peek(i)); i++) {
    const byte = peek(i);
    if (byte == 0x3a && isBlank(peek(i + 1))) break;
    if (byte == 0x23 && i > length) break;
    if (byte != 0x20 && byte != 9) length = i + 1;
  }
  return length;
}

/** Elements behind dashes in one column. */
function sequence(depth: u32): u32 {
  const start = column();
  const list = newArray(4);
  while (!faulty) {
    moveTo(at + 1);
    const element = node(start, start + 1, false, depth + 1);
    if (element == 0) return fault();
    push(list, element);
    skipToToken(true);
    if (endsDocument() || column() < start) break;
    if (column() > start) return fault();
    if (!isDash()) break;
  }
  return list;
}

/** Keys in one column, the first of which is read already; its colon is here. */
function mapping(first: u32, start: i32, depth: u32): u32 {
  const object = newObject(4);
  const merges = newArray(0);
  let key = first;
  while (!faulty) {
    const merged = isMerge;
    moveTo(at + 1);
    const value = node(start, start, true, depth + 1);
    if (value == 0 || faulty) return fault();
    if (merged) push(merges, value);
    else {
      const name = keyOf(key);
      if (name == 0) return fault();
      insert(object, name, value);
    }
    skipToToken(true);
    if (endsDocument() || column() < start) break;
    if (column() > start || isDash()) return fault();
    key = keyHere();
    if (faulty) return 0;
  }
  return merge(object, merges);
}

/** Reads a key and goes to its colon. */
function keyHere(): u32 {
  let anchor: u32 = 0;
  let asText = false;
  while (peek() == 0x26 || peek() == 0x21) {
    if (peek() == 0x26) anchor = word();
    else asText = equal(word(), asciiString('!!str')) || asText;
    skipInLine();
  }
  const from = at;
  const key = named(anchor, scalar(false, asText));
  if (faulty || !noBreak(from)) return fault();
  const merged = isMerge;
  skipInLine();
  setMerge(merged);
  if (peek() != 0x3a || !isBlank(peek(1))) return fault();
  return key;
}
