// Parses a pattern of ECMA-262 (u flag) into a tree, refusing what has no linear-time meaning: JSON Schema's `pattern`.

import { addClassEscape, addLineTerminators, negateRanges, normalizeRanges } from './classes';
import { parseCodePointEscape, peek, position, remaining, setSource, skip } from './escapes';
import { CODE_POINT_MAX, GROUP_DEPTH_MAX, RANGE_BYTES, RegexError } from './program';
import { parseQuantifier, quantifierMost, repeatSize } from './quantifier';
import {
  addRange,
  addSizes,
  fail,
  Node,
  newNode,
  rangesTop,
  resetTree,
  Tree,
  treeError,
} from './tree';

let depth: u32 = 0;

/** Parses the whole pattern; null when it is refused, with the reason in `treeError`. */
export function parsePattern(pattern: usize, length: u32): Tree | null {
  resetTree();
  depth = 0;
  setSource(pattern, length);
  const tree = parseAlternation();
  // Only a closing parenthesis without its opening one stops the parser before the end.
  if (remaining() > 0) fail(RegexError.Syntax);
  return treeError() == RegexError.None ? tree : null;
}

function parseAlternation(): Tree {
  const first = parseConcatenation();
  if (peek() != 0x7c) return first;
  const alternation = newNode(Node.Alternation, changetype<u32>(first));
  let size: u32 = first.size;
  let last = first;
  while (peek() == 0x7c && treeError() == RegexError.None) {
    skip();
    const branch = parseConcatenation();
    size = addSizes(size, <u64>branch.size + 2);
    last.next = branch;
    last = branch;
  }
  alternation.size = size;
  return alternation;
}

function parseConcatenation(): Tree {
  const list = newNode(Node.Concat, 0);
  let size: u32 = 0;
  let last: Tree | null = null;
  while (treeError() == RegexError.None) {
    const next = peek();
    if (next < 0 || next == 0x7c || next == 0x29) break;
    const item = parseQuantified();
    size = addSizes(size, item.size);
    if (last === null) list.a = changetype<u32>(item);
    else last.next = item;
    last = item;
  }
  list.size = size;
  return list;
}

function parseQuantified(): Tree {
  const item = parseAtom();
  const least = parseQuantifier();
  if (least < 0) return item;
  const most = quantifierMost;
  // ECMA-262 with the u flag repeats no assertion.
  if (item.kind >= Node.Start && item.kind <= Node.NotWord) fail(RegexError.Syntax);
  // A lazy quantifier finds the same texts.
  if (peek() == 0x3f) skip();
  const repeat = newNode(Node.Repeat, changetype<u32>(item));
  repeat.b = <u32>least;
  repeat.c = most;
  repeat.size = repeatSize(item.size, <u32>least, most);
  return repeat;
}

function parseAtom(): Tree {
  const next = peek();
  switch (next) {
    case 0x5e:
      skip();
      return newNode(Node.Start, 0);
    case 0x24:
      skip();
      return newNode(Node.End, 0);
    case 0x28:
      skip();
      return parseGroup();
    case 0x5b:
      skip();
      return parseClass();
    case 0x5c:
      skip();
      return parseEscape();
    case 0x2e: {
      skip();
      const ranges = rangesTop();
      addLineTerminators();
      return classNode(ranges, true);
    }
    // * + ? { } ] stand for themselves only when escaped.
    case 0x2a:
    case 0x2b:
    case 0x3f:
    case 0x7b:
    case 0x7d:
    case 0x5d:
      fail(RegexError.Syntax);
      return newNode(Node.Empty, 0);
    default:
      skip();
      return newNode(Node.Char, <u32>next);
  }
}

/** Makes a class of the ranges added since `ranges`. */
function classNode(ranges: usize, negated: bool): Tree {
  let count = <u32>((rangesTop() - ranges) / RANGE_BYTES);
  if (treeError() != RegexError.None) return newNode(Node.Empty, 0);
  count = normalizeRanges(ranges, count);
  if (negated) count = negateRanges(ranges, count);
  const node = newNode(Node.Class, <u32>ranges);
  node.b = count;
  return node;
}

