// Collections of YAML in brackets.

import { equal, VALUE_DEPTH_MAX } from '../compare';
import { Failure, stop } from '../failure';
import { insert, newObject } from '../object';
import { asciiString, NULL, newArray, push } from '../value';
import { addByte, addBytes, addText, beginText, finishText } from './text-builder';
import { keyOf } from './yaml-resolve';
import { isMerge, merge, named, plainLength, scalar, setMerge, word } from './yaml-scalar';
import {
  at,
  end,
  fault,
  faulty,
  isBlank,
  isFlowMark,
  moveTo,
  peek,
  skipToToken,
} from './yaml-source';

/** A collection in brackets. */
export function flow(depth: u32): u32 {
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
    setMerge(false);
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
    setMerge(false);
  }
  return text == 0 ? first : text;
}
