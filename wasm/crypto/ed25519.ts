// Ed25519 signatures (RFC 8032), with Go's reading of it: no cofactor, s below the order, and a point's y
// and the sign of its x need not be canonical.

import { alloc, mark, release } from '../common/arena';
import {
  BASE_X,
  BASE_Y,
  D,
  INVERSE_EXPONENT,
  ORDER,
  PRIME,
  ROOT,
  ROOT_EXPONENT,
} from './ed25519-parameters';
import { digest, equalBytes, Hash } from './hash';
import {
  addModulo,
  equalNumbers,
  fromMontgomery,
  isReduced,
  isZero,
  limbsOf,
  multiply,
  newModulus,
  newNumber,
  power,
  readNumber,
  subtractModulo,
  toMontgomery,
  unitOf,
  writeNumber,
} from './modulus';

/** Bytes of a public key, a seed and each half of a signature. */
export const ED25519_BYTES: u32 = 32;

let field: u32 = 0;
let order: u32 = 0;
/** d and 2d of the curve's equation, and a square root of -1, in Montgomery's form. */
let d: u32 = 0;
let twiceD: u32 = 0;
let rootOfMinusOne: u32 = 0;
let base: u32 = 0;
let work: u32 = 0;

/** Bytes of a field element, and the offset between a point's numbers. */
const N: u32 = 32;

function constant(bytes: u32): u32 {
  const number = readNumber(field, bytes, N);
  toMontgomery(field, number, number);
  return number;
}

function open(): void {
  field = newModulus(PRIME, N);
  order = newModulus(ORDER, N);
  d = constant(D);
  twiceD = newNumber(field);
  addModulo(field, twiceD, d, d);
  rootOfMinusOne = constant(ROOT);
  work = alloc(N * 8);
  base = newPoint();
  memory.copy(base, constant(BASE_X), N);
  memory.copy(base + N, constant(BASE_Y), N);
  multiply(field, base + 3 * N, base, base + N);
}

// A point is X, Y, Z and T with x = X/Z, y = Y/Z and xy = T/Z (extended coordinates).

/** The neutral point. */
function newPoint(): u32 {
  const point = alloc(4 * N);
  memory.fill(point, 0, 4 * N);
  memory.copy(point + N, unitOf(field), N);
  memory.copy(point + 2 * N, unitOf(field), N);
  return point;
}

/** out = a + b, equal points included (hyperelliptic.org, add-2008-hwcd-3). */
function add(out: u32, a: u32, b: u32): void {
  const first = work;
  const second = first + N;
  const c = second + N;
  const z = c + N;
  const t = z + N;
  subtractModulo(field, first, a + N, a);
  subtractModulo(field, t, b + N, b);
  multiply(field, first, first, t);
  addModulo(field, second, a + N, a);
  addModulo(field, t, b + N, b);
  multiply(field, second, second, t);
  multiply(field, c, a + 3 * N, b + 3 * N);
  multiply(field, c, c, twiceD);
  multiply(field, z, a + 2 * N, b + 2 * N);
  addModulo(field, z, z, z);
  const e = t;
  const f = t + N;
  const g = f + N;
  subtractModulo(field, e, second, first);
  subtractModulo(field, f, z, c);
  addModulo(field, g, z, c);
  addModulo(field, c, second, first);
  multiply(field, out, e, f);
  multiply(field, out + N, g, c);
  multiply(field, out + 2 * N, f, g);
  multiply(field, out + 3 * N, e, c);
}

/** Turns 32 bytes around: RFC 8032 is little-endian, modulus.ts big-endian. */
function turned(bytes: u32): u32 {
  const out = alloc(N);
  for (let i: u32 = 0; i < N; i++) store<u8>(out + i, load<u8>(bytes + N - 1 - i));
  return out;
}

/** The point of 32 bytes (RFC 8032 section 5.1.3), 0 when there is none. */
function decode(bytes: u32): u32 {
  const turnedBytes = turned(bytes);
  const sign = load<u8>(turnedBytes) >> 7;
  store<u8>(turnedBytes, load<u8>(turnedBytes) & 0x7f);
  const point = newPoint();
  const y = point + N;
  toMontgomery(field, y, readNumber(field, turnedBytes, N));
  // x^2 = u/v with u = y^2 - 1, v = dy^2 + 1; x = u v^3 (u v^7)^((p-5)/8), or that times sqrt(-1).
  const u = newNumber(field);
  const v = newNumber(field);
  const x = newNumber(field);
  const t = newNumber(field);
  multiply(field, u, y, y);
  multiply(field, v, u, d);
  subtractModulo(field, u, u, unitOf(field));
  addModulo(field, v, v, unitOf(field));
  multiply(field, t, v, v);
  multiply(field, t, t, v);
  multiply(field, x, u, t);
  multiply(field, t, t, t);
  multiply(field, t, t, v);
  multiply(field, t, t, u);
  power(field, t, t, ROOT_EXPONENT, N);
  multiply(field, x, x, t);
  multiply(field, t, x, x);
  multiply(field, t, t, v);
  if (!equalNumbers(field, t, u)) {
    addModulo(field, t, t, u);
    if (!isZero(field, t)) return 0;
    multiply(field, x, x, rootOfMinusOne);
  }
  if (isOdd(x) != sign) negate(x);
  memory.copy(point, x, N);
  multiply(field, point + 3 * N, x, y);
  return point;
}

