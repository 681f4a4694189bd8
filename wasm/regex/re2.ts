// Parses a pattern of Go's package regexp (RE2, its syntax.Perl flags) into a tree: Rego's `regex` built-ins.
//
// The engine has two dialects and one of everything else: this parser and the one of ECMA-262 (parse.ts) make the
// same trees, which are compiled and searched alike.

import { validUtf8 } from '../common/text';
import { peek, position, remaining, setSource, skip } from './escapes';
import { addFolded } from './folding';
import { RE2_DEPTH_MAX, REPEAT_MAX, RegexError } from './program';
import { repeatSize } from './quantifier';
import { finishClass, parseRe2Class, readSetEscape } from './re2-class';
import { parseRe2Escape } from './re2-escape';
import { Flag, flags, readFlags, setFlags } from './re2-flags';
import { isQuantified, quantifierLeast, quantifierMost, readQuantifier } from './re2-repeat';
import {
  addRange,
  addSizes,
  fail,
  Node,
  newNode,
  rangesTop,
  Tree,
  treeError,
  UNBOUNDED,
} from './tree';

let start: usize = 0;
let groups: u32 = 0;
let depth: u32 = 0;
let bareRepeats: u32 = 0;
let quoting: bool = false;

/** How many groups of the last pattern capture. */
export function re2Groups(): u32 {
  return groups;
}

/** Parses the whole pattern, after `resetTree`; null when it is refused, with the reason in `treeError`. */
export function parseRe2(pattern: usize, length: u32): Tree | null {
  start = pattern;
  setFlags(0);
  groups = 0;
  depth = 0;
  bareRepeats = 0;
  quoting = false;
  if (!validUtf8(<u32>pattern, length)) fail(RegexError.Syntax);
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
  let copies = first.copies;
  let nullable = first.nullable;
  while (peek() == 0x7c && treeError() == RegexError.None) {
    skip();
    const branch = parseConcatenation();
    size = addSizes(size, <u64>branch.size + 2);
    copies = max(copies, branch.copies);
    nullable = nullable || branch.nullable;
    last.next = branch;
    last = branch;
  }
  alternation.size = size;
  alternation.copies = copies;
  alternation.nullable = nullable;
  return alternation;
}

function parseConcatenation(): Tree {
  const list = newNode(Node.Concat, 0);
  let before: Tree | null = null;
  let last: Tree | null = null;
  let repeated = false;
  while (treeError() == RegexError.None) {
    const next = peek();
    if (next < 0 || (!quoting && (next == 0x7c || next == 0x29))) break;
    if (!quoting && readQuantifier()) {
      if (!isQuantified) fail(RegexError.Syntax);
      const lazy = peek() == 0x3f;
      if (lazy) skip();
      // Nothing to repeat, or a repetition of a repetition.
      if (last === null || repeated) fail(RegexError.Syntax);
      else {
        last = repeat(last, lazy != ((flags & Flag.Lazy) != 0));
        if (before === null) list.a = changetype<u32>(last);
        else before.next = last;
      }
      repeated = true;
      continue;
    }
    repeated = false;
    const item = parseItem();
    if (item === null) continue;
    if (last === null) list.a = changetype<u32>(item);
    else last.next = item;
    before = last;
    last = item;
  }
  // A list of one is its item, so that a repetition of a repetition is seen as one.
  if (last !== null && before === null) return last;
  measure(list);
  return list;
}

/** Sets what a list of items has from what these have. */
function measure(list: Tree): void {
  let item = changetype<Tree | null>(<usize>list.a);
  list.size = 0;
  while (item !== null) {
    list.size = addSizes(list.size, item.size);
    list.copies = max(list.copies, item.copies);
    list.nullable = list.nullable && item.nullable;
    item = item.next;
  }
}

/** Repeats an item as the quantifier says that was read last. */
function repeat(item: Tree, lazy: bool): Tree {
  const least = quantifierLeast;
  const most = quantifierMost;
  // x{1} is x, and (x*)* is x* (regexp/syntax, simplify1).
  if (least == 1 && most == 1) return item;
  const isLoop = most == UNBOUNDED ? least <= 1 : least == 0 && most == 1;
  if (isLoop && item.kind == Node.Repeat) {
    if (item.b == least && item.c == most && item.lazy == lazy) return item;
  }
  const node = newNode(Node.Repeat, changetype<u32>(item));
  node.b = least;
  node.c = most;
  node.lazy = lazy;
  node.nullable = least == 0 || item.nullable;
  node.size = repeatSize(item.size, least, most);
  // x{0} counts as one copy, whatever x is (regexp/syntax, repeatIsValid).
  const times = most == UNBOUNDED ? least : most;
  node.copies = most == 0 ? 1 : max<u32>(1, times) * item.copies;
  if (node.copies > REPEAT_MAX) fail(RegexError.Syntax);
  // a*(?i)*(?i)* and so on: repetitions within each other without a group.
  if (item.kind == Node.Repeat && ++bareRepeats > RE2_DEPTH_MAX) fail(RegexError.TooLarge);
  return node;
}

