// Strings: look into them, cut them and join them (OPA's v1/topdown/strings.go); see also strings-trim, -replace, -case.

import { Failure, failed } from '../failure';
import { sorted } from '../object';
import {
  boolean,
  elementAt,
  integer,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newArray,
  newString,
  push,
  stringOf,
  textOf,
} from '../value';
import { isInt, parsed } from './atoi';
import { advance, failures, find, NOT_FOUND } from './search';
import { addText, beginText, finishText } from './text-builder';
import { runeAt, runeBytes, runeOffset, runesIn } from './utf8';

function twoStrings(a: u32, b: u32): bool {
  return kindOf(a) == Kind.String && kindOf(b) == Kind.String;
}

/** Where the second string begins in the first, in bytes, or NOT_FOUND. */
function findIn(text: u32, needle: u32, from: u32 = 0): u32 {
  return find(textOf(text), lengthOf(text), textOf(needle), lengthOf(needle), from);
}

export function b_contains(text: u32, needle: u32): u32 {
  if (!twoStrings(text, needle)) return failed(Failure.Type);
  return boolean(findIn(text, needle) != NOT_FOUND);
}

export function b_startswith(text: u32, prefix: u32): u32 {
  if (!twoStrings(text, prefix)) return failed(Failure.Type);
  const length = lengthOf(prefix);
  if (length > lengthOf(text)) return boolean(false);
  return boolean(memory.compare(textOf(text), textOf(prefix), length) == 0);
}

export function b_endswith(text: u32, suffix: u32): u32 {
  if (!twoStrings(text, suffix)) return failed(Failure.Type);
  const length = lengthOf(suffix);
  if (length > lengthOf(text)) return boolean(false);
  const at = textOf(text) + lengthOf(text) - length;
  return boolean(memory.compare(at, textOf(suffix), length) == 0);
}

export function b_indexof(text: u32, needle: u32): u32 {
  if (!twoStrings(text, needle)) return failed(Failure.Type);
  if (lengthOf(needle) == 0) return failed();
  const at = findIn(text, needle);
  return integer(at == NOT_FOUND ? -1 : <i64>runesIn(textOf(text), at));
}

/** Every place, overlapping ones too. */
export function b_indexof_n(text: u32, needle: u32): u32 {
  if (!twoStrings(text, needle)) return failed(Failure.Type);
  const size = lengthOf(needle);
  if (size == 0) return failed();
  const places = newArray(0);
  const pattern = textOf(needle);
  const table = failures(pattern, size);
  const start = textOf(text);
  const length = lengthOf(text);
  let matched: u32 = 0;
  // The character at which a match that ends here begins is counted along.
  let behind = start;
  let runes: i64 = 0;
  for (let i: u32 = 0; i < length; i++) {
    matched = advance(table, pattern, matched, load<u8>(start + i));
    if (matched < size) continue;
    const at = start + i + 1 - size;
    runes += runesIn(behind, at - behind);
    behind = at;
    push(places, integer(runes));
    matched = load<u32>(table + (size << 2));
  }
  return places;
}

export function b_strings_count(text: u32, needle: u32): u32 {
  if (!twoStrings(text, needle)) return failed(Failure.Type);
  const size = lengthOf(needle);
  if (size == 0) return integer(<i64>runesIn(textOf(text), lengthOf(text)) + 1);
  let count: i64 = 0;
  for (let at = findIn(text, needle); at != NOT_FOUND; at = findIn(text, needle, at + size))
    count++;
  return integer(count);
}

export function b_substring(text: u32, start: u32, length: u32): u32 {
  if (kindOf(text) != Kind.String) return failed(Failure.Type);
  if (!isInt(start)) return failed(Failure.Type);
  const first = parsed;
  if (!isInt(length)) return failed(Failure.Type);
  const count = parsed;
  if (first < 0) return failed();
  const base = textOf(text);
  const bytes = lengthOf(text);
  if (first >= <i64>bytes) return stringOf(base, 0);
  const from = runeOffset(base, bytes, <u32>first);
  const rest = base + bytes - from;
  if (count < 0 || count >= <i64>rest) return rest == bytes ? text : stringOf(from, rest);
  return stringOf(from, runeOffset(from, rest, <u32>count) - from);
}

export function b_strings_reverse(text: u32): u32 {
  if (kindOf(text) != Kind.String) return failed(Failure.Type);
  const length = lengthOf(text);
  const reversed = newString(length);
  const end = textOf(text) + length;
  let out = textOf(reversed) + length;
  for (let p = textOf(text); p < end; p += runeBytes) {
    runeAt(p, end);
    out -= runeBytes;
    memory.copy(out, p, runeBytes);
  }
  return reversed;
}

export function b_concat(separator: u32, parts: u32): u32 {
  if (kindOf(separator) != Kind.String) return failed(Failure.Type);
  const kind = kindOf(parts);
  if (kind != Kind.Array && kind != Kind.Set) return failed(Failure.Type);
  if (kind == Kind.Set) sorted(parts);
  const count = lengthOf(parts);
  let bytes: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const part = kind == Kind.Set ? keyAt(parts, i) : elementAt(parts, i);
    if (kindOf(part) != Kind.String) return failed(Failure.Type);
    if (count == 1) return part;
    // A wrong guess only costs a move: each part may be the same string of megabytes.
    bytes = min(bytes + lengthOf(part) + lengthOf(separator), 1 << 20);
  }
  beginText(bytes);
  for (let i: u32 = 0; i < count; i++) {
    if (i > 0) addText(separator);
    addText(kind == Kind.Set ? keyAt(parts, i) : elementAt(parts, i));
  }
  return finishText();
}

/** The parts between separators; with an empty one, the characters. */
function parts(text: u32, separator: u32): u32 {
  const list = newArray(2);
  const start = textOf(text);
  const end = start + lengthOf(text);
  const size = lengthOf(separator);
  if (size == 0) {
    for (let p = start; p < end; p += runeBytes) {
      runeAt(p, end);
      push(list, stringOf(p, runeBytes));
    }
    return list;
  }
  let from: u32 = 0;
  for (let at = findIn(text, separator); at != NOT_FOUND; at = findIn(text, separator, from)) {
    push(list, stringOf(start + from, at - from));
    from = at + size;
  }
  push(list, from == 0 ? text : stringOf(start + from, lengthOf(text) - from));
  return list;
}

export function b_split(text: u32, separator: u32): u32 {
  if (!twoStrings(text, separator)) return failed(Failure.Type);
  return parts(text, separator);
}

/** The first `count` parts, or with a negative one the last. */
export function b_strings_split_n(text: u32, separator: u32, count: u32): u32 {
  if (!twoStrings(text, separator)) return failed(Failure.Type);
  if (!isInt(count)) return failed(Failure.Type);
  const wanted = parsed;
  const all = parts(text, separator);
  const have = <i64>lengthOf(all);
  const from = wanted >= 0 || wanted <= -have ? 0 : have + wanted;
  const to = wanted < 0 ? have : min(wanted, have);
  if (from == 0 && to == have) return all;
  const chosen = newArray(<u32>(to - from));
  for (let i = from; i < to; i++) push(chosen, elementAt(all, <u32>i));
  return chosen;
}