function isOdd(number: u32): u32 {
  const plain = newNumber(field);
  fromMontgomery(field, plain, number);
  return load<u8>(plain) & 1;
}

function negate(number: u32): void {
  subtractModulo(field, number, newNumber(field), number);
}

/** The 32 bytes of a point (section 5.1.2). */
function encode(point: u32): u32 {
  const inverted = newNumber(field);
  power(field, inverted, point + 2 * N, INVERSE_EXPONENT, N);
  const x = newNumber(field);
  const y = newNumber(field);
  multiply(field, x, point, inverted);
  multiply(field, y, point + N, inverted);
  fromMontgomery(field, y, y);
  const bytes = alloc(N);
  writeNumber(field, y, bytes, N);
  const out = turned(bytes);
  store<u8>(out, load<u8>(out, 31) | (isOdd(x) << 7), 31);
  return out;
}

function bitOf(number: u32, bit: u32): u32 {
  return (load<u32>(number + ((bit >> 5) << 2)) >> (bit & 31)) & 1;
}

/** a * base + b * point; `point` may be 0 with b. */
function combine(a: u32, b: u32, point: u32): u32 {
  const both = newPoint();
  if (point != 0) add(both, base, point);
  const sum = newPoint();
  for (let bit: u32 = 256; bit > 0; bit--) {
    add(sum, sum, sum);
    const choice = bitOf(a, bit - 1) | (point == 0 ? 0 : bitOf(b, bit - 1) << 1);
    if (choice == 1) add(sum, sum, base);
    else if (choice == 2) add(sum, sum, point);
    else if (choice == 3) add(sum, sum, both);
  }
  return sum;
}

/** A digest of 64 bytes, little-endian, modulo the order. */
function wide(bytes: u32): u32 {
  const high = readNumber(order, turned(bytes + N), N);
  const low = readNumber(order, turned(bytes), N);
  // high * 2^256 is what Montgomery's form of `high` is; the low half only has to be reduced.
  toMontgomery(order, high, high);
  toMontgomery(order, low, low);
  fromMontgomery(order, low, low);
  addModulo(order, high, high, low);
  return high;
}

/** SHA-512 of two or three parts after another, modulo the order. */
function challenge(a: u32, b: u32, message: u32, length: u32): u32 {
  const heads: u32 = b == 0 ? N : 2 * N;
  const joined = alloc(heads + length);
  memory.copy(joined, a, N);
  if (b != 0) memory.copy(joined + N, b, N);
  memory.copy(joined + heads, message, length);
  const hashed = alloc(64);
  digest(Hash.Sha512, joined, heads + length, hashed);
  return wide(hashed);
}

/** Whether 64 bytes are the signature of a message by a public key of 32 bytes (section 5.1.7). */
export function verifyEd25519(
  key: u32,
  message: u32,
  length: u32,
  signature: u32,
  signatureLength: u32,
): bool {
  if (signatureLength != 2 * N) return false;
  const kept = mark();
  open();
  const point = decode(key);
  const s = readNumber(order, turned(signature + N), N);
  let valid = point != 0 && isReduced(order, s);
  if (valid) {
    negate(point);
    negate(point + 3 * N);
    const k = challenge(signature, key, message, length);
    valid = equalBytes(encode(combine(s, k, point)), N, signature, N);
  }
  release(kept);
  return valid;
}

/** The public key of a seed: SHA-512's first half, pruned (section 5.1.5), times the base point. */
export function publicKeyOf(seed: u32): u32 {
  open();
  return encode(combine(secretOf(seed), 0, 0));
}

/** The secret scalar of a seed; `prefix` follows from the same digest. */
let prefix: u32 = 0;
function secretOf(seed: u32): u32 {
  const hashed = alloc(64);
  digest(Hash.Sha512, seed, N, hashed);
  store<u8>(hashed, load<u8>(hashed) & 0xf8);
  store<u8>(hashed, (load<u8>(hashed, 31) & 0x7f) | 0x40, 31);
  prefix = hashed + N;
  return readNumber(order, turned(hashed), N);
}

/** Signs a message with a seed of 32 bytes (section 5.1.6): 64 bytes. Not constant-time, see modulus.ts. */
export function signEd25519(seed: u32, message: u32, length: u32): u32 {
  open();
  const secret = secretOf(seed);
  const key = encode(combine(secret, 0, 0));
  const nonce = challenge(prefix, 0, message, length);
  const out = alloc(2 * N);
  memory.copy(out, encode(combine(nonce, 0, 0)), N);
  const k = challenge(out, key, message, length);
  const product = newNumber(order);
  toMontgomery(order, product, secret);
  multiply(order, product, product, k);
  addModulo(order, product, product, nonce);
  const bytes = alloc(N);
  writeNumber(order, product, bytes, N);
  memory.copy(out + N, turned(bytes), N);
  return out;
}
