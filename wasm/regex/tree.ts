// The syntax tree of a pattern: nodes and ranges in the shared scratch memory, and the first error found.

import { RANGE_BYTES, RE2_INSTRUCTIONS_MAX, RegexError, SCRATCH, SCRATCH_BYTES } from './program';

/** Kinds of nodes. */
export namespace Node {
  export const Empty: u32 = 0;
  /** a = code point */
  export const Char: u32 = 1;
  /** a = pointer of the raw ranges, b = their number, both set by the class parser */
  export const Class: u32 = 2;
  export const Start: u32 = 3;
  export const End: u32 = 4;
  export const Word: u32 = 5;
  export const NotWord: u32 = 6;
  /** a = first of the linked children */
  export const Concat: u32 = 7;
  /** a = first of the linked branches */
  export const Alternation: u32 = 8;
  /** a = child, b = least count, c = greatest count or UNBOUNDED */
  export const Repeat: u32 = 9;
  export const LineStart: u32 = 10;
  export const LineEnd: u32 = 11;
  /** A group that captures: a = child, b = its number, c = offset and length (16 bits each) of its name */
  export const Capture: u32 = 12;
}

export const UNBOUNDED: u32 = u32.MAX_VALUE;

/** One node; `size` is the number of instructions it compiles to, stopping at one over the limit. */
@unmanaged
export class Tree {
  kind: u32;
  a: u32;
  b: u32;
  c: u32;
  next: Tree | null;
  size: u32;
  /** Of the counted repetitions in it and around each other, the most copies of one thing. */
  copies: u32;
  /** Of a repetition: whether it prefers fewer. */
  lazy: bool;
  /** Whether it may match nothing; kept exactly by the parser of RE2 alone. */
  nullable: bool;
}

let top: usize = SCRATCH;
let failure: i32 = RegexError.None;

/** The first error since `resetTree`. */
export function treeError(): i32 {
  return failure;
}

/** Records an error; the first one stays. */
export function fail(error: i32): void {
  if (failure == RegexError.None) failure = error;
}

/** Begins a new tree. */
export function resetTree(): void {
  top = SCRATCH;
  failure = RegexError.None;
}

function take(bytes: usize): usize {
  const at = top;
  if (at + bytes > SCRATCH + SCRATCH_BYTES) {
    // What is being built is thrown away, so that it may overwrite the first bytes.
    fail(RegexError.TooLarge);
    return SCRATCH;
  }
  top = at + bytes;
  return at;
}

/** Makes a node of one instruction, or of none when it is empty. */
export function newNode(kind: u32, a: u32): Tree {
  const node = changetype<Tree>(take(offsetof<Tree>()));
  node.kind = kind;
  node.a = a;
  node.b = 0;
  node.c = 0;
  node.next = null;
  node.size = kind == Node.Empty ? 0 : 1;
  node.copies = 1;
  node.lazy = false;
  node.nullable = kind != Node.Char && kind != Node.Class;
  return node;
}

/** Adds two sizes, stopping at one over the limit. */
export function addSizes(a: u64, b: u64): u32 {
  return <u32>min<u64>(a + b, RE2_INSTRUCTIONS_MAX + 1);
}

/** Where the next range will be stored; ranges of one class lie side by side. */
export function rangesTop(): usize {
  return top;
}

/** Adds the range of code points `low` to `high` to the class being built. */
export function addRange(low: u32, high: u32): void {
  const at = take(RANGE_BYTES);
  store<u32>(at, low);
  store<u32>(at, high, 4);
}

/** Takes back the ranges from `end` on, the last ones added. */
export function cutRanges(end: usize): void {
  top = end;
}
