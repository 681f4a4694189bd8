// The curves P-224, P-256, P-384 and P-521 (FIPS 186-4 appendix D.1.2) and ECDSA's verification on them.

import { alloc, mark, release } from '../common/arena';
import {
  addModulo,
  bitLength,
  equalNumbers,
  isReduced,
  isZero,
  limbsOf,
  multiply,
  newModulus,
  newNumber,
  numberOf,
  power,
  readNumber,
  reduceOnce,
  subtractModulo,
  toMontgomery,
  unitOf,
  writeNumber,
} from './modulus';

export const enum Curve {
  P224 = 1,
  P256,
  P384,
  P521,
}

// A curve in use: its field and order (modulus.ts), its b and its base point, in Montgomery's form.
const FIELD: u32 = 0;
const ORDER: u32 = 4;
const B: u32 = 8;
const BASE: u32 = 12;
const CURVE_BYTES: u32 = 16;

/** Bytes of a coordinate. */
export function coordinateBytes(curve: u32): u32 {
  if (curve == Curve.P224) return 28;
  if (curve == Curve.P256) return 32;
  return curve == Curve.P384 ? 48 : 66;
}

// p, b, n and the base point's x and y of each curve, in words from the most significant one.
const PARAMETERS_224: u32 = <u32>(
  memory.data<u32>([
    0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x00000000, 0x00000000, 0x00000001, 0xb4050a85,
    0x0c04b3ab, 0xf5413256, 0x5044b0b7, 0xd7bfd8ba, 0x270b3943, 0x2355ffb4, 0xffffffff, 0xffffffff,
    0xffffffff, 0xffff16a2, 0xe0b8f03e, 0x13dd2945, 0x5c5c2a3d, 0xb70e0cbd, 0x6bb4bf7f, 0x321390b9,
    0x4a03c1d3, 0x56c21122, 0x343280d6, 0x115c1d21, 0xbd376388, 0xb5f723fb, 0x4c22dfe6, 0xcd4375a0,
    0x5a074764, 0x44d58199, 0x85007e34,
  ])
);
const PARAMETERS_256: u32 = <u32>(
  memory.data<u32>([
    0xffffffff, 0x00000001, 0x00000000, 0x00000000, 0x00000000, 0xffffffff, 0xffffffff, 0xffffffff,
    0x5ac635d8, 0xaa3a93e7, 0xb3ebbd55, 0x769886bc, 0x651d06b0, 0xcc53b0f6, 0x3bce3c3e, 0x27d2604b,
    0xffffffff, 0x00000000, 0xffffffff, 0xffffffff, 0xbce6faad, 0xa7179e84, 0xf3b9cac2, 0xfc632551,
    0x6b17d1f2, 0xe12c4247, 0xf8bce6e5, 0x63a440f2, 0x77037d81, 0x2deb33a0, 0xf4a13945, 0xd898c296,
    0x4fe342e2, 0xfe1a7f9b, 0x8ee7eb4a, 0x7c0f9e16, 0x2bce3357, 0x6b315ece, 0xcbb64068, 0x37bf51f5,
  ])
);
const PARAMETERS_384: u32 = <u32>(
  memory.data<u32>([
    0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xfffffffe,
    0xffffffff, 0x00000000, 0x00000000, 0xffffffff, 0xb3312fa7, 0xe23ee7e4, 0x988e056b, 0xe3f82d19,
    0x181d9c6e, 0xfe814112, 0x0314088f, 0x5013875a, 0xc656398d, 0x8a2ed19d, 0x2a85c8ed, 0xd3ec2aef,
    0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xc7634d81, 0xf4372ddf,
    0x581a0db2, 0x48b0a77a, 0xecec196a, 0xccc52973, 0xaa87ca22, 0xbe8b0537, 0x8eb1c71e, 0xf320ad74,
    0x6e1d3b62, 0x8ba79b98, 0x59f741e0, 0x82542a38, 0x5502f25d, 0xbf55296c, 0x3a545e38, 0x72760ab7,
    0x3617de4a, 0x96262c6f, 0x5d9e98bf, 0x9292dc29, 0xf8f41dbd, 0x289a147c, 0xe9da3113, 0xb5f0b8c0,
    0x0a60b1ce, 0x1d7e819d, 0x7a431d7c, 0x90ea0e5f,
  ])
);
const PARAMETERS_521: u32 = <u32>(
  memory.data<u32>([
    0x000001ff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
    0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
    0xffffffff, 0x00000051, 0x953eb961, 0x8e1c9a1f, 0x929a21a0, 0xb68540ee, 0xa2da725b, 0x99b315f3,
    0xb8b48991, 0x8ef109e1, 0x56193951, 0xec7e937b, 0x1652c0bd, 0x3bb1bf07, 0x3573df88, 0x3d2c34f1,
    0xef451fd4, 0x6b503f00, 0x000001ff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
    0xffffffff, 0xffffffff, 0xfffffffa, 0x51868783, 0xbf2f966b, 0x7fcc0148, 0xf709a5d0, 0x3bb5c9b8,
    0x899c47ae, 0xbb6fb71e, 0x91386409, 0x000000c6, 0x858e06b7, 0x0404e9cd, 0x9e3ecb66, 0x2395b442,
    0x9c648139, 0x053fb521, 0xf828af60, 0x6b4d3dba, 0xa14b5e77, 0xefe75928, 0xfe1dc127, 0xa2ffa8de,
    0x3348b3c1, 0x856a429b, 0xf97e7e31, 0xc2e5bd66, 0x00000118, 0x39296a78, 0x9a3bc004, 0x5c8a5fb4,
    0x2c7d1bd9, 0x98f54449, 0x579b4468, 0x17afbd17, 0x273e662c, 0x97ee7299, 0x5ef42640, 0xc550b901,
    0x3fad0761, 0x353c7086, 0xa272c240, 0x88be9476, 0x9fd16650,
  ])
);

