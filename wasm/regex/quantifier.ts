// Reads quantifiers, and tells what a repetition costs before it is unfolded.

import { peek, skip } from './escapes';
import { REPEAT_MAX, RegexError } from './program';
import { addSizes, fail, UNBOUNDED } from './tree';

/** How many instructions a repetition of a body of `size` instructions unfolds to. */
export function repeatSize(size: u32, least: u32, most: u32): u32 {
  if (size == 0) return 0;
  const whole = <u64>least * <u64>size;
  if (most == UNBOUNDED) return addSizes(whole, least == 0 ? <u64>size + 2 : 1);
  return addSizes(whole, <u64>(most - least) * (<u64>size + 1));
}

/** The greatest count of the quantifier read last, or UNBOUNDED. */
export let quantifierMost: u32 = 0;

/** Reads a quantifier; its least count, or -1 when there is none. The greatest is `quantifierMost`. */
export function parseQuantifier(): i32 {
  quantifierMost = UNBOUNDED;
  switch (peek()) {
    case 0x2a:
      skip();
      return 0;
    case 0x2b:
      skip();
      return 1;
    case 0x3f:
      skip();
      quantifierMost = 1;
      return 0;
    case 0x7b:
      skip();
      return parseBounds();
    default:
      return -1;
  }
}

/** Reads `m}`, `m,}` or `m,n}`. */
function parseBounds(): i32 {
  const least = parseCount();
  quantifierMost = least;
  if (peek() == 0x2c) {
    skip();
    quantifierMost = peek() == 0x7d ? UNBOUNDED : parseCount();
  }
  if (peek() != 0x7d || quantifierMost < least) {
    fail(RegexError.Syntax);
    return 0;
  }
  skip();
  if (least > REPEAT_MAX || (quantifierMost != UNBOUNDED && quantifierMost > REPEAT_MAX)) {
    fail(RegexError.TooLarge);
  }
  return <i32>least;
}

/** Reads decimal digits; a count over the limit reads as a larger one that is still told apart. */
function parseCount(): u32 {
  let count: u32 = 0;
  let digits: u32 = 0;
  while (peek() >= 0x30 && peek() <= 0x39) {
    count = min<u32>(count * 10 + <u32>(peek() - 0x30), 100_000_000);
    digits++;
    skip();
  }
  if (digits == 0) fail(RegexError.Syntax);
  return count;
}
