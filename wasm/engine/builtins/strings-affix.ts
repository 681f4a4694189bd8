// Whether any string of some begins or ends with any of others, without comparing each with each.

import { compare } from '../compare';
import { Failure, failed } from '../failure';
import {
  boolean,
  elementAt,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newArray,
  newString,
  push,
  textOf,
} from '../value';
import { sortedArray } from './sorting';

export function b_strings_any_prefix_match(texts: u32, prefixes: u32): u32 {
  return anyMatch(texts, prefixes, false);
}

export function b_strings_any_suffix_match(texts: u32, suffixes: u32): u32 {
  return anyMatch(texts, suffixes, true);
}

function anyMatch(texts: u32, affixes: u32, atEnd: bool): u32 {
  const searched = listOf(texts, atEnd);
  if (searched == 0) return failed(Failure.Type);
  const wanted = listOf(affixes, atEnd);
  if (wanted == 0) return failed(Failure.Type);
  const count = lengthOf(wanted);
  if (lengthOf(searched) == 1) {
    const text = elementAt(searched, 0);
    for (let i: u32 = 0; i < count; i++)
      if (begins(text, elementAt(wanted, i))) return boolean(true);
    return boolean(false);
  }
  // Strings with the same beginning stand together in the order, right behind the beginning itself.
  const ordered = sortedArray(searched);
  for (let i: u32 = 0; i < count; i++) {
    const at = firstFrom(ordered, elementAt(wanted, i));
    if (at < lengthOf(ordered) && begins(elementAt(ordered, at), elementAt(wanted, i)))
      return boolean(true);
  }
  return boolean(false);
}

/** A string, array or set of strings as an array, each reversed for suffixes; 0 for anything else. */
function listOf(value: u32, reversed: bool): u32 {
  const kind = kindOf(value);
  const isList = kind == Kind.Array || kind == Kind.Set;
  if (kind != Kind.String && !isList) return 0;
  const count = isList ? lengthOf(value) : 1;
  const list = newArray(count);
  for (let i: u32 = 0; i < count; i++) {
    let text = value;
    if (kind == Kind.Array) text = elementAt(value, i);
    else if (kind == Kind.Set) text = keyAt(value, i);
    if (kindOf(text) != Kind.String) return 0;
    push(list, reversed ? reversedBytes(text) : text);
  }
  return list;
}

/** The bytes backwards: only compared with others like it, never seen. */
function reversedBytes(text: u32): u32 {
  const length = lengthOf(text);
  const reversed = newString(length);
  for (let i: u32 = 0; i < length; i++)
    store<u8>(textOf(reversed) + i, load<u8>(textOf(text) + length - 1 - i));
  return reversed;
}

function begins(text: u32, prefix: u32): bool {
  const length = lengthOf(prefix);
  return length <= lengthOf(text) && memory.compare(textOf(text), textOf(prefix), length) == 0;
}

/** The number of the first string that is not below `wanted`. */
function firstFrom(ordered: u32, wanted: u32): u32 {
  let low: u32 = 0;
  let high = lengthOf(ordered);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(elementAt(ordered, middle), wanted) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
