// A key as it was read from a certificate, PEM or JWK: its kind and where its numbers are.

import { alloc } from '../common/arena';

export const enum KeyKind {
  Rsa = 1,
  Ec,
  Ed25519,
  /** A shared secret. */
  Secret,
  /** Of an algorithm that nothing here computes with. */
  Other,
}

const KIND: u32 = 0;
const CURVE: u32 = 4;
const FIRST: u32 = 8;
const SECOND: u32 = 16;
const PRIVATE: u32 = 24;
const PRIMES: u32 = 32;
const KEY_BYTES: u32 = 48;

/** A key without numbers. */
export function newKey(kind: KeyKind): u32 {
  const key = alloc(KEY_BYTES);
  memory.fill(key, 0, KEY_BYTES);
  store<u32>(key, kind, KIND);
  return key;
}

export function kindOfKey(key: u32): KeyKind {
  return load<u32>(key, KIND);
}

/** The number of an elliptic curve (curve.ts), for an EC key. */
export function curveOf(key: u32): u32 {
  return load<u32>(key, CURVE);
}

export function setCurve(key: u32, curve: u32): void {
  store<u32>(key, curve, CURVE);
}

/** Sets RSA's modulus, a point's x, Ed25519's public key or a secret. */
export function setFirst(key: u32, pointer: u32, length: u32): void {
  store<u32>(key, pointer, FIRST);
  store<u32>(key, length, FIRST + 4);
}

/** Sets RSA's public exponent or a point's y. */
export function setSecond(key: u32, pointer: u32, length: u32): void {
  store<u32>(key, pointer, SECOND);
  store<u32>(key, length, SECOND + 4);
}

/** Sets RSA's or EC's private number or Ed25519's seed. */
export function setPrivate(key: u32, pointer: u32, length: u32): void {
  store<u32>(key, pointer, PRIVATE);
  store<u32>(key, length, PRIVATE + 4);
}

export function first(key: u32): u32 {
  return load<u32>(key, FIRST);
}

export function firstLength(key: u32): u32 {
  return load<u32>(key, FIRST + 4);
}

export function second(key: u32): u32 {
  return load<u32>(key, SECOND);
}

export function secondLength(key: u32): u32 {
  return load<u32>(key, SECOND + 4);
}

/** Where the private number is, 0 for a public key. */
export function privateOf(key: u32): u32 {
  return load<u32>(key, PRIVATE);
}

export function privateLength(key: u32): u32 {
  return load<u32>(key, PRIVATE + 4);
}

/** Sets one of the two primes of an RSA modulus. */
export function setPrime(key: u32, index: u32, pointer: u32, length: u32): void {
  store<u32>(key + (index << 3), pointer, PRIMES);
  store<u32>(key + (index << 3), length, PRIMES + 4);
}

/** Where a prime of the modulus is, 0 when it is not known. */
export function primeOf(key: u32, index: u32): u32 {
  return load<u32>(key + (index << 3), PRIMES);
}

export function primeLength(key: u32, index: u32): u32 {
  return load<u32>(key + (index << 3), PRIMES + 4);
}
