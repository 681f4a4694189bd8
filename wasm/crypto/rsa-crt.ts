// RSA's private operation modulo each of the two primes (RFC 8017 section 5.1.2), a third of the work of doing
// it modulo their product.

import { alloc } from '../common/arena';
import { primeLength, primeOf, privateLength, privateOf } from './key';
import {
  addModulo,
  doubleAndAdd,
  fromMontgomery,
  limbsOf,
  multiply,
  newModulus,
  newNumber,
  numberOf,
  power,
  readNumber,
  subtractModulo,
  toMontgomery,
  writeNumber,
} from './modulus';

/** Bytes of a number of the modulus' limbs. */
function sizeOf(modulus: u32): u32 {
  return limbsOf(modulus) << 2;
}

/** Big-endian bytes modulo a prime less so much, a number of the prime's limbs. */
function remainder(prime: u32, less: u32, bytes: u32, length: u32): u32 {
  const limit = newNumber(prime);
  memory.copy(limit, numberOf(prime), sizeOf(prime));
  store<u32>(limit, load<u32>(limit) - less);
  const rest = newNumber(prime);
  for (let i: u32 = 0; i < length << 3; i++) {
    const byte = <u32>load<u8>(bytes + (i >> 3));
    doubleAndAdd(rest, (byte >> (7 - (i & 7))) & 1, limit, limbsOf(prime));
  }
  return rest;
}

function bytesOf(modulus: u32, number: u32): u32 {
  const out = alloc(sizeOf(modulus));
  writeNumber(modulus, number, out, sizeOf(modulus));
  return out;
}

/** The bytes raised to the private exponent modulo a prime, in Montgomery's form. */
function raised(prime: u32, key: u32, bytes: u32, length: u32): u32 {
  const number = remainder(prime, 0, bytes, length);
  toMontgomery(prime, number, number);
  const exponent = remainder(prime, 1, privateOf(key), privateLength(key));
  power(prime, number, number, bytesOf(prime, exponent), sizeOf(prime));
  return number;
}

/** 1/q modulo p (Fermat's), in Montgomery's form. */
function inverse(p: u32, q: u32, length: u32): u32 {
  const number = remainder(p, 0, q, length);
  toMontgomery(p, number, number);
  const two = newNumber(p);
  store<u32>(two, 2);
  const exponent = newNumber(p);
  subtractModulo(p, exponent, newNumber(p), two);
  power(p, number, number, bytesOf(p, exponent), sizeOf(p));
  return number;
}

/** The bytes raised to the private exponent, a number of the modulus; 0 when the primes are none. */
export function raiseWithPrimes(modulus: u32, key: u32, bytes: u32, length: u32): u32 {
  const p = newModulus(primeOf(key, 0), primeLength(key, 0));
  const q = newModulus(primeOf(key, 1), primeLength(key, 1));
  if (p == 0 || q == 0) return 0;
  const one = raised(p, key, bytes, length);
  const two = raised(q, key, bytes, length);
  fromMontgomery(q, two, two);
  const small = bytesOf(q, two);
  const twoModulo = remainder(p, 0, small, sizeOf(q));
  toMontgomery(p, twoModulo, twoModulo);
  subtractModulo(p, one, one, twoModulo);
  multiply(p, one, one, inverse(p, primeOf(key, 1), primeLength(key, 1)));
  fromMontgomery(p, one, one);
  // two + q * (one - two) / q modulo p
  const result = readNumber(modulus, bytesOf(p, one), sizeOf(p));
  const factor = readNumber(modulus, primeOf(key, 1), primeLength(key, 1));
  const rest = readNumber(modulus, small, sizeOf(q));
  if (result == 0 || factor == 0 || rest == 0) return 0;
  toMontgomery(modulus, result, result);
  multiply(modulus, result, result, factor);
  addModulo(modulus, result, result, rest);
  return result;
}
