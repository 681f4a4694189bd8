// Replaces in strings as Go's strings.Replacer does: from left to right, never in what it has put there.

import { alloc } from '../../common/arena';
import { Failure, failed } from '../failure';
import { sorted } from '../object';
import { Kind, keyAt, kindOf, lengthOf, textOf, valueAt } from '../value';
import { find, NOT_FOUND } from './search';
import { addByte, addBytes, addText, beginText, finishText } from './text-builder';
import { wholeText } from './utf8';

export function b_replace(text: u32, old: u32, by: u32): u32 {
  if (kindOf(text) != Kind.String || kindOf(old) != Kind.String || kindOf(by) != Kind.String)
    return failed(Failure.Type);
  const start = textOf(text);
  const length = lengthOf(text);
  const size = lengthOf(old);
  if (size == 0) return replaceEmpty(text, by);
  let from: u32 = 0;
  let at = find(start, length, textOf(old), size);
  if (at == NOT_FOUND) return text;
  beginText(length);
  for (; at != NOT_FOUND; at = find(start, length, textOf(old), size, from)) {
    addBytes(start + from, at - from);
    addText(by);
    from = at + size;
  }
  addBytes(start + from, length - from);
  return finishText();
}

/** Puts `by` before every byte and behind the last, which is what Go's generic replacer does. */
function replaceEmpty(text: u32, by: u32): u32 {
  const length = lengthOf(text);
  beginText(length);
  for (let i: u32 = 0; i < length; i++) {
    addText(by);
    addByte(load<u8>(textOf(text) + i));
  }
  addText(by);
  return wholeText(finishText());
}

// For each first byte, which of the sorted patterns begin with it.
let firsts: u32 = 0;

/**
 * Of the patterns that begin at a place, the first in their order wins, which is the shortest. The work at a
 * place is bounded by the longest pattern there.
 */
export function b_strings_replace_n(patterns: u32, text: u32): u32 {
  if (kindOf(patterns) != Kind.Object || kindOf(text) != Kind.String) return failed(Failure.Type);
  sorted(patterns);
  const count = lengthOf(patterns);
  for (let i: u32 = 0; i < count; i++) {
    if (kindOf(keyAt(patterns, i)) != Kind.String) return failed(Failure.Type);
    if (kindOf(valueAt(patterns, i)) != Kind.String) return failed(Failure.Type);
  }
  const hasEmpty = count > 0 && lengthOf(keyAt(patterns, 0)) == 0;
  indexFirsts(patterns, hasEmpty ? 1 : 0);
  const length = lengthOf(text);
  const start = textOf(text);
  beginText(length);
  let afterEmpty = false;
  for (let i: u32 = 0; i <= length; ) {
    if (hasEmpty && !afterEmpty) {
      addText(valueAt(patterns, 0));
      afterEmpty = true;
      continue;
    }
    afterEmpty = false;
    if (i == length) break;
    const match = shortestAt(patterns, start + i, length - i);
    if (match == NOT_FOUND) {
      addByte(load<u8>(start + i));
      i += 1;
    } else {
      addText(valueAt(patterns, match));
      i += lengthOf(keyAt(patterns, match));
    }
  }
  const replaced = finishText();
  return hasEmpty ? wholeText(replaced) : replaced;
}

function indexFirsts(patterns: u32, from: u32): void {
  const count = lengthOf(patterns);
  firsts = alloc(257 << 2);
  let next = from;
  for (let byte: u32 = 0; byte < 256; byte++) {
    store<u32>(firsts + (byte << 2), next);
    while (next < count && load<u8>(textOf(keyAt(patterns, next))) == byte) next++;
  }
  store<u32>(firsts + (256 << 2), next);
}

/** The number of the shortest pattern at a place, or NOT_FOUND: those that agree so far are a range that shrinks. */
function shortestAt(patterns: u32, at: u32, rest: u32): u32 {
  const first = firsts + (load<u8>(at) << 2);
  let low = load<u32>(first);
  let high = load<u32>(first, 4);
  for (let depth: u32 = 1; low < high; depth++) {
    if (lengthOf(keyAt(patterns, low)) == depth) return low;
    if (depth == rest) return NOT_FOUND;
    const byte = <u32>load<u8>(at + depth);
    const begin = firstFrom(patterns, low, high, depth, byte);
    high = firstFrom(patterns, begin, high, depth, byte + 1);
    low = begin;
  }
  return NOT_FOUND;
}

/** The first pattern of a range, all longer than `depth`, whose byte at `depth` is at least `byte`. */
function firstFrom(patterns: u32, from: u32, to: u32, depth: u32, byte: u32): u32 {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (<u32>load<u8>(textOf(keyAt(patterns, middle)) + depth) < byte) low = middle + 1;
    else high = middle;
  }
  return low;
}
