// ECDSA (FIPS 186-4 section 6.4): signatures verified, and the public key of a private one.

import { alloc, mark, release } from '../common/arena';
import { baseOf, combine, fieldOf, openCurve, orderOf, pointOf } from './curve';
import { coordinateBytes } from './curve-parameters';
import {
  equalNumbers,
  fromMontgomery,
  isReduced,
  isZero,
  limbsOf,
  multiply,
  newNumber,
  numberOf,
  power,
  readNumber,
  reduceOnce,
  toMontgomery,
  writeNumber,
} from './modulus';

/** The leftmost bits of a digest, as many as the order has (FIPS 186-4 section 6.4), below the order. */
function truncated(curve: u32, order: u32, hashed: u32, length: u32): u32 {
  const number = readNumber(order, hashed, min(length, coordinateBytes(curve)));
  // Only P-521's order has no whole number of bytes, and no digest is longer than it.
  reduceOnce(order, number);
  return number;
}

/** 1/x modulo a prime (Fermat's); x and the result in Montgomery's form. */
function inverse(prime: u32, x: u32): u32 {
  const size = limbsOf(prime) << 2;
  const exponent = alloc(size);
  writeNumber(prime, numberOf(prime), exponent, size);
  // Every prime here is odd and its last byte above 1.
  store<u8>(exponent + size - 1, load<u8>(exponent + size - 1) - 2);
  const result = newNumber(prime);
  power(prime, result, x, exponent, size);
  return result;
}

/** Whether a number of big-endian bytes is from 1 to the order less 1; leaves it in `scalar`. */
let scalar: u32 = 0;
function readScalar(order: u32, bytes: u32, length: u32): bool {
  scalar = readNumber(order, bytes, length);
  return scalar != 0 && !isZero(order, scalar) && isReduced(order, scalar);
}

/**
 * Whether r and s are ECDSA's signature of a digest by the key of these coordinates (FIPS 186-4 section 6.4).
 * All numbers are big-endian bytes of any length.
 */
export function verifyEcdsa(
  curve: u32,
  x: u32,
  xLength: u32,
  y: u32,
  yLength: u32,
  hashed: u32,
  hashedLength: u32,
  r: u32,
  rLength: u32,
  s: u32,
  sLength: u32,
): bool {
  const kept = mark();
  const opened = openCurve(curve);
  const order = orderOf(opened);
  const point = pointOf(opened, x, xLength, y, yLength);
  let valid = point != 0 && readScalar(order, r, rLength);
  const rNumber = scalar;
  valid = valid && readScalar(order, s, sLength);
  if (valid) {
    toMontgomery(order, scalar, scalar);
    const inverted = inverse(order, scalar);
    const a = truncated(curve, order, hashed, hashedLength);
    // One factor in Montgomery's form and one not: the product is not.
    multiply(order, a, a, inverted);
    const b = newNumber(order);
    multiply(order, b, rNumber, inverted);
    valid = hasX(opened, combine(opened, a, b, point), rNumber);
  }
  release(kept);
  return valid;
}

/** Whether a point's x is `number` modulo the order, without a division: x = number * z^2, or one order more. */
function hasX(opened: u32, point: u32, number: u32): bool {
  const field = fieldOf(opened);
  const order = orderOf(opened);
  const limbs = limbsOf(field);
  const z = point + (limbs << 3);
  if (isZero(field, z)) return false;
  const square = newNumber(field);
  multiply(field, square, z, z);
  const candidate = newNumber(field);
  memory.copy(candidate, number, limbs << 2);
  for (let i = 0; i < 2; i++) {
    if (!isReduced(field, candidate)) return false;
    const x = newNumber(field);
    toMontgomery(field, x, candidate);
    multiply(field, x, x, square);
    if (equalNumbers(field, x, point)) return true;
    if (!addLimbs(candidate, numberOf(order), limbs)) return false;
  }
  return false;
}

/** number += other over so many limbs; false when it overflows. */
function addLimbs(number: u32, other: u32, limbs: u32): bool {
  let carry: u64 = 0;
  for (let i: u32 = 0; i < limbs << 2; i += 4) {
    carry += <u64>load<u32>(number + i) + <u64>load<u32>(other + i);
    store<u32>(number + i, <u32>carry);
    carry >>= 32;
  }
  return carry == 0;
}

/**
 * Writes x and y of a private key's public key, `coordinateBytes` each; false when the key is not from 1 to
 * the order less 1. Not constant-time, see modulus.ts.
 */
export function publicPoint(curve: u32, key: u32, length: u32, out: u32): bool {
  const kept = mark();
  const opened = openCurve(curve);
  const order = orderOf(opened);
  const valid = readScalar(order, key, length);
  if (valid) {
    const field = fieldOf(opened);
    const bytes = limbsOf(field) << 2;
    const point = combine(opened, scalar, newNumber(order), baseOf(opened));
    const inverted = inverse(field, point + 2 * bytes);
    const square = newNumber(field);
    multiply(field, square, inverted, inverted);
    multiply(field, point, point, square);
    multiply(field, point + bytes, point + bytes, square);
    multiply(field, point + bytes, point + bytes, inverted);
    fromMontgomery(field, point, point);
    fromMontgomery(field, point + bytes, point + bytes);
    const size = coordinateBytes(curve);
    writeNumber(field, point, out, size);
    writeNumber(field, point + bytes, out + size, size);
  }
  release(kept);
  return valid;
}
