// The shape of a compiled pattern and the fixed memory that compiling and searching share.

import { alloc, persist } from '../common/arena';

/** Instructions of a program; each is three 32-bit words: the operation and two operands. */
export namespace Op {
  /** a = code point */
  export const Char: u32 = 1;
  /** a = offset of the ranges from the program's start, b = number of ranges */
  export const Class: u32 = 2;
  export const Start: u32 = 3;
  export const End: u32 = 4;
  export const Word: u32 = 5;
  export const NotWord: u32 = 6;
  /** a and b = the two instructions to go on with */
  export const Split: u32 = 7;
  /** a = the instruction to go on with */
  export const Jump: u32 = 8;
  export const Match: u32 = 9;
  export const LineStart: u32 = 10;
  export const LineEnd: u32 = 11;
  /** a = the slot that keeps the present position: 2n for the start of group n, 2n + 1 for its end */
  export const Save: u32 = 12;
}

/** Why a pattern was refused. */
export namespace RegexError {
  export const None: i32 = 0;
  /** Not a pattern of the dialect. */
  export const Syntax: i32 = 1;
  /** A pattern, but with a part that cannot be decided in linear time or is not implemented. */
  export const Unsupported: i32 = 2;
  /** The pattern, or what its counted repetitions unfold to, is over a limit. */
  export const TooLarge: i32 = 3;
}

/** Longest pattern of ECMA-262, in bytes of UTF-8. */
export const PATTERN_BYTES_MAX: u32 = 4096;
/** Longest pattern of RE2, in bytes of UTF-8. */
export const RE2_BYTES_MAX: u32 = 8192;
/** Largest bound of a counted repetition. */
export const REPEAT_MAX: u32 = 1000;
/** Deepest nesting of groups in ECMA-262. */
export const GROUP_DEPTH_MAX: u32 = 64;
/** Deepest nesting of groups in RE2, and of repetitions without a group between them. */
export const RE2_DEPTH_MAX: u32 = 200;
/** Most instructions of one program of ECMA-262. */
export const INSTRUCTIONS_MAX: u32 = 8192;
/** Most instructions of one program of RE2. */
export const RE2_INSTRUCTIONS_MAX: u32 = 24576;

// A program begins with the number of its instructions, whether it is anchored, the number of its groups that
// capture, where their names are, and its first bytes (first.ts); the instructions follow, then a word for each
// group's name, then the ranges.
export const HEADER_BYTES: u32 = 32;
export const INSTRUCTION_BYTES: u32 = 12;
export const RANGE_BYTES: u32 = 8;
export const CODE_POINT_MAX: u32 = 0x10ffff;

/** Bytes of the memory that compiling and searching share. */
export const SCRATCH_BYTES: u32 = 512 * 1024;

/**
 * Memory for the syntax tree while a pattern is compiled, and for the sets of states while one is
 * searched; never both at once, and nothing in it outlives a call. Taken once, when the module
 * starts, with a few bytes more than are counted, so that the write that finds it full falls inside.
 */
export const SCRATCH: usize = takeScratch();

function takeScratch(): usize {
  const scratch = alloc(SCRATCH_BYTES + 64);
  persist();
  return scratch;
}

/** Reads one code point of UTF-8 at `at`; its length in bytes is then `decodedLength`. */
export let decodedLength: u32 = 0;

/**
 * Decodes the code point at `at`, which is before `end`. Callers pass valid UTF-8 (RFC 3629); a
 * byte that is none reads as U+FFFD, so that no input can make this read past `end`.
 */
export function decode(at: usize, end: usize): u32 {
  const first = <u32>load<u8>(at);
  decodedLength = 1;
  if (first < 0x80) return first;
  const length: u32 = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > end) return 0xfffd;
  let codePoint = first & (0x7f >> length);
  for (let index: u32 = 1; index < length; index++) {
    const next = <u32>load<u8>(at + index);
    if ((next & 0xc0) != 0x80) return 0xfffd;
    codePoint = (codePoint << 6) | (next & 0x3f);
  }
  // Longer than need be, half of a surrogate pair, or none at all.
  const least: u32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  if (codePoint < least || codePoint > CODE_POINT_MAX || codePoint >> 11 == 0x1b) return 0xfffd;
  decodedLength = length;
  return codePoint;
}

/** Whether a code point is one of `\w`: A-Z, a-z, 0-9 and the underscore (ECMA-262, WordCharacters). */
export function isWord(codePoint: i32): bool {
  return (
    (codePoint >= 0x61 && codePoint <= 0x7a) ||
    (codePoint >= 0x41 && codePoint <= 0x5a) ||
    (codePoint >= 0x30 && codePoint <= 0x39) ||
    codePoint == 0x5f
  );
}