/** The parameters of a curve as big-endian bytes, five of `parameterBytes`. */
function parametersOf(curve: u32): u32 {
  let words = PARAMETERS_521;
  if (curve == Curve.P224) words = PARAMETERS_224;
  else if (curve == Curve.P256) words = PARAMETERS_256;
  else if (curve == Curve.P384) words = PARAMETERS_384;
  const length = parameterBytes(curve) * 5;
  const bytes = alloc(length);
  for (let i: u32 = 0; i < length; i += 4) store<u32>(bytes + i, bswap(load<u32>(words + i)));
  return bytes;
}

/** Bytes of a parameter: whole words. */
function parameterBytes(curve: u32): u32 {
  return (coordinateBytes(curve) + 3) & ~3;
}

/** The curve, ready to be computed with. */
export function openCurve(curve: u32): u32 {
  const size = parameterBytes(curve);
  const bytes = parametersOf(curve);
  const opened = alloc(CURVE_BYTES);
  const field = newModulus(bytes, size);
  store<u32>(opened, field, FIELD);
  store<u32>(opened, newModulus(bytes + 2 * size, size), ORDER);
  const b = readNumber(field, bytes + size, size);
  toMontgomery(field, b, b);
  store<u32>(opened, b, B);
  store<u32>(opened, affine(field, bytes + 3 * size, size, bytes + 4 * size, size), BASE);
  return opened;
}

// A point is three numbers: x/z^2, y/z^3 (Jacobian); the point at infinity has z = 0.

function newPoint(field: u32): u32 {
  const bytes = (limbsOf(field) << 2) * 3;
  const point = alloc(bytes);
  memory.fill(point, 0, bytes);
  return point;
}

/** The point of two coordinates, big-endian bytes; 0 when one is not below the field's prime. */
function affine(field: u32, x: u32, xLength: u32, y: u32, yLength: u32): u32 {
  const bytes = limbsOf(field) << 2;
  const xNumber = readNumber(field, x, xLength);
  const yNumber = readNumber(field, y, yLength);
  if (xNumber == 0 || yNumber == 0) return 0;
  if (!isReduced(field, xNumber) || !isReduced(field, yNumber)) return 0;
  const point = newPoint(field);
  toMontgomery(field, point, xNumber);
  toMontgomery(field, point + bytes, yNumber);
  memory.copy(point + 2 * bytes, unitOf(field), bytes);
  return point;
}

/** The point of a public key, 0 when it is not on the curve (y^2 = x^3 - 3x + b). */
export function pointOf(opened: u32, x: u32, xLength: u32, y: u32, yLength: u32): u32 {
  const field = load<u32>(opened, FIELD);
  const point = affine(field, x, xLength, y, yLength);
  if (point == 0) return 0;
  const bytes = limbsOf(field) << 2;
  const left = newNumber(field);
  const right = newNumber(field);
  multiply(field, right, point, point);
  for (let i = 0; i < 3; i++) subtractModulo(field, right, right, unitOf(field));
  multiply(field, right, right, point);
  addModulo(field, right, right, load<u32>(opened, B));
  multiply(field, left, point + bytes, point + bytes);
  return equalNumbers(field, left, right) ? point : 0;
}

/** Numbers that the point arithmetic works with. */
let work: u32 = 0;

