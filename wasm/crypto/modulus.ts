// Arithmetic modulo an odd number of any size, in Montgomery's form (Handbook of Applied Cryptography 14.36).
//
// Numbers are 32-bit limbs, least significant first, as many as the modulus has: a multiple of four, so that
// the inner loop takes four at a time. The time of an operation depends on its operands: that is right for
// verifying signatures, where everything is public; a policy that signs gives away, to whoever measures its
// time from nearby, something of its key.

import { alloc } from '../common/arena';

/** The longest modulus that is computed with, in bytes: RSA-8192. */
export const MODULUS_BYTES_MAX: u32 = 1024;

// A modulus: its limbs, the negated inverse of its lowest limb, then pointers.
const LIMBS: u32 = 0;
const INVERSE: u32 = 4;
const NUMBER: u32 = 8;
const SQUARE: u32 = 12;
const UNIT: u32 = 16;
const SCRATCH: u32 = 20;
const MODULUS_BYTES: u32 = 24;

/** A number of so many limbs, zero. */
function zero(limbs: u32): u32 {
  const number = alloc(limbs << 2);
  memory.fill(number, 0, limbs << 2);
  return number;
}

/** Limbs of a modulus. */
export function limbsOf(modulus: u32): u32 {
  return load<u32>(modulus, LIMBS);
}

/** The modulus itself, as a number. */
export function numberOf(modulus: u32): u32 {
  return load<u32>(modulus, NUMBER);
}

/** One in Montgomery's form. */
export function unitOf(modulus: u32): u32 {
  return load<u32>(modulus, UNIT);
}

/** A new number of the modulus' size, zero. */
export function newNumber(modulus: u32): u32 {
  return zero(limbsOf(modulus));
}

/** Writes big-endian bytes as limbs; false when they do not fit. */
function fromBytes(out: u32, limbs: u32, bytes: u32, length: u32): bool {
  memory.fill(out, 0, limbs << 2);
  let p = bytes;
  let rest = length;
  while (rest > 0 && load<u8>(p) == 0) {
    p++;
    rest--;
  }
  if (rest > limbs << 2) return false;
  for (let i: u32 = 0; i < rest; i++) store<u8>(out + i, load<u8>(p + rest - 1 - i));
  return true;
}

/** The modulus of big-endian bytes; 0 when it is even, below 3 or longer than `MODULUS_BYTES_MAX`. */
export function newModulus(bytes: u32, length: u32): u32 {
  let p = bytes;
  let rest = length;
  while (rest > 0 && load<u8>(p) == 0) {
    p++;
    rest--;
  }
  if (rest == 0 || rest > MODULUS_BYTES_MAX || (load<u8>(p + rest - 1) & 1) == 0) return 0;
  if (rest == 1 && load<u8>(p) < 3) return 0;
  const limbs = ((rest + 15) >> 4) << 2;
  const modulus = alloc(MODULUS_BYTES);
  const number = zero(limbs);
  fromBytes(number, limbs, p, rest);
  store<u32>(modulus, limbs, LIMBS);
  store<u32>(modulus, negatedInverse(load<u32>(number)), INVERSE);
  store<u32>(modulus, number, NUMBER);
  store<u32>(modulus, zero(limbs), SQUARE);
  store<u32>(modulus, zero(limbs), UNIT);
  // One limb below for what the reduction makes zero, one above for the carry.
  store<u32>(modulus, alloc((limbs + 2) << 2) + 4, SCRATCH);
  prepare(modulus);
  return modulus;
}

/** -1/x modulo 2^32, by Newton's iteration: each step doubles the right bits, of which x has three. */
function negatedInverse(x: u32): u32 {
  let inverse = x;
  for (let i = 0; i < 4; i++) inverse *= 2 - x * inverse;
  return 0 - inverse;
}

/** Finds 1 and R^2 in Montgomery's form, where R is 2 to the number of bits of all limbs. */
function prepare(modulus: u32): void {
  const limbs = limbsOf(modulus);
  const unit = load<u32>(modulus, UNIT);
  const bits = bitLength(modulus);
  // The modulus is odd and above 2, so that 2^(bits - 1) is below it; doubled up to R.
  store<u32>(unit + (((bits - 1) >> 5) << 2), 1 << ((bits - 1) & 31));
  for (let i = bits - 1; i < limbs << 5; i++) addModulo(modulus, unit, unit, unit);
  const square = load<u32>(modulus, SQUARE);
  memory.copy(square, unit, limbs << 2);
  // 2^limbs in Montgomery's form, five times squared: 2^(32 * limbs) = R.
  for (let i: u32 = 0; i < limbs; i++) addModulo(modulus, square, square, square);
  for (let i = 0; i < 5; i++) multiply(modulus, square, square, square);
}