/** Reads one item; null when it was flags or a mark of quoting. */
function parseItem(): Tree | null {
  const next = peek();
  if (quoting) {
    if (next == 0x5c && follows(0x45)) {
      skip();
      skip();
      quoting = false;
      return null;
    }
    skip();
    return literal(<u32>next);
  }
  switch (next) {
    case 0x28:
      skip();
      return peek() == 0x3f ? parseQuestion() : parseGroup(true, 0, flags);
    case 0x5e:
      skip();
      return newNode((flags & Flag.Lines) != 0 ? Node.LineStart : Node.Start, 0);
    case 0x24:
      skip();
      return newNode((flags & Flag.Lines) != 0 ? Node.LineEnd : Node.End, 0);
    case 0x2e: {
      skip();
      const ranges = rangesTop();
      if ((flags & Flag.DotAll) == 0) addRange(0x0a, 0x0a);
      return finishClass(ranges, true);
    }
    case 0x5b:
      skip();
      return parseRe2Class((flags & Flag.Fold) != 0);
    case 0x5c:
      return parseBackslash();
    default:
      skip();
      return literal(<u32>next);
  }
}

/** Whether the byte after the next one is this. */
function follows(byte: u32): bool {
  return remaining() >= 2 && <u32>load<u8>(position() + 1) == byte;
}

/** A character, or what differs from it in case only. */
function literal(codePoint: u32): Tree {
  if ((flags & Flag.Fold) == 0) return newNode(Node.Char, codePoint);
  const ranges = rangesTop();
  addFolded(codePoint);
  return finishClass(ranges, false);
}

function parseBackslash(): Tree | null {
  const letter = remaining() >= 2 ? <u32>load<u8>(position() + 1) : 0;
  switch (letter) {
    case 0x41: // \A
    case 0x7a: // \z
    case 0x62: // \b
    case 0x42: // \B
      skip();
      skip();
      if (letter == 0x41) return newNode(Node.Start, 0);
      if (letter == 0x7a) return newNode(Node.End, 0);
      return newNode(letter == 0x62 ? Node.Word : Node.NotWord, 0);
    case 0x51: // \Q
      skip();
      skip();
      quoting = true;
      return null;
    default:
      break;
  }
  const ranges = rangesTop();
  if (readSetEscape((flags & Flag.Fold) != 0)) return finishClass(ranges, false);
  return literal(parseRe2Escape());
}

/** Reads a group after its opening; `outer` are the flags that hold again behind it. */
function parseGroup(captures: bool, name: u32, outer: u32): Tree {
  const index = captures ? ++groups : 0;
  depth++;
  if (depth > RE2_DEPTH_MAX) fail(RegexError.TooLarge);
  const body = treeError() == RegexError.None ? parseAlternation() : newNode(Node.Empty, 0);
  depth--;
  if (peek() == 0x29) skip();
  else fail(RegexError.Syntax);
  setFlags(outer);
  if (!captures) return body;
  const group = newNode(Node.Capture, changetype<u32>(body));
  group.b = index;
  group.c = name;
  group.size = addSizes(body.size, 2);
  group.copies = body.copies;
  group.nullable = body.nullable;
  return group;
}

/** Reads what follows `(?`: a name, or flags that end with `)` or `:`; null when it was flags alone. */
function parseQuestion(): Tree | null {
  skip();
  const outer = flags;
  if (peek() == 0x3c || (peek() == 0x50 && follows(0x3c))) {
    if (peek() == 0x50) skip();
    skip();
    return parseGroup(true, readName(), outer);
  }
  return readFlags() ? parseGroup(false, 0, outer) : null;
}

/** Reads a group's name and its `>`: its offset in the pattern and its length, 16 bits each. */
function readName(): u32 {
  const offset = <u32>(position() - start);
  let length: u32 = 0;
  while (true) {
    const next = peek();
    skip();
    const lower = next | 0x20;
    const word = next == 0x5f || (lower >= 0x61 && lower <= 0x7a) || (next >= 0x30 && next <= 0x39);
    if (word) {
      length++;
      continue;
    }
    if (next != 0x3e || length == 0) fail(RegexError.Syntax);
    return (offset << 16) | length;
  }
}
