// Whether the numbers of an RSA private key belong together, as Go demands of a key that it reads.

import { alloc, mark, release } from '../common/arena';
import { first, firstLength, privateLength, privateOf, second, secondLength } from './key';
import {
  doubleAndAdd,
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
  toMontgomery,
} from './modulus';

function pointer(factors: u32, index: u32): u32 {
  return load<u32>(factors + (index << 3));
}

function length(factors: u32, index: u32): u32 {
  return load<u32>(factors + (index << 3), 4);
}

/**
 * Whether p * q is the modulus, the private exponent is dp and dq modulo p - 1 and q - 1, these undo the
 * public one, and qinv is 1/q modulo p. `factors` is five pairs of pointer and length: p, q, dp, dq and qinv,
 * all big-endian bytes.
 */
export function isRsaPair(key: u32, factors: u32): bool {
  const point = mark();
  const modulus = newModulus(first(key), firstLength(key));
  const p = newModulus(pointer(factors, 0), length(factors, 0));
  const q = newModulus(pointer(factors, 1), length(factors, 1));
  const fits = modulus != 0 && p != 0 && q != 0;
  const valid =
    fits &&
    isProduct(modulus, factors) &&
    isExponent(p, key, pointer(factors, 2), length(factors, 2)) &&
    isExponent(q, key, pointer(factors, 3), length(factors, 3)) &&
    isInverse(p, factors);
  release(point);
  return valid;
}

/** Whether bytes are the private exponent modulo a prime less 1, and undo the public exponent. */
function isExponent(prime: u32, key: u32, d: u32, dLength: u32): bool {
  const number = readNumber(prime, d, dLength);
  if (number == 0) return false;
  const less = newNumber(prime);
  memory.copy(less, numberOf(prime), limbsOf(prime) << 2);
  store<u32>(less, load<u32>(less) - 1);
  const remainder = newNumber(prime);
  for (let i: u32 = 0; i < privateLength(key) << 3; i++) {
    const byte = <u32>load<u8>(privateOf(key) + (i >> 3));
    doubleAndAdd(remainder, (byte >> (7 - (i & 7))) & 1, less, limbsOf(prime));
  }
  return (
    equalNumbers(prime, number, remainder) &&
    undoes(prime, second(key), secondLength(key), d, dLength)
  );
}

/** Whether p * q is the modulus. */
function isProduct(modulus: u32, factors: u32): bool {
  const p = readNumber(modulus, pointer(factors, 0), length(factors, 0));
  const q = readNumber(modulus, pointer(factors, 1), length(factors, 1));
  if (p == 0 || q == 0) return false;
  const bytes = limbsOf(modulus) << 2;
  const product = alloc(bytes << 1);
  memory.fill(product, 0, bytes << 1);
  for (let i: u32 = 0; i < bytes; i += 4) {
    let carry: u64 = 0;
    for (let j: u32 = 0; j < bytes; j += 4) {
      const at = product + i + j;
      carry += <u64>load<u32>(p + i) * <u64>load<u32>(q + j) + <u64>load<u32>(at);
      store<u32>(at, <u32>carry);
      carry >>= 32;
    }
    store<u32>(product + i + bytes, <u32>carry);
  }
  return equalNumbers(modulus, product, numberOf(modulus)) && isZero(modulus, product + bytes);
}

/** Whether 2 ^ e ^ d is 2 modulo a prime. */
function undoes(prime: u32, e: u32, eLength: u32, d: u32, dLength: u32): bool {
  const two = newNumber(prime);
  store<u32>(two, 2);
  toMontgomery(prime, two, two);
  const raised = newNumber(prime);
  power(prime, raised, two, e, eLength);
  power(prime, raised, raised, d, dLength);
  return equalNumbers(prime, raised, two);
}

/** Whether q * qinv is 1 modulo p. */
function isInverse(p: u32, factors: u32): bool {
  const q = reduced(p, pointer(factors, 1), length(factors, 1));
  const inverse = readNumber(p, pointer(factors, 4), length(factors, 4));
  if (q == 0 || inverse == 0 || !isReduced(p, inverse)) return false;
  multiply(p, q, q, inverse);
  const one = newNumber(p);
  store<u32>(one, 1);
  return equalNumbers(p, q, one);
}

/** A number modulo another of about its size, in Montgomery's form; 0 when it is much longer. */
function reduced(modulus: u32, bytes: u32, size: u32): u32 {
  const number = readNumber(modulus, bytes, size);
  if (number == 0) return 0;
  toMontgomery(modulus, number, number);
  return number;
}
