// Reads YAML as OPA does: block and flow collections, all scalars, anchors, merge keys; no complex keys, no directives.

import { equal, VALUE_DEPTH_MAX } from '../compare';
import { Failure, stop } from '../failure';
import { get, insert, newObject } from '../object';
import {
  asciiString,
  elementAt,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  NULL,
  newArray,
  push,
  stringOf,
  valueAt,
} from '../value';
import { addByte, addBytes, addText, beginText, finishText } from './text-builder';
import { keyOf, resolved } from './yaml-resolve';
import {
  at,
  column,
  end,
  endsDocument,
  fault,
  faulty,
  isBlank,
  isBreak,
  isFlowMark,
  isMarker,
  lineBegin,
  moveTo,
  openSource,
  peek,
  skipBreak,
  skipInLine,
  skipToToken,
} from './yaml-source';
import { blockScalar, doubleQuoted, singleQuoted } from './yaml-text';

/** The values of anchors, by name. */
let anchors: u32 = 0;
/** Whether the last scalar was `<<` without quotes. */
let isMerge: bool = false;

/** The first document of a text as a value; 0 when any document of it is faulty. Nothing at all is null. */
export function parseYaml(pointer: u32, length: u32): u32 {
  openSource(pointer, length);
  let first: u32 = 0;
  skipToToken(true);
  while (at < end && !faulty) {
    anchors = newObject(0);
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
  while (true) {
    skipToToken(true);
    if (faulty) return 0;
    if (endsDocument()) return named(anchor, asText ? asciiString('') : NULL);
    const isList = peek() == 0x2d && isBlank(peek(1));
    if (column() <= parent && !(isList && column() >= list)) {
      return named(anchor, asText ? asciiString('') : NULL);
    }
    if (peek() == 0x26) anchor = word();
    else if (peek() == 0x21) asText = equal(word(), asciiString('!!str')) || asText;
    else {
      const blocked = apart && line == lineBegin();
      return named(anchor, content(parent, isList, blocked, asText, depth));
    }
  }
}

/** Keeps a value under its anchor, when it has one. */
function named(anchor: u32, value: u32): u32 {
  if (anchor != 0 && value != 0) insert(anchors, anchor, value);
  return value;
}

/** An anchor or a tag, with its mark taken for part of the name of a tag only. */
function word(): u32 {
  const from = peek() == 0x21 ? at : at + 1;
  moveTo(at + 1);
  while (!isBlank(peek()) && !isFlowMark(peek())) moveTo(at + 1);
  return stringOf(from, at - from);
}

function content(parent: i32, isList: bool, blocked: bool, asText: bool, depth: u32): u32 {
  const byte = peek();
  if (isList) return blocked ? fault() : sequence(depth);
  if (byte == 0x7c || byte == 0x3e) return blockScalar(parent);
  if (byte == 0x3f && isBlank(peek(1))) return fault();
  const start = column();
  const from = at;
  const first = byte == 0x5b || byte == 0x7b ? flow(depth) : scalar(false, asText);
  if (faulty || first == 0) return fault();
  const oneLine = noBreak(from);
  skipInLine();
  if (peek() == 0x3a && isBlank(peek(1))) {
    return oneLine && !blocked ? mapping(first, start, depth) : fault();
  }
  if (load<u8>(from) != 0x22 && load<u8>(from) != 0x27 && kindOf(first) <= <u32>Kind.String) {
    return byte == 0x2a ? first : continued(from, first, parent, asText);
  }
  return first;
}

function noBreak(from: u32): bool {
  for (let p = from; p < at; p++) if (isBreak(load<u8>(p))) return false;
  return true;
}

/** A scalar or an alias on the line; plain ones stop before a comment, a colon and, in brackets, at their marks. */
function scalar(inFlow: bool, asText: bool): u32 {
  const byte = peek();
  isMerge = false;
  if (byte == 0x22) return doubleQuoted();
  if (byte == 0x27) return singleQuoted();
  if (byte == 0x2a) {
    const value = get(anchors, word());
    return value == 0 ? fault() : value;
  }
  const from = at;
  const length = plainLength(inFlow);
  if (length == 0) return fault();
  moveTo(at + length);
  if (asText) return stringOf(from, length);
  isMerge = length == 2 && load<u16>(from) == 0x3c3c;
  const value = resolved(from, length);
  return value == 0 ? fault() : value;
}

/** How many bytes of the line are a plain scalar; 0 when none begins here. */
function plainLength(inFlow: bool): u32 {
  const first = peek();
  if (first == 0x2d || first == 0x3f || first == 0x3a) {
    if (isBlank(peek(1)) || (inFlow && isFlowMark(peek(1)))) return 0;
  } else if (isFlowMark(first) || isReserved(first)) return 0;
  let length: u32 = 0;
  for (let i: u32 = 0; at + i < end && !isBreak(peek(i)); i++) {
    const byte = peek(i);
    if (inFlow && isFlowMark(byte)) break;
    const next = peek(i + 1);
    if (byte == 0x3a && (isBlank(next) || (inFlow && isFlowMark(next)))) break;
    if (byte == 0x23 && i > length) break;
    if (byte != 0x20 && byte != 9) length = i + 1;
  }
  return length;
}

/** `#`, `&`, `*`, `!`, `|`, `>`, quotes, `%`, `@` and the backquote. */
function isReserved(byte: u32): bool {
  if (byte == 0x23 || byte == 0x26 || byte == 0x2a || byte == 0x21) return true;
  if (byte == 0x7c || byte == 0x3e || byte == 0x22 || byte == 0x27) return true;
  return byte == 0x25 || byte == 0x40 || byte == 0x60 || byte == 0;
}

/** A plain scalar that goes on over further lines, folded. */
function continued(from: u32, first: u32, parent: i32, asText: bool): u32 {
  let last = at;
  while (last > from && (load<u8>(last - 1) == 0x20 || load<u8>(last - 1) == 9)) last--;
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
    if (peek() != 0x2d || !isBlank(peek(1))) break;
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
    if (column() > start || (peek() == 0x2d && isBlank(peek(1)))) return fault();
    key = keyHere();
    if (faulty) return 0;
  }
  return merge(object, merges);
}

