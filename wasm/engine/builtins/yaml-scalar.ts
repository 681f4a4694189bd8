// Scalars, aliases and anchors of YAML on one line, and what merge keys bring.

import { get, insert, newObject } from '../object';
import { elementAt, Kind, keyAt, kindOf, lengthOf, stringOf, valueAt } from '../value';
import { resolved } from './yaml-resolve';
import { at, end, fault, isBlank, isBreak, isFlowMark, moveTo, peek } from './yaml-source';
import { doubleQuoted, singleQuoted } from './yaml-text';

/** The values of anchors, by name. */
let anchors: u32 = 0;
/** Whether the last scalar was `<<` without quotes. */
export let isMerge: bool = false;

/** Begins a document: anchors are its own. */
export function forgetAnchors(): void {
  anchors = newObject(0);
}

/** Says whether the scalar at hand is to be taken for a merge key. */
export function setMerge(merges: bool): void {
  isMerge = merges;
}

/** Keeps a value under its anchor, when it has one. */
export function named(anchor: u32, value: u32): u32 {
  if (anchor != 0 && value != 0) insert(anchors, anchor, value);
  return value;
}

/** An anchor or a tag, with its mark taken for part of the name of a tag only. */
export function word(): u32 {
  const from = peek() == 0x21 ? at : at + 1;
  moveTo(at + 1);
  while (!isBlank(peek()) && !isFlowMark(peek())) moveTo(at + 1);
  return stringOf(from, at - from);
}

/** A scalar or an alias on the line; plain ones stop before a comment, a colon and, in brackets, at their marks. */
export function scalar(inFlow: bool, asText: bool): u32 {
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
export function plainLength(inFlow: bool): u32 {
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

/** Adds what merge keys bring, without replacing what is there. */
export function merge(object: u32, merges: u32): u32 {
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
