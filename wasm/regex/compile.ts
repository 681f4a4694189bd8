// Turns a pattern's tree into instructions (Thompson's construction) in memory of the caller.

import { writeFirstBytes } from './first';
import { parsePattern } from './parse';
import {
  HEADER_BYTES,
  INSTRUCTION_BYTES,
  INSTRUCTIONS_MAX,
  Op,
  PATTERN_BYTES_MAX,
  RANGE_BYTES,
  RE2_BYTES_MAX,
  RE2_INSTRUCTIONS_MAX,
  RegexError,
} from './program';
import { parseRe2, re2Groups } from './re2';
import { fail, Node, resetTree, Tree, treeError, UNBOUNDED } from './tree';

let program: usize = 0;
let programEnd: usize = 0;
let namesAt: usize = 0;
let rangesAt: usize = 0;
let counter: u32 = 0;

/** Why the last pattern was refused: one of `RegexError`. */
export function compileError(): i32 {
  return treeError();
}

/**
 * Compiles `length` bytes of UTF-8 at `pattern`, in the dialect of ECMA-262 with the `u` flag, to
 * `target`, 4-byte aligned, which has room for `capacity` bytes. Returns the program's size in bytes,
 * or 0 when refused: then `compileError` tells why. A program holds no absolute address, so that it
 * may be moved. What a group captures and what a lazy quantifier prefers is not kept.
 */
export function compile(pattern: usize, length: u32, target: usize, capacity: u32): u32 {
  resetTree();
  if (length > PATTERN_BYTES_MAX) {
    fail(RegexError.TooLarge);
    return 0;
  }
  const tree = parsePattern(pattern, length);
  return tree === null ? 0 : compileTree(tree, 0, INSTRUCTIONS_MAX, target, capacity);
}

/** The same in the dialect of Go's package regexp (RE2); its groups capture. */
export function compileRe2(pattern: usize, length: u32, target: usize, capacity: u32): u32 {
  resetTree();
  if (length > RE2_BYTES_MAX) {
    fail(RegexError.TooLarge);
    return 0;
  }
  const tree = parseRe2(pattern, length);
  return tree === null ? 0 : compileTree(tree, re2Groups(), RE2_INSTRUCTIONS_MAX, target, capacity);
}

/** Compiles a tree with so many capturing groups; see `compile`. */
function compileTree(
  tree: Tree,
  groups: u32,
  instructionsMax: u32,
  target: usize,
  capacity: u32,
): u32 {
  const instructionBytes = (tree.size + 1) * INSTRUCTION_BYTES;
  if (tree.size >= instructionsMax || HEADER_BYTES + instructionBytes + groups * 4 > capacity) {
    fail(RegexError.TooLarge);
    return 0;
  }
  program = target;
  programEnd = target + capacity;
  namesAt = target + HEADER_BYTES + instructionBytes;
  rangesAt = namesAt + groups * 4;
  memory.fill(namesAt, 0, groups * 4);
  counter = 0;
  emit(tree);
  put(Op.Match, 0, 0);
  store<u32>(target, counter);
  store<u32>(target, isAnchored(tree) ? 1 : 0, 4);
  store<u32>(target, groups, 8);
  store<u32>(target, <u32>(namesAt - target), 12);
  if (treeError() != RegexError.None) return 0;
  writeFirstBytes(target);
  return <u32>(rangesAt - target);
}

function address(instruction: u32): usize {
  return program + HEADER_BYTES + instruction * INSTRUCTION_BYTES;
}

function put(op: u32, a: u32, b: u32): u32 {
  const at = address(counter);
  store<u32>(at, op);
  store<u32>(at, a, 4);
  store<u32>(at, b, 8);
  return counter++;
}

function emit(tree: Tree): void {
  // Also keeps repetitions of nothing from being unfolded.
  if (tree.size == 0) return;
  switch (tree.kind) {
    case Node.Char:
      put(Op.Char, tree.a, 0);
      break;
    case Node.Class:
      emitClass(tree);
      break;
    case Node.Start:
      put(Op.Start, 0, 0);
      break;
    case Node.End:
      put(Op.End, 0, 0);
      break;
    case Node.Word:
      put(Op.Word, 0, 0);
      break;
    case Node.NotWord:
      put(Op.NotWord, 0, 0);
      break;
    case Node.LineStart:
      put(Op.LineStart, 0, 0);
      break;
    case Node.LineEnd:
      put(Op.LineEnd, 0, 0);
      break;
    case Node.Concat:
      emitAll(child(tree));
      break;
    case Node.Capture:
      store<u32>(namesAt + (tree.b - 1) * 4, tree.c);
      put(Op.Save, tree.b * 2, 0);
      emitAll(child(tree));
      put(Op.Save, tree.b * 2 + 1, 0);
      break;
    case Node.Alternation:
      emitAlternation(tree);
      break;
    case Node.Repeat:
      emitRepeat(tree);
      break;
    default:
      break;
  }
}

