// Binary floating-point numbers of chosen precision, rounded as Go's math/big.Float does (to nearest, ties to even).

import { alloc } from '../common/arena';
import {
  digitCount,
  digitsFrom,
  digitsTo,
  negative,
  power,
  readDecimal,
  scientific,
} from './decimal';
import {
  addNatural,
  anyBitBelow,
  bitAt,
  bitsOf,
  compareNatural,
  divideNatural,
  isZero,
  multiplyNatural,
  naturalOf,
  newNatural,
  remainder,
  shiftLeft,
  shiftRight,
  subtractNatural,
} from './natural';
import { naturalOfDigits } from './natural-text';

/** The precision that OPA computes with, in bits. */
const PRECISION: u32 = 64;

// A number: whether it is negative, its precision, its exponent and its mantissa: mantissa * 2^exponent.
const NEGATIVE: u32 = 0;
const PRECISION_AT: u32 = 4;
const EXPONENT: u32 = 8;
const MANTISSA: u32 = 12;
const FLOAT_BYTES: u32 = 16;

export function isNegative(a: u32): bool {
  return load<u32>(a, NEGATIVE) != 0;
}

export function precisionOf(a: u32): u32 {
  return load<u32>(a, PRECISION_AT);
}

export function exponentOf(a: u32): i32 {
  return load<i32>(a, EXPONENT);
}

export function mantissaOf(a: u32): u32 {
  return load<u32>(a, MANTISSA);
}

/** A number rounded to a precision; `sticky`: it is a little larger than its mantissa says. */
export function floatOf(
  minus: bool,
  mantissa: u32,
  exponent: i32,
  precision: u32,
  sticky: bool = false,
): u32 {
  const a = alloc(FLOAT_BYTES);
  store<u32>(a, minus, NEGATIVE);
  store<u32>(a, precision, PRECISION_AT);
  const bits = bitsOf(mantissa);
  let rounded = mantissa;
  let shifted = exponent;
  if (bits > precision) {
    const drop = bits - precision;
    rounded = shiftRight(mantissa, drop);
    shifted += drop;
    const half = bitAt(mantissa, drop - 1);
    if (half && (sticky || anyBitBelow(mantissa, drop - 1) || bitAt(rounded, 0))) {
      rounded = addNatural(rounded, naturalOf(1));
    }
  }
  store<i32>(a, isZero(rounded) ? 0 : shifted, EXPONENT);
  store<u32>(a, rounded, MANTISSA);
  return a;
}

/** The number of a decimal text, as Go's Float.SetString computes it. */
export function floatOfText(pointer: u32, length: u32): u32 {
  readDecimal(pointer, length);
  const minus = negative;
  if (digitCount == 0) return floatOf(minus, newNatural(0), 0, PRECISION);
  const tens = power - <i32>digitCount;
  // Go reads digits exactly, and rounds when it multiplies with the power of ten.
  const zeros: u32 = tens > 0 && !scientific ? tens : 0;
  const digits = naturalOfDigits(digitsFrom, digitsTo, zeros);
  if (tens == zeros) return floatOf(minus, digits, 0, PRECISION);
  if (tens > 0) {
    const fives = fiveTo(tens, PRECISION + 64);
    const product = multiplyNatural(digits, mantissaOf(fives));
    return floatOf(minus, product, tens + exponentOf(fives), PRECISION);
  }
  const fives = fiveTo(-tens, PRECISION + 64);
  return quotientOf(minus, digits, tens, mantissaOf(fives), exponentOf(fives), PRECISION);
}

/** The number of a finite binary64's bits, at the precision that it has. */
export function floatOfBits(bits: u64): u32 {
  const fraction = bits & 0xfffffffffffff;
  const biased = <i32>(bits >> 52) & 0x7ff;
  const mantissa = naturalOf(biased == 0 ? fraction : fraction | 0x10000000000000);
  const precision: u32 = biased == 0 ? bitsOf(mantissa) : 53;
  return floatOf(<i64>bits < 0, mantissa, max(biased, 1) - 1075, precision);
}

