// Bits of whole numbers of any size, in two's complement (OPA's v1/topdown/bits.go).

import { Failure, failed } from '../failure';
import {
  addWholes,
  Bits,
  bitwise,
  countOf,
  isCount,
  isMinus,
  sizeOf,
  valueOfWhole,
  wholeOf,
  wholeOfI64,
  wholeOfValue,
} from '../integers';
import { anyBitBelow, isZero, shiftLeft, shiftRight } from '../natural';

function combined(a: u32, b: u32, bits: Bits): u32 {
  const x = wholeOfValue(a);
  const y = wholeOfValue(b);
  return x == 0 || y == 0 ? failed(Failure.Type) : valueOfWhole(bitwise(x, y, bits));
}

export function b_bits_and(a: u32, b: u32): u32 {
  return combined(a, b, Bits.And);
}

export function b_bits_or(a: u32, b: u32): u32 {
  return combined(a, b, Bits.Or);
}

export function b_bits_xor(a: u32, b: u32): u32 {
  return combined(a, b, Bits.Xor);
}

/** -a - 1 */
export function b_bits_negate(a: u32): u32 {
  const x = wholeOfValue(a);
  if (x == 0) return failed(Failure.Type);
  return valueOfWhole(addWholes(wholeOfI64(-1), x, true));
}

export function b_bits_lsh(a: u32, bits: u32): u32 {
  const x = wholeOfValue(a);
  const y = wholeOfValue(bits);
  if (x == 0 || y == 0 || isMinus(y)) return failed(Failure.Type);
  if (isZero(sizeOf(x))) return valueOfWhole(x);
  // More bits than can be counted are more than the memory holds, too.
  const count = isCount(y) ? countOf(y) : u32.MAX_VALUE;
  return valueOfWhole(wholeOf(isMinus(x), shiftLeft(sizeOf(x), count)));
}

/** Rounds down, as two's complement does. */
export function b_bits_rsh(a: u32, bits: u32): u32 {
  const x = wholeOfValue(a);
  const y = wholeOfValue(bits);
  if (x == 0 || y == 0 || isMinus(y)) return failed(Failure.Type);
  const count = isCount(y) ? countOf(y) : u32.MAX_VALUE;
  const shifted = wholeOf(isMinus(x), shiftRight(sizeOf(x), count));
  if (!isMinus(x) || !anyBitBelow(sizeOf(x), count)) return valueOfWhole(shifted);
  return valueOfWhole(addWholes(shifted, wholeOfI64(1), true));
}