/** Reads a group after its parenthesis; one that captures is as one that does not. */
function parseGroup(): Tree {
  if (peek() == 0x3f) {
    skip();
    parseGroupKind();
  }
  depth++;
  if (depth > GROUP_DEPTH_MAX) fail(RegexError.TooLarge);
  // Without the check a pattern of parentheses only would be walked down to the stack's end.
  const body = treeError() == RegexError.None ? parseAlternation() : newNode(Node.Empty, 0);
  depth--;
  if (peek() == 0x29) skip();
  else fail(RegexError.Syntax);
  // A list of one is wrapped, so that a quantified assertion in a group is no bare assertion.
  const group = newNode(Node.Concat, changetype<u32>(body));
  group.size = body.size;
  return group;
}

/** Reads what follows `(?`: `:` or `<name>`; look-around and flags are refused. */
function parseGroupKind(): void {
  const kind = peek();
  if (kind == 0x3a) {
    skip();
    return;
  }
  if (kind != 0x3c) {
    fail(kind < 0 ? RegexError.Syntax : RegexError.Unsupported);
    return;
  }
  skip();
  if (peek() == 0x3d || peek() == 0x21) {
    fail(RegexError.Unsupported);
    return;
  }
  let letters: u32 = 0;
  while (isNameLetter(peek(), letters)) {
    letters++;
    skip();
  }
  if (letters == 0 || peek() != 0x3e) fail(RegexError.Syntax);
  skip();
}

function isNameLetter(letter: i32, index: u32): bool {
  const lower = letter | 0x20;
  if (lower >= 0x61 && lower <= 0x7a) return true;
  if (letter == 0x5f || letter == 0x24) return true;
  return index > 0 && letter >= 0x30 && letter <= 0x39;
}

/** Reads what follows a backslash outside a class. */
function parseEscape(): Tree {
  const letter = peek();
  if (letter == 0x62 || letter == 0x42) {
    skip();
    return newNode(letter == 0x62 ? Node.Word : Node.NotWord, 0);
  }
  const ranges = rangesTop();
  if (letter > 0 && addClassEscape(<u32>letter)) {
    skip();
    return classNode(ranges, false);
  }
  return newNode(Node.Char, parseCodePointEscape(false));
}

/** Reads a class after its bracket. `[]` matches nothing and `[^]` everything, as in ECMA-262. */
function parseClass(): Tree {
  const ranges = rangesTop();
  const negated = peek() == 0x5e;
  if (negated) skip();
  while (treeError() == RegexError.None && peek() != 0x5d) {
    const low = parseClassItem();
    if (peek() != 0x2d || peekIsLastHyphen()) {
      if (low >= 0) addRange(<u32>low, <u32>low);
      continue;
    }
    skip();
    const high = parseClassItem();
    // A range has a code point at each end and is not empty.
    if (low < 0 || high < low) fail(RegexError.Syntax);
    else addRange(<u32>low, min(<u32>high, CODE_POINT_MAX));
  }
  skip();
  return classNode(ranges, negated);
}

/** Whether the hyphen to be read is followed by the class's end and so stands for itself. */
function peekIsLastHyphen(): bool {
  return remaining() > 1 && load<u8>(position() + 1) == 0x5d;
}

/** Reads one item of a class; its code point, or -1 when it was an escape for many, now added. */
function parseClassItem(): i32 {
  const next = peek();
  if (next < 0) {
    fail(RegexError.Syntax);
    return -1;
  }
  if (next != 0x5c) {
    skip();
    return next;
  }
  skip();
  const letter = peek();
  if (letter == 0x62) {
    skip();
    return 0x08;
  }
  if (letter > 0 && addClassEscape(<u32>letter)) {
    skip();
    return -1;
  }
  return <i32>parseCodePointEscape(true);
}