/** out = 2 * point, for a = -3 (hyperelliptic.org, dbl-2001-b). */
function double(field: u32, out: u32, point: u32): void {
  const bytes = limbsOf(field) << 2;
  const y = point + bytes;
  const z = y + bytes;
  const delta = work;
  const gamma = delta + bytes;
  const beta = gamma + bytes;
  const alpha = beta + bytes;
  const t = alpha + bytes;
  multiply(field, delta, z, z);
  multiply(field, gamma, y, y);
  multiply(field, beta, point, gamma);
  subtractModulo(field, t, point, delta);
  addModulo(field, alpha, point, delta);
  multiply(field, alpha, alpha, t);
  addModulo(field, t, alpha, alpha);
  addModulo(field, alpha, alpha, t);
  addModulo(field, t, y, z);
  multiply(field, out + 2 * bytes, t, t);
  subtractModulo(field, out + 2 * bytes, out + 2 * bytes, gamma);
  subtractModulo(field, out + 2 * bytes, out + 2 * bytes, delta);
  addModulo(field, beta, beta, beta);
  addModulo(field, beta, beta, beta);
  multiply(field, out, alpha, alpha);
  subtractModulo(field, out, out, beta);
  subtractModulo(field, out, out, beta);
  subtractModulo(field, beta, beta, out);
  multiply(field, beta, alpha, beta);
  multiply(field, gamma, gamma, gamma);
  for (let i = 0; i < 3; i++) addModulo(field, gamma, gamma, gamma);
  subtractModulo(field, out + bytes, beta, gamma);
}

/** out = out + point (hyperelliptic.org, add-1998-cmo-2), equal and opposite points and infinity included. */
function add(field: u32, out: u32, point: u32): void {
  const bytes = limbsOf(field) << 2;
  const z = out + 2 * bytes;
  const pz = point + 2 * bytes;
  if (isZero(field, pz)) return;
  if (isZero(field, z)) {
    memory.copy(out, point, 3 * bytes);
    return;
  }
  const u = work;
  const s = u + bytes;
  const h = s + bytes;
  const r = h + bytes;
  const t = r + bytes;
  const zz = t + bytes;
  multiply(field, zz, pz, pz);
  multiply(field, u, out, zz);
  multiply(field, s, out + bytes, pz);
  multiply(field, s, s, zz);
  multiply(field, zz, z, z);
  multiply(field, h, point, zz);
  subtractModulo(field, h, h, u);
  multiply(field, r, point + bytes, z);
  multiply(field, r, r, zz);
  subtractModulo(field, r, r, s);
  if (isZero(field, h)) {
    if (isZero(field, r)) double(field, out, point);
    else memory.fill(out, 0, 3 * bytes);
    return;
  }
  multiply(field, z, z, pz);
  multiply(field, z, z, h);
  multiply(field, t, h, h);
  multiply(field, u, u, t);
  multiply(field, t, t, h);
  multiply(field, out, r, r);
  subtractModulo(field, out, out, t);
  subtractModulo(field, out, out, u);
  subtractModulo(field, out, out, u);
  subtractModulo(field, u, u, out);
  multiply(field, u, r, u);
  multiply(field, s, s, t);
  subtractModulo(field, out + bytes, u, s);
}

function bitOf(number: u32, bit: u32): u32 {
  return (load<u32>(number + ((bit >> 5) << 2)) >> (bit & 31)) & 1;
}

/** a * base + b * point, both products with the same doublings (Shamir's trick). */
function combine(opened: u32, a: u32, b: u32, point: u32): u32 {
  const field = load<u32>(opened, FIELD);
  const bytes = limbsOf(field) << 2;
  work = alloc(bytes * 6);
  const base = load<u32>(opened, BASE);
  const both = newPoint(field);
  memory.copy(both, base, 3 * bytes);
  add(field, both, point);
  const sum = newPoint(field);
  for (let bit = bitLength(load<u32>(opened, ORDER)); bit > 0; bit--) {
    double(field, sum, sum);
    const choice = bitOf(a, bit - 1) | (bitOf(b, bit - 1) << 1);
    if (choice == 1) add(field, sum, base);
    else if (choice == 2) add(field, sum, point);
    else if (choice == 3) add(field, sum, both);
  }
  return sum;
}

/** The leftmost bits of a digest, as many as the order has (FIPS 186-4 section 6.4), below the order. */
function truncated(curve: u32, order: u32, hashed: u32, length: u32): u32 {
  const number = readNumber(order, hashed, min(length, coordinateBytes(curve)));
  // Only P-521's order has no whole number of bytes, and no digest is longer than it.
  reduceOnce(order, number);
  return number;
}

/** 1/s modulo the order (Fermat's), in Montgomery's form. */
function inverse(curve: u32, order: u32, s: u32): u32 {
  const size = coordinateBytes(curve);
  const exponent = alloc(size);
  writeNumber(order, numberOf(order), exponent, size);
  // The order is odd and its last byte above 1.
  store<u8>(exponent + size - 1, load<u8>(exponent + size - 1) - 2);
  const result = newNumber(order);
  toMontgomery(order, result, s);
  power(order, result, result, exponent, size);
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
  const order = load<u32>(opened, ORDER);
  const point = pointOf(opened, x, xLength, y, yLength);
  let valid = point != 0 && readScalar(order, r, rLength);
  const rNumber = scalar;
  valid = valid && readScalar(order, s, sLength);
  if (valid) {
    const inverted = inverse(curve, order, scalar);
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
  const field = load<u32>(opened, FIELD);
  const order = load<u32>(opened, ORDER);
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
