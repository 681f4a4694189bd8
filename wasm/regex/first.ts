// The bytes with which a match can begin, so that a search steps over all others at once.

import { HEADER_BYTES, INSTRUCTION_BYTES, Op, SCRATCH } from './program';

/** Where a program's set of first bytes is: a bit for each of ASCII; other bytes always count as in it. */
const FIRST: usize = 16;

/** Finds the first bytes of a program, after its tree, whose memory this takes, is no longer needed. */
export function writeFirstBytes(program: usize): void {
  const states = load<u32>(program);
  const seen = SCRATCH;
  const stack = SCRATCH + states;
  memory.fill(seen, 0, states);
  store<u64>(program + FIRST, 0);
  store<u64>(program + FIRST, 0, 8);
  let left = push(stack, seen, 0, 0);
  while (left > 0) {
    left--;
    const state = load<u32>(stack + left * 4);
    const at = program + HEADER_BYTES + state * INSTRUCTION_BYTES;
    const op = load<u32>(at);
    if (op == Op.Match) {
      // An empty match begins anywhere.
      addFirst(program, 0, 0x7f);
      return;
    }
    if (op == Op.Char) {
      const codePoint = load<u32>(at, 4);
      addFirst(program, codePoint, codePoint);
    } else if (op == Op.Class) {
      const ranges = program + load<u32>(at, 4);
      for (let range: u32 = 0; range < load<u32>(at, 8); range++) {
        addFirst(program, load<u32>(ranges + range * 8), load<u32>(ranges + range * 8, 4));
      }
    } else if (op == Op.Split) {
      left = push(stack, seen, left, load<u32>(at, 4));
      left = push(stack, seen, left, load<u32>(at, 8));
    } else {
      // Assertions count as if they held.
      left = push(stack, seen, left, op == Op.Jump ? load<u32>(at, 4) : state + 1);
    }
  }
}

function push(stack: usize, seen: usize, left: u32, state: u32): u32 {
  if (load<u8>(seen + state) != 0) return left;
  store<u8>(seen + state, 1);
  store<u32>(stack + left * 4, state);
  return left + 1;
}

function addFirst(program: usize, low: u32, high: u32): void {
  for (let byte = low; byte <= min<u32>(high, 0x7f); byte++) {
    const word = program + FIRST + (byte >> 6) * 8;
    store<u64>(word, load<u64>(word) | ((<u64>1) << (byte & 63)));
  }
}

/** The first byte from `at` on with which a match can begin, or `end`. */
export function skipToFirst(program: usize, at: usize, end: usize): usize {
  const low = load<u64>(program + FIRST);
  const high = load<u64>(program + FIRST, 8);
  let p = at;
  while (p < end) {
    const byte = <u32>load<u8>(p);
    if (byte >= 0x80 || (((byte < 64 ? low : high) >> (byte & 63)) & 1) != 0) break;
    p++;
  }
  return p;
}
