// Points of the curves y^2 = x^3 - 3x + b modulo a prime: doubled, added and multiplied.

import { alloc } from '../common/arena';
import { parameterBytes, parametersOf } from './curve-parameters';
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
  readNumber,
  subtractModulo,
  toMontgomery,
  unitOf,
} from './modulus';

// A curve in use: its field and order (modulus.ts), its b and its base point, in Montgomery's form.
const FIELD: u32 = 0;
const ORDER: u32 = 4;
const B: u32 = 8;
const BASE: u32 = 12;
const CURVE_BYTES: u32 = 16;

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

/** The modulus of the curve's coordinates. */
export function fieldOf(opened: u32): u32 {
  return load<u32>(opened, FIELD);
}

/** The modulus of the curve's scalars: how many points there are. */
export function orderOf(opened: u32): u32 {
  return load<u32>(opened, ORDER);
}

/** The point of which all others are multiples. */
export function baseOf(opened: u32): u32 {
  return load<u32>(opened, BASE);
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

/** a * base + b * point of an opened curve, both products with the same doublings (Shamir's trick). */
export function combine(opened: u32, a: u32, b: u32, point: u32): u32 {
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
