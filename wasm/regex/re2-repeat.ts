// Reads the quantifiers of Go's package regexp.

import { peek, position, remaining, skip } from './escapes';
import { REPEAT_MAX } from './program';
import { UNBOUNDED } from './tree';

/** Whether the counts of the quantifier read last are within the limits. */
export let isQuantified: bool = false;
/** The least count of the quantifier read last. */
export let quantifierLeast: u32 = 0;
/** The greatest count of it, or UNBOUNDED. */
export let quantifierMost: u32 = 0;

/** Reads a quantifier without the question mark that makes it lazy; false with nothing read when there is none. */
export function readQuantifier(): bool {
  isQuantified = true;
  quantifierLeast = 0;
  quantifierMost = UNBOUNDED;
  switch (peek()) {
    case 0x2a:
      break;
    case 0x2b:
      quantifierLeast = 1;
      break;
    case 0x3f:
      quantifierMost = 1;
      break;
    case 0x7b:
      return readBounds();
    default:
      return false;
  }
  skip();
  return true;
}

let at: usize = 0;
let end: usize = 0;

/** Reads `{m}`, `{m,}` or `{m,n}`; what is none of them is text. */
function readBounds(): bool {
  const from = position();
  at = from + 1;
  end = from + remaining();
  const least = readCount();
  if (least < 0) return false;
  let most = least;
  if (at < end && load<u8>(at) == 0x2c) {
    at++;
    most = at < end && load<u8>(at) == 0x7d ? -1 : readCount();
    if (most == -2) return false;
  }
  if (at >= end || load<u8>(at) != 0x7d) return false;
  at++;
  while (position() < at) skip();
  isQuantified = least <= <i32>REPEAT_MAX && most <= <i32>REPEAT_MAX && (most < 0 || least <= most);
  quantifierLeast = <u32>least;
  quantifierMost = most < 0 ? UNBOUNDED : <u32>most;
  return true;
}

/** Reads decimal digits without a leading zero; -2 when there are none, and a large count for a larger one. */
function readCount(): i32 {
  const first = at;
  let count: i32 = 0;
  while (at < end && load<u8>(at) >= 0x30 && load<u8>(at) <= 0x39) {
    count = min<i32>(count * 10 + <i32>load<u8>(at) - 0x30, 100_000_000);
    at++;
  }
  if (at == first || (load<u8>(first) == 0x30 && at > first + 1)) return -2;
  return count;
}