/** Bits of the modulus, without leading zeros. */
export function bitLength(modulus: u32): u32 {
  const number = numberOf(modulus);
  let limb = limbsOf(modulus) - 1;
  while (load<u32>(number + (limb << 2)) == 0) limb--;
  return (limb << 5) + 32 - clz(load<u32>(number + (limb << 2)));
}

/** out = a - b over so many limbs; returns the borrow. */
function subtractLimbs(out: u32, a: u32, b: u32, limbs: u32): u32 {
  let borrow: u64 = 0;
  for (let i: u32 = 0; i < limbs << 2; i += 4) {
    const difference = <u64>load<u32>(a + i) - <u64>load<u32>(b + i) - borrow;
    store<u32>(out + i, <u32>difference);
    borrow = (difference >> 32) & 1;
  }
  return <u32>borrow;
}

/** Orders two numbers of so many limbs. */
function compareLimbs(a: u32, b: u32, limbs: u32): i32 {
  for (let i = limbs; i > 0; i--) {
    const x = load<u32>(a + ((i - 1) << 2));
    const y = load<u32>(b + ((i - 1) << 2));
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/** Whether a number is below the modulus. */
export function isReduced(modulus: u32, number: u32): bool {
  return compareLimbs(number, numberOf(modulus), limbsOf(modulus)) < 0;
}

/** Whether two numbers are equal. */
export function equalNumbers(modulus: u32, a: u32, b: u32): bool {
  return compareLimbs(a, b, limbsOf(modulus)) == 0;
}

export function isZero(modulus: u32, number: u32): bool {
  for (let i: u32 = 0; i < limbsOf(modulus) << 2; i += 4)
    if (load<u32>(number + i) != 0) return false;
  return true;
}

/** The number of big-endian bytes, not reduced; 0 when it has more limbs than the modulus. */
export function readNumber(modulus: u32, bytes: u32, length: u32): u32 {
  const number = newNumber(modulus);
  return fromBytes(number, limbsOf(modulus), bytes, length) ? number : 0;
}

/** Takes the modulus off once, if the number reaches it. */
export function reduceOnce(modulus: u32, number: u32): void {
  if (!isReduced(modulus, number)) {
    subtractLimbs(number, number, numberOf(modulus), limbsOf(modulus));
  }
}

/** Writes a number as big-endian bytes, the lowest `length` of them. */
export function writeNumber(modulus: u32, number: u32, out: u32, length: u32): void {
  const have = limbsOf(modulus) << 2;
  for (let i: u32 = 0; i < length; i++) {
    store<u8>(out + length - 1 - i, i < have ? load<u8>(number + i) : 0);
  }
}

/** out = a + b; both below the modulus. */
export function addModulo(modulus: u32, out: u32, a: u32, b: u32): void {
  const limbs = limbsOf(modulus);
  let carry: u64 = 0;
  for (let i: u32 = 0; i < limbs << 2; i += 4) {
    carry += <u64>load<u32>(a + i) + <u64>load<u32>(b + i);
    store<u32>(out + i, <u32>carry);
    carry >>= 32;
  }
  const number = numberOf(modulus);
  if (carry != 0 || compareLimbs(out, number, limbs) >= 0) subtractLimbs(out, out, number, limbs);
}

/** number = 2 * number + bit, less `limit` once if that is reached; one step of a division by any `limit`. */
export function doubleAndAdd(number: u32, bit: u32, limit: u32, limbs: u32): void {
  let carry = bit;
  for (let i: u32 = 0; i < limbs << 2; i += 4) {
    const limb = load<u32>(number + i);
    store<u32>(number + i, (limb << 1) | carry);
    carry = limb >> 31;
  }
  if (carry != 0 || compareLimbs(number, limit, limbs) >= 0) {
    subtractLimbs(number, number, limit, limbs);
  }
}

/** out = a - b; both below the modulus. */
export function subtractModulo(modulus: u32, out: u32, a: u32, b: u32): void {
  const limbs = limbsOf(modulus);
  if (subtractLimbs(out, a, b, limbs) == 0) return;
  const number = numberOf(modulus);
  let carry: u64 = 0;
  for (let i: u32 = 0; i < limbs << 2; i += 4) {
    carry += <u64>load<u32>(out + i) + <u64>load<u32>(number + i);
    store<u32>(out + i, <u32>carry);
    carry >>= 32;
  }
}

/**
 * out = a * b / R; one of the two below the modulus, the other of its limbs. The product and its reduction
 * go through the limbs together (FIOS), four a turn.
 */
export function multiply(modulus: u32, out: u32, a: u32, b: u32): void {
  const limbs = limbsOf(modulus);
  const bytes = limbs << 2;
  const number = numberOf(modulus);
  const inverse = load<u32>(modulus, INVERSE);
  const scratch = load<u32>(modulus, SCRATCH);
  memory.fill(scratch, 0, bytes);
  let top: u64 = 0;
  for (let i: u32 = 0; i < bytes; i += 4) {
    const factor = <u64>load<u32>(b + i);
    const low: u32 = load<u32>(scratch) + load<u32>(a) * load<u32>(b + i);
    const quotient = <u64>(low * inverse);
    let product: u64 = 0;
    let reduced: u64 = 0;
    for (let j: u32 = 0; j < bytes; j += 16) {
      const t = scratch + j;
      const x = a + j;
      const m = number + j;
      product = load<u32>(t) + load<u32>(x) * factor + (product >> 32);
      reduced = <u64>(<u32>product) + load<u32>(m) * quotient + (reduced >> 32);
      store<u32>(t - 4, <u32>reduced);
      product = load<u32>(t, 4) + load<u32>(x, 4) * factor + (product >> 32);
      reduced = <u64>(<u32>product) + load<u32>(m, 4) * quotient + (reduced >> 32);
      store<u32>(t, <u32>reduced);
      product = load<u32>(t, 8) + load<u32>(x, 8) * factor + (product >> 32);
      reduced = <u64>(<u32>product) + load<u32>(m, 8) * quotient + (reduced >> 32);
      store<u32>(t, <u32>reduced, 4);
      product = load<u32>(t, 12) + load<u32>(x, 12) * factor + (product >> 32);
      reduced = <u64>(<u32>product) + load<u32>(m, 12) * quotient + (reduced >> 32);
      store<u32>(t, <u32>reduced, 8);
    }
    top += (product >> 32) + (reduced >> 32);
    store<u32>(scratch + bytes - 4, <u32>top);
    top >>= 32;
  }
  if (top != 0 || compareLimbs(scratch, number, limbs) >= 0) {
    subtractLimbs(out, scratch, number, limbs);
  } else memory.copy(out, scratch, bytes);
}

/** Brings a number into Montgomery's form; it need not be reduced. */
export function toMontgomery(modulus: u32, out: u32, number: u32): void {
  multiply(modulus, out, number, load<u32>(modulus, SQUARE));
}

/** Brings a number out of Montgomery's form, reduced. */
export function fromMontgomery(modulus: u32, out: u32, number: u32): void {
  const one = newNumber(modulus);
  store<u32>(one, 1);
  multiply(modulus, out, number, one);
}

/** out = base ^ exponent, `base` and `out` in Montgomery's form, the exponent big-endian bytes. */
export function power(modulus: u32, out: u32, base: u32, exponent: u32, length: u32): void {
  const bytes = limbsOf(modulus) << 2;
  // Fifteen small powers pay off for long exponents only.
  const long = length > 8;
  const powers = alloc(bytes << 4);
  memory.copy(powers, unitOf(modulus), bytes);
  memory.copy(powers + bytes, base, bytes);
  if (long) {
    for (let i: u32 = 2; i < 16; i++) {
      multiply(modulus, powers + i * bytes, powers + (i - 1) * bytes, base);
    }
  }
  const result = newNumber(modulus);
  memory.copy(result, unitOf(modulus), bytes);
  const width: u32 = long ? 4 : 1;
  for (let bit: u32 = 0; bit < length << 3; bit += width) {
    for (let i: u32 = 0; i < width; i++) multiply(modulus, result, result, result);
    const byte = <u32>load<u8>(exponent + (bit >> 3));
    const digit = (byte >> (8 - width - (bit & 7))) & ((1 << width) - 1);
    if (digit != 0) multiply(modulus, result, result, powers + digit * bytes);
  }
  memory.copy(out, result, bytes);
}
