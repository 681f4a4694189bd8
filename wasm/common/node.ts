// The tree that parseJson leaves: what a node is, and how to walk, search and compare.

import { KEY_LENGTH, KEY_POINTER } from './sort';
import { compareUtf16 } from './text';

/** What a node is; the same order as in JSON's own grammar of literals, scalars and containers. */
export const enum Kind {
  Null,
  False,
  True,
  Number,
  String,
  Array,
  Object,
}

// A node: kind u32, key pointer, key length, next sibling, then by kind pointer and length of the text,
// or first child and count; then a number's value, or an object's sorted index. Keys are where sort.ts expects them.
export const NEXT: u32 = 12;
export const POINTER: u32 = 16;
export const LENGTH: u32 = 20;
export const VALUE: u32 = 24;
export const NODE_BYTES: u32 = 32;

/** What a node is. */
export function kindOf(node: u32): Kind {
  return load<u32>(node);
}

/** The first element or member, 0 when there is none; members come in canonical order of their keys. */
export function firstChild(node: u32): u32 {
  return load<u32>(node, POINTER);
}

/** The next element or member of the same container, 0 behind the last. */
export function nextSibling(node: u32): u32 {
  return load<u32>(node, NEXT);
}

/** How many elements or members a container has. */
export function childCount(node: u32): u32 {
  return load<u32>(node, LENGTH);
}

/** Where a string's decoded UTF-8 text is. */
export function stringPointer(node: u32): u32 {
  return load<u32>(node, POINTER);
}

/** Length of a string's decoded text in bytes. */
export function stringLength(node: u32): u32 {
  return load<u32>(node, LENGTH);
}

/** Where a member's decoded key is; only for members of an object. */
export function keyPointer(node: u32): u32 {
  return load<u32>(node, KEY_POINTER);
}

/** Length of a member's decoded key in bytes. */
export function keyLength(node: u32): u32 {
  return load<u32>(node, KEY_LENGTH);
}

/** Where a number's canonical text is (RFC 8785 section 3.2.2.3). */
export function numberPointer(node: u32): u32 {
  return load<u32>(node, POINTER);
}

/** Length of a number's canonical text. */
export function numberLength(node: u32): u32 {
  return load<u32>(node, LENGTH);
}

/** A number's value, correctly rounded. */
export function numberValue(node: u32): f64 {
  return load<f64>(node, VALUE);
}

/** The member with this key, or 0; binary search in large objects. */
export function member(node: u32, pointer: u32, length: u32): u32 {
  const index = load<u32>(node, VALUE);
  if (index == 0) {
    for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
      if (keyLength(child) == length && memory.compare(keyPointer(child), pointer, length) == 0) {
        return child;
      }
    }
    return 0;
  }
  let low: u32 = 0;
  let high = childCount(node);
  while (low < high) {
    const middle = (low + high) >> 1;
    const child = load<u32>(index + (middle << 2));
    const order = compareUtf16(keyPointer(child), keyLength(child), pointer, length);
    if (order == 0) return child;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return 0;
}

/** Whether two values are equal as JSON Schema means it: 1 equals 1.0, member order does not count. */
export function equalNodes(a: u32, b: u32): bool {
  const kind = kindOf(a);
  if (kind != kindOf(b)) return false;
  if (kind < Kind.Number) return true;
  const length = load<u32>(a, LENGTH);
  if (length != load<u32>(b, LENGTH)) return false;
  if (kind < Kind.Array) {
    return memory.compare(load<u32>(a, POINTER), load<u32>(b, POINTER), length) == 0;
  }
  // Depth is bounded by DEPTH_MAX, and members are in the same order on both sides.
  let x = firstChild(a);
  let y = firstChild(b);
  for (; x != 0; x = nextSibling(x), y = nextSibling(y)) {
    if (kind == Kind.Object && !equalKeys(x, y)) return false;
    if (!equalNodes(x, y)) return false;
  }
  return true;
}

function equalKeys(a: u32, b: u32): bool {
  const length = keyLength(a);
  return length == keyLength(b) && memory.compare(keyPointer(a), keyPointer(b), length) == 0;
}