/** Reads a key and goes to its colon. */
function keyHere(): u32 {
  const from = at;
  const key = scalar(false, false);
  if (faulty || !noBreak(from)) return fault();
  const merged = isMerge;
  skipInLine();
  isMerge = merged;
  if (peek() != 0x3a || !isBlank(peek(1))) return fault();
  return key;
}

/** Adds what merge keys bring, without replacing what is there. */
function merge(object: u32, merges: u32): u32 {
  for (let i: u32 = 0; i < lengthOf(merges); i++) {
    const from = elementAt(merges, i);
    if (kindOf(from) == Kind.Array) {
      if (merge(object, from) == 0) return 0;
      continue;
    }
    if (kindOf(from) != Kind.Object) return fault();
    for (let j: u32 = 0; j < lengthOf(from); j++) {
      if (get(object, keyAt(from, j)) == 0) insert(object, keyAt(from, j), valueAt(from, j));
    }
  }
  return object;
}

/** A collection in brackets. */
function flow(depth: u32): u32 {
  if (depth > VALUE_DEPTH_MAX) stop(Failure.Depth);
  const isObject = peek() == 0x7b;
  const close: u32 = isObject ? 0x7d : 0x5d;
  const list = newArray(0);
  const object = newObject(0);
  const merges = newArray(0);
  moveTo(at + 1);
  while (!faulty) {
    skipToToken(false);
    if (peek() == close) {
      moveTo(at + 1);
      return isObject ? merge(object, merges) : list;
    }
    if (peek() == 0x2c) return fault();
    if (isObject) pair(object, merges, depth);
    else push(list, flowElement(depth));
    if (faulty) return 0;
    skipToToken(false);
    if (peek() == 0x2c) moveTo(at + 1);
    else if (peek() != close) return fault();
  }
  return 0;
}

/** An element of a list in brackets; `key: value` is an object of one pair. */
function flowElement(depth: u32): u32 {
  const from = at;
  const element = flowNode(depth);
  if (faulty) return 0;
  skipToToken(false);
  if (!isColon(from)) return element;
  const object = newObject(1);
  const key = keyOf(element);
  if (key == 0) return fault();
  insert(object, key, flowValue(depth));
  return object;
}

function pair(object: u32, merges: u32, depth: u32): void {
  const from = at;
  const key = flowNode(depth);
  const merged = isMerge;
  if (faulty) return;
  skipToToken(false);
  const value = isColon(from) ? flowValue(depth) : NULL;
  if (faulty) return;
  const name = keyOf(key);
  if (merged) push(merges, value);
  else if (name == 0) fault();
  else insert(object, name, value);
}

/** Whether a colon stands here that ends the key from a place on: behind quotes and brackets without a space too. */
function isColon(from: u32): bool {
  if (peek() != 0x3a) return false;
  const first = <u32>load<u8>(from);
  const isJson = first == 0x22 || first == 0x27 || first == 0x5b || first == 0x7b;
  return isJson || isBlank(peek(1)) || isFlowMark(peek(1));
}

/** What is behind a colon in brackets. */
function flowValue(depth: u32): u32 {
  moveTo(at + 1);
  skipToToken(false);
  const byte = peek();
  if (byte == 0x2c || byte == 0x5d || byte == 0x7d) return NULL;
  return flowNode(depth);
}

function flowNode(depth: u32): u32 {
  let anchor: u32 = 0;
  let asText = false;
  while (peek() == 0x26 || peek() == 0x21) {
    if (peek() == 0x26) anchor = word();
    else asText = equal(word(), asciiString('!!str')) || asText;
    skipToToken(false);
  }
  const byte = peek();
  if (byte == 0x5b || byte == 0x7b) {
    isMerge = false;
    return named(anchor, flow(depth + 1));
  }
  if (byte == 0x2c || byte == 0x5d || byte == 0x7d) return named(anchor, NULL);
  return named(anchor, plainFlow(asText));
}

/** A scalar in brackets, which may go on over lines. */
function plainFlow(asText: bool): u32 {
  const from = at;
  const isPlain = peek() != 0x22 && peek() != 0x27 && peek() != 0x2a;
  const first = scalar(true, asText);
  if (!isPlain || faulty) return first;
  let text: u32 = 0;
  let last = at;
  while (!faulty) {
    skipToToken(false);
    if (at >= end || isFlowMark(peek()) || peek() == 0x23) break;
    if (peek() == 0x3a && (isBlank(peek(1)) || isFlowMark(peek(1)))) break;
    const length = plainLength(true);
    if (length == 0) return fault();
    beginText();
    if (text == 0) addBytes(from, last - from);
    else addText(text);
    addByte(0x20);
    addBytes(at, length);
    text = finishText();
    moveTo(at + length);
    last = at;
    isMerge = false;
  }
  return text == 0 ? first : text;
}
