// Whole numbers of any size: from values and back, as OPA's built-ins take them (Go's math/big.Int).

import { alloc } from '../common/arena';
import { digitCount, digitsFrom, digitsTo, negative, power, readDecimal } from './decimal';
import {
  addNatural,
  bitsOf,
  compareNatural,
  divideNatural,
  isZero,
  limb,
  limbsOf,
  multiplyNatural,
  naturalOf,
  newNatural,
  remainder,
  subtractNatural,
} from './natural';
import { digitsLength, digitsOfNatural, naturalOfDigits } from './natural-text';
import { numberWithText } from './number';
import { integer, integerOf, isInteger, Kind, kindOf, NUMBER_LENGTH, NUMBER_TEXT } from './value';

// A whole number: whether it is negative, then the natural number.
const SIZE: u32 = 4;
const WHOLE_BYTES: u32 = 8;

/** A whole number of a sign and a size; there is no negative zero. */
export function wholeOf(minus: bool, size: u32): u32 {
  const a = alloc(WHOLE_BYTES);
  store<u32>(a, minus && !isZero(size));
  store<u32>(a, size, SIZE);
  return a;
}

export function isMinus(a: u32): bool {
  return load<u32>(a) != 0;
}

export function sizeOf(a: u32): u32 {
  return load<u32>(a, SIZE);
}

/** A small whole number. */
export function wholeOfI64(value: i64): u32 {
  return wholeOf(value < 0, naturalOf(value < 0 ? -(<u64>value) : <u64>value));
}

/** The whole number of a value, exactly; 0 when the value is no number or not whole. */
export function wholeOfValue(value: u32): u32 {
  if (kindOf(value) != Kind.Number) return 0;
  if (isInteger(value)) return wholeOfI64(integerOf(value));
  readDecimal(value + NUMBER_TEXT, load<u32>(value, NUMBER_LENGTH));
  if (digitCount == 0) return wholeOf(false, newNatural(0));
  if (power < <i32>digitCount) return 0;
  const minus = negative;
  return wholeOf(minus, naturalOfDigits(digitsFrom, digitsTo, power - digitCount));
}

/** The value of a whole number. */
export function valueOfWhole(a: u32): u32 {
  const size = sizeOf(a);
  if (limbsOf(size) <= 2) {
    let value: u64 = isZero(size) ? 0 : limb(size, 0);
    if (limbsOf(size) == 2) value |= (<u64>limb(size, 1)) << 32;
    if (value <= <u64>i64.MAX_VALUE) return integer(isMinus(a) ? -(<i64>value) : <i64>value);
    if (isMinus(a) && value == <u64>i64.MIN_VALUE) return integer(i64.MIN_VALUE);
  }
  const digits = digitsOfNatural(size);
  const count = digitsLength;
  const text = alloc(count + 1);
  store<u8>(text, 0x2d);
  memory.copy(text + <u32>isMinus(a), digits, count);
  return numberWithText(text, count + <u32>isMinus(a));
}

/** a + b, or a - b when `minus`. */
export function addWholes(a: u32, b: u32, minus: bool): u32 {
  const other = isMinus(b) != minus && !isZero(sizeOf(b));
  if (isMinus(a) == other) return wholeOf(other, addNatural(sizeOf(a), sizeOf(b)));
  return compareNatural(sizeOf(a), sizeOf(b)) >= 0
    ? wholeOf(isMinus(a), subtractNatural(sizeOf(a), sizeOf(b)))
    : wholeOf(other, subtractNatural(sizeOf(b), sizeOf(a)));
}

export function multiplyWholes(a: u32, b: u32): u32 {
  return wholeOf(isMinus(a) != isMinus(b), multiplyNatural(sizeOf(a), sizeOf(b)));
}

/** What is left of a / b, with the sign of a; b is not 0. */
export function remainderOfWholes(a: u32, b: u32): u32 {
  divideNatural(sizeOf(a), sizeOf(b));
  return wholeOf(isMinus(a), remainder);
}

/** Which bits of two whole numbers a result has. */
export const enum Bits {
  And,
  Or,
  Xor,
}

/** The limb of a number in two's complement; `borrow` is kept by the caller from the lowest limb up. */
function complemented(a: u32, index: u32, borrow: u64): u64 {
  const plain: u64 = index < limbsOf(sizeOf(a)) ? limb(sizeOf(a), index) : 0;
  return isMinus(a) ? (~plain & 0xffffffff) + borrow : plain;
}

/** Bitwise and, or, xor, in two's complement of endless length. */
export function bitwise(a: u32, b: u32, bits: Bits): u32 {
  const count = max(limbsOf(sizeOf(a)), limbsOf(sizeOf(b))) + 1;
  const result = newNatural(count);
  let carryA: u64 = 1;
  let carryB: u64 = 1;
  for (let i: u32 = 0; i < count; i++) {
    const x = complemented(a, i, carryA);
    const y = complemented(b, i, carryB);
    carryA = x >> 32;
    carryB = y >> 32;
    const limbs = bits == Bits.And ? x & y : bits == Bits.Or ? x | y : x ^ y;
    store<u32>(result + (i << 2), <u32>limbs, 4);
  }
  return signed(result, count);
}

/** The whole number of so many limbs in two's complement. */
function signed(limbs: u32, count: u32): u32 {
  const minus = <i32>limb(limbs, count - 1) < 0;
  if (minus) {
    let carry: u64 = 1;
    for (let i: u32 = 0; i < count; i++) {
      carry += <u64>~limb(limbs, i);
      store<u32>(limbs + (i << 2), <u32>carry, 4);
      carry >>= 32;
    }
  }
  while (limbsOf(limbs) > 0 && limb(limbs, limbsOf(limbs) - 1) == 0) {
    store<u32>(limbs, limbsOf(limbs) - 1);
  }
  return wholeOf(minus, limbs);
}

/** Whether the number needs no more than 32 bits, and which; for counts. */
export function isCount(a: u32): bool {
  return !isMinus(a) && bitsOf(sizeOf(a)) <= 32;
}

/** The value of an `isCount` number. */
export function countOf(a: u32): u32 {
  return isZero(sizeOf(a)) ? 0 : limb(sizeOf(a), 0);
}