function emitAll(first: Tree | null): void {
  let item = first;
  while (item !== null) {
    emit(item);
    item = item.next;
  }
}

function child(tree: Tree): Tree | null {
  return changetype<Tree | null>(<usize>tree.a);
}

/** Stores a class's ranges once, however often a repetition unfolds it; its offset is kept in `c`. */
function emitClass(tree: Tree): void {
  if (tree.c == 0) {
    const bytes = tree.b * RANGE_BYTES;
    if (rangesAt + bytes > programEnd) {
      fail(RegexError.TooLarge);
      return;
    }
    memory.copy(rangesAt, tree.a, bytes);
    tree.c = <u32>(rangesAt - program);
    rangesAt += bytes;
  }
  put(Op.Class, tree.c, tree.b);
}

/** Points a chain of instructions, linked through the operand at `operand`, to the next instruction. */
function patch(chain: u32, operand: usize): void {
  let link = chain;
  while (link != 0) {
    const at = address(link - 1) + operand;
    link = load<u32>(at);
    store<u32>(at, counter);
  }
}

function emitAlternation(tree: Tree): void {
  let ends: u32 = 0;
  let branch = child(tree);
  while (branch !== null) {
    const next = branch.next;
    if (next === null) {
      emit(branch);
    } else {
      const split = put(Op.Split, counter + 1, 0);
      emit(branch);
      ends = put(Op.Jump, ends, 0) + 1;
      store<u32>(address(split), counter, 8);
    }
    branch = next;
  }
  patch(ends, 4);
}

/** Puts a choice between the next instruction, preferred unless `lazy`, and one that `patch` fills in. */
function split(lazy: bool, chain: u32): u32 {
  return lazy ? put(Op.Split, chain, counter + 1) : put(Op.Split, counter + 1, chain);
}

function emitRepeat(tree: Tree): void {
  const body = changetype<Tree>(<usize>tree.a);
  const lazy = tree.lazy;
  // Where the operand is that leads out of a choice.
  const out: usize = lazy ? 4 : 8;
  for (let index: u32 = 1; index < tree.b; index++) emit(body);
  if (tree.c == UNBOUNDED) {
    emitLoop(tree, body, lazy);
    return;
  }
  if (tree.b > 0) emit(body);
  let skips: u32 = 0;
  for (let index = tree.b; index < tree.c; index++) {
    skips = split(lazy, skips) + 1;
    emit(body);
  }
  patch(skips, out);
}

/** Writes x+ or x*. */
function emitLoop(tree: Tree, body: Tree, lazy: bool): void {
  const skip = tree.b == 0 ? split(lazy, 0) + 1 : 0;
  const start = counter;
  emit(body);
  if (tree.b > 0 || body.nullable) {
    // x* is (x+)? where x may match nothing: which threads meet decides what is preferred, as in Go
    // (golang.org/issue/46123).
    if (lazy) put(Op.Split, counter + 1, start);
    else put(Op.Split, start, counter + 1);
  } else {
    put(Op.Jump, start - 1, 0);
  }
  patch(skip, lazy ? 4 : 8);
}

/** Whether every match begins at the text's start, so that the search need not begin anew later. */
function isAnchored(tree: Tree): bool {
  switch (tree.kind) {
    case Node.Start:
      return true;
    case Node.Capture:
    case Node.Concat: {
      const first = child(tree);
      return first !== null && isAnchored(first);
    }
    case Node.Alternation: {
      let branch = child(tree);
      while (branch !== null) {
        if (!isAnchored(branch)) return false;
        branch = branch.next;
      }
      return true;
    }
    case Node.Repeat:
      return tree.b > 0 && isAnchored(changetype<Tree>(<usize>tree.a));
    default:
      return false;
  }
}