/** Five to a power, with Go's roundings on the way (Float.pow5). */
function fiveTo(exponent: u32, precision: u32): u32 {
  let table: u64 = 1;
  const whole = min<u32>(exponent, 27);
  for (let i: u32 = 0; i < whole; i++) table *= 5;
  let result = floatOf(false, naturalOf(table), 0, precision);
  if (exponent <= 27) return result;
  let square = floatOf(false, naturalOf(5), 0, precision + 64);
  for (let rest = exponent - 27; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) result = productOf(result, square, precision);
    square = productOf(square, square, precision + 64);
  }
  return result;
}

function productOf(a: u32, b: u32, precision: u32): u32 {
  return floatOf(
    isNegative(a) != isNegative(b),
    multiplyNatural(mantissaOf(a), mantissaOf(b)),
    exponentOf(a) + exponentOf(b),
    precision,
  );
}

/** (a * 2^aExponent) / (b * 2^bExponent), with two bits more than the precision and what is left over. */
function quotientOf(minus: bool, a: u32, aExponent: i32, b: u32, bExponent: i32, to: u32): u32 {
  const wanted = <i32>to + 2 + <i32>bitsOf(b) - <i32>bitsOf(a);
  const shift: u32 = wanted > 0 ? wanted : 0;
  const quotient = divideNatural(shiftLeft(a, shift), b);
  return floatOf(minus, quotient, aExponent - bExponent - <i32>shift, to, !isZero(remainder));
}

/** a * b at the larger of both precisions. */
export function multiplyFloats(a: u32, b: u32): u32 {
  return productOf(a, b, max(precisionOf(a), precisionOf(b)));
}

/** a / b at the larger of both precisions; b is not 0. */
export function divideFloats(a: u32, b: u32): u32 {
  const minus = isNegative(a) != isNegative(b);
  const precision = max(precisionOf(a), precisionOf(b));
  return quotientOf(minus, mantissaOf(a), exponentOf(a), mantissaOf(b), exponentOf(b), precision);
}

/** a + b, or a - b when `minus`, at the larger of both precisions. */
export function addFloats(a: u32, b: u32, minus: bool): u32 {
  const precision = max(precisionOf(a), precisionOf(b));
  const aNegative = isNegative(a);
  const bNegative = isNegative(b) != minus;
  // A zero keeps the other's exponent, so that nothing is shifted for it.
  if (isZero(mantissaOf(a)) && isZero(mantissaOf(b))) {
    return floatOf(aNegative && bNegative, newNatural(0), 0, precision);
  }
  if (isZero(mantissaOf(b))) return floatOf(aNegative, mantissaOf(a), exponentOf(a), precision);
  if (isZero(mantissaOf(a))) return floatOf(bNegative, mantissaOf(b), exponentOf(b), precision);
  const exponent = min(exponentOf(a), exponentOf(b));
  const x = shiftLeft(mantissaOf(a), exponentOf(a) - exponent);
  const y = shiftLeft(mantissaOf(b), exponentOf(b) - exponent);
  if (aNegative == bNegative) return floatOf(aNegative, addNatural(x, y), exponent, precision);
  const order = compareNatural(x, y);
  if (order == 0) return floatOf(false, newNatural(0), 0, precision);
  return order > 0
    ? floatOf(aNegative, subtractNatural(x, y), exponent, precision)
    : floatOf(bNegative, subtractNatural(y, x), exponent, precision);
}

/** Whether a number is whole. */
export function isWhole(a: u32): bool {
  return exponentOf(a) >= 0 || !anyBitBelow(mantissaOf(a), -exponentOf(a));
}

/** The number without what is behind the point, at the precision that it needs, 64 at least. */
export function truncated(a: u32): u32 {
  const exponent = exponentOf(a);
  const whole =
    exponent >= 0 ? shiftLeft(mantissaOf(a), exponent) : shiftRight(mantissaOf(a), -exponent);
  // An integer has no negative zero.
  return floatOf(isNegative(a) && !isZero(whole), whole, 0, max(bitsOf(whole), PRECISION));
}
