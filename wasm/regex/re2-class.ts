// Character classes of Go's package regexp: escapes, POSIX names, properties and brackets, folded when asked.

import { negateRanges } from './classes';
import { peek, position, remaining, skip } from './escapes';
import { foldRanges, joinRanges } from './folding';
import { RANGE_BYTES, RegexError } from './program';
import { parseRe2Escape } from './re2-escape';
import { addRange, cutRanges, fail, Node, newNode, rangesTop, Tree, treeError } from './tree';
import { addProperty, propertyFolds } from './unicode';

/** Makes a class of the ranges added since `ranges`. */
export function finishClass(ranges: usize, negated: bool): Tree {
  if (treeError() != RegexError.None) return newNode(Node.Empty, 0);
  const count = negated ? negateAdded(ranges) : joinRanges(ranges);
  const node = newNode(Node.Class, <u32>ranges);
  node.b = count;
  return node;
}

/** Replaces the ranges added since `ranges` by what they leave out; returns how many that are. */
function negateAdded(ranges: usize): u32 {
  const count = negateRanges(ranges, joinRanges(ranges));
  cutRanges(ranges + count * RANGE_BYTES);
  return count;
}

/** Folds and negates the set that was added since `ranges`, in this order. */
function finishSet(ranges: usize, fold: bool, negated: bool): void {
  if (fold) foldRanges(ranges);
  if (negated) negateAdded(ranges);
}

/** Adds the set of a Perl escape's letter, one of dswDSW; false when it is none. */
function addPerl(letter: u32): bool {
  switch (letter | 0x20) {
    case 0x64:
      addRange(0x30, 0x39);
      return true;
    case 0x73:
      addRange(0x09, 0x0a);
      addRange(0x0c, 0x0d);
      addRange(0x20, 0x20);
      return true;
    case 0x77:
      addWord();
      return true;
    default:
      return false;
  }
}

function addWord(): void {
  addRange(0x30, 0x39);
  addRange(0x41, 0x5a);
  addRange(0x5f, 0x5f);
  addRange(0x61, 0x7a);
}

/**
 * Reads `\d` and its like or `\p` and its like at the backslash, and adds their set; false with nothing
 * read when there is neither.
 */
export function readSetEscape(fold: bool): bool {
  if (peek() != 0x5c || remaining() < 2) return false;
  const letter = <u32>load<u8>(position() + 1);
  const ranges = rangesTop();
  if ((letter | 0x20) == 0x70) {
    skip();
    skip();
    readProperty(fold, letter == 0x50);
    return true;
  }
  if ((letter | 0x20) < 0x61 || !addPerl(letter)) return false;
  skip();
  skip();
  finishSet(ranges, fold, letter < 0x61);
  return true;
}

/** Reads what follows `\p` or `\P`: one character or a name in braces, perhaps with ^ before it. */
function readProperty(fold: bool, negated: bool): void {
  const ranges = rangesTop();
  let name = position();
  let not = negated;
  const braced = peek() == 0x7b;
  skip();
  let end = position();
  if (braced) {
    name = end;
    while (peek() >= 0 && peek() != 0x7d) skip();
    end = position();
    if (peek() < 0) fail(RegexError.Syntax);
    skip();
  }
  if (end > name && load<u8>(name) == 0x5e) {
    not = !not;
    name++;
  }
  if (end == name || !addProperty(name, <u32>(end - name))) fail(RegexError.Syntax);
  else finishSet(ranges, fold && propertyFolds, not);
}

/** Whether the name of `length` bytes at `name` is this ASCII text. */
function isNamed(name: usize, length: u32, text: string): bool {
  if (length != <u32>text.length) return false;
  for (let index: u32 = 0; index < length; index++) {
    if (<u32>load<u8>(name + index) != <u32>text.charCodeAt(index)) return false;
  }
  return true;
}

/** Adds the set of a POSIX name; false when there is none. */
function addPosix(name: usize, length: u32): bool {
  if (isNamed(name, length, 'word')) addWord();
  else if (isNamed(name, length, 'alnum') || isNamed(name, length, 'alpha')) {
    if (load<u8>(name, 2) == 0x6e) addRange(0x30, 0x39);
    addRange(0x41, 0x5a);
    addRange(0x61, 0x7a);
  } else if (isNamed(name, length, 'ascii')) addRange(0, 0x7f);
  else if (isNamed(name, length, 'blank')) {
    addRange(0x09, 0x09);
    addRange(0x20, 0x20);
  } else if (isNamed(name, length, 'cntrl')) {
    addRange(0, 0x1f);
    addRange(0x7f, 0x7f);
  } else if (isNamed(name, length, 'digit')) addRange(0x30, 0x39);
  else if (isNamed(name, length, 'graph')) addRange(0x21, 0x7e);
  else if (isNamed(name, length, 'lower')) addRange(0x61, 0x7a);
  else if (isNamed(name, length, 'print')) addRange(0x20, 0x7e);
  else if (isNamed(name, length, 'punct')) {
    addRange(0x21, 0x2f);
    addRange(0x3a, 0x40);
    addRange(0x5b, 0x60);
    addRange(0x7b, 0x7e);
  } else if (isNamed(name, length, 'space')) {
    addRange(0x09, 0x0d);
    addRange(0x20, 0x20);
  } else if (isNamed(name, length, 'upper')) addRange(0x41, 0x5a);
  else if (isNamed(name, length, 'xdigit')) {
    addRange(0x30, 0x39);
    addRange(0x41, 0x46);
    addRange(0x61, 0x66);
  } else return false;
  return true;
}

/** Reads `[:name:]` or `[:^name:]` in a class; false with nothing read when nothing closes it. */
function readPosix(fold: bool): bool {
  const at = position();
  const left = remaining();
  if (left < 3 || load<u8>(at) != 0x5b || load<u8>(at, 1) != 0x3a) return false;
  let length: u32 = 2;
  while (length + 1 < left && load<u16>(at + length) != 0x5d3a) length++;
  if (length + 1 >= left) return false;
  const ranges = rangesTop();
  const not = load<u8>(at, 2) == 0x5e;
  const name = at + (not ? 3 : 2);
  if (at + length < name || !addPosix(name, <u32>(at + length - name))) fail(RegexError.Syntax);
  else finishSet(ranges, fold, not);
  while (position() < at + length + 2) skip();
  return true;
}

/** Reads one character of a class, an escape or itself. */
function readCharacter(): u32 {
  const next = peek();
  if (next < 0) fail(RegexError.Syntax);
  else if (next == 0x5c) return parseRe2Escape();
  skip();
  return <u32>next;
}

/** Reads a class after its bracket. */
export function parseRe2Class(fold: bool): Tree {
  const ranges = rangesTop();
  const negated = peek() == 0x5e;
  if (negated) skip();
  let first = true;
  while (treeError() == RegexError.None && (first || peek() != 0x5d)) {
    first = false;
    if (readPosix(fold) || readSetEscape(fold)) continue;
    const added = rangesTop();
    const low = readCharacter();
    let high = low;
    // A hyphen before the closing bracket stands for itself.
    if (peek() == 0x2d && remaining() >= 2 && load<u8>(position() + 1) != 0x5d) {
      skip();
      high = readCharacter();
      if (high < low) fail(RegexError.Syntax);
    }
    addRange(low, high);
    // One by one: not every set is folded.
    if (fold) foldRanges(added);
  }
  skip();
  return finishClass(ranges, negated);
}
