// Rego's regex.* with the syntax and the semantics of Go's package regexp (OPA's v1/topdown/regex.go).

import { slotsOfProgram, UNSET } from '../../regex/regex';
import { Failure, failed } from '../failure';
import {
  boolean,
  integerOf,
  isInteger,
  Kind,
  kindOf,
  lengthOf,
  newArray,
  push,
  stringOf,
  textOf,
} from '../value';
import { globsIntersect, readGlobs } from './glob-intersect';
import { beginMatches, matchEnd, matchSlot, matchStart, nextMatch } from './regex-matches';
import { matches, programOf } from './regex-program';
import { replaced } from './regex-replace';
import { templatePattern } from './regex-template';

function twoStrings(a: u32, b: u32): bool {
  return kindOf(a) == Kind.String && kindOf(b) == Kind.String;
}

export function b_regex_is_valid(pattern: u32): u32 {
  return boolean(kindOf(pattern) == Kind.String && programOf(pattern) != 0);
}

export function b_regex_match(pattern: u32, text: u32): u32 {
  if (!twoStrings(pattern, text)) return failed(Failure.Type);
  const program = programOf(pattern);
  return program == 0 ? failed() : boolean(matches(program, text));
}

/** The old name of `regex.match`. */
export function b_re_match(pattern: u32, text: u32): u32 {
  return b_regex_match(pattern, text);
}

/** A part of a string value, by offsets in bytes. */
function part(text: u32, from: u32, to: u32): u32 {
  return stringOf(textOf(text) + from, to - from);
}

export function b_regex_find_n(pattern: u32, text: u32, most: u32): u32 {
  if (!twoStrings(pattern, text) || !isInteger(most)) return failed(Failure.Type);
  const program = programOf(pattern);
  if (program == 0) return failed();
  const found = newArray(0);
  beginMatches(program, text, integerOf(most), 2);
  while (nextMatch()) push(found, part(text, matchStart(), matchEnd()));
  return found;
}

export function b_regex_find_all_string_submatch_n(pattern: u32, text: u32, most: u32): u32 {
  if (!twoStrings(pattern, text) || !isInteger(most)) return failed(Failure.Type);
  const program = programOf(pattern);
  if (program == 0) return failed();
  const found = newArray(0);
  const slots = slotsOfProgram(program);
  beginMatches(program, text, integerOf(most), slots);
  while (nextMatch()) {
    const groups = newArray(slots >> 1);
    for (let slot: u32 = 0; slot < slots; slot += 2) {
      const from = matchSlot(slot);
      push(groups, from == UNSET ? part(text, 0, 0) : part(text, from, matchSlot(slot + 1)));
    }
    push(found, groups);
  }
  return found;
}

export function b_regex_replace(text: u32, pattern: u32, replacement: u32): u32 {
  if (!twoStrings(text, pattern) || kindOf(replacement) != Kind.String) return failed(Failure.Type);
  const program = programOf(pattern);
  return program == 0 ? failed() : replaced(text, pattern, program, replacement);
}

export function b_regex_split(pattern: u32, text: u32): u32 {
  if (!twoStrings(pattern, text)) return failed(Failure.Type);
  const program = programOf(pattern);
  if (program == 0) return failed();
  const parts = newArray(0);
  const length = lengthOf(text);
  if (length == 0 && lengthOf(pattern) > 0) {
    push(parts, text);
    return parts;
  }
  let from: u32 = 0;
  let to: u32 = 0;
  beginMatches(program, text, -1, 2);
  while (nextMatch()) {
    to = matchStart();
    if (matchEnd() != 0) push(parts, part(text, from, to));
    from = matchEnd();
  }
  if (to != length) push(parts, part(text, from, length));
  return parts;
}

export function b_regex_template_match(template: u32, text: u32, open: u32, close: u32): u32 {
  if (!twoStrings(template, text) || !twoStrings(open, close)) return failed(Failure.Type);
  if (lengthOf(open) != 1 || lengthOf(close) != 1) return failed();
  const pattern = templatePattern(template, load<u8>(textOf(open)), load<u8>(textOf(close)));
  if (pattern == 0) return failed();
  const program = programOf(pattern);
  return program == 0 ? failed() : boolean(matches(program, text));
}

export function b_regex_globs_match(a: u32, b: u32): u32 {
  if (!twoStrings(a, b)) return failed(Failure.Type);
  return readGlobs(a, b) ? boolean(globsIntersect()) : failed();
}
