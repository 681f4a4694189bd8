// RSA signatures: PKCS #1 v1.5 and PSS (RFC 8017), with the refusals of Go's crypto/rsa.

import { alloc, mark, release } from '../common/arena';
import { blockBytes, DIGEST_MAX, digest, digestBytes, equalBytes, Hash } from './hash';
import { first, firstLength, primeOf, privateOf, second, secondLength } from './key';
import {
  bitLength,
  fromMontgomery,
  isReduced,
  newModulus,
  newNumber,
  power,
  readNumber,
  toMontgomery,
  writeNumber,
} from './modulus';
import { raiseWithPrimes } from './rsa-crt';

/** The fewest bits of a modulus that is trusted (Go's minimum). */
const BITS_MIN: u32 = 1024;
/** PSS with whatever salt the signature has. */
export const SALT_ANY: i32 = -1;

// DER of each hash's AlgorithmIdentifier and the head of its OCTET STRING (RFC 8017 section 9.2, note 1).
const SHA1_PREFIX: u32 = <u32>(
  memory.data<u8>([0x30, 0x21, 0x30, 9, 6, 5, 0x2b, 14, 3, 2, 0x1a, 5, 0, 4, 20])
);
// The other hashes differ in three bytes: the whole length, the hash's number and the digest's length.
const SHA2_PREFIX: u32 = <u32>(
  memory.data<u8>([0x30, 0, 0x30, 13, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 0, 5, 0, 4, 0])
);

/** The modulus of an RSA key, or 0 when Go would not use the key, or its modulus is too long (modulus.ts). */
function usable(key: u32): u32 {
  if (!isExponent(second(key), secondLength(key))) return 0;
  const modulus = newModulus(first(key), firstLength(key));
  return modulus != 0 && bitLength(modulus) >= BITS_MIN ? modulus : 0;
}

/** Whether Go would use this public exponent: odd, above 1 and below 2^31. */
function isExponent(e: u32, eLength: u32): bool {
  let value: u64 = 0;
  for (let i: u32 = 0; i < eLength; i++) {
    value = (value << 8) | load<u8>(e + i);
    if (value >= 0x80000000) return false;
  }
  return value > 1 && (value & 1) == 1;
}

/** bytes ^ exponent, as long as the modulus; 0 when the bytes are not below the modulus. */
function raise(modulus: u32, bytes: u32, length: u32, exponent: u32, exponentLength: u32): u32 {
  const number = readNumber(modulus, bytes, length);
  if (number == 0 || !isReduced(modulus, number)) return 0;
  toMontgomery(modulus, number, number);
  const result = newNumber(modulus);
  power(modulus, result, number, exponent, exponentLength);
  fromMontgomery(modulus, result, result);
  const size = (bitLength(modulus) + 7) >> 3;
  const out = alloc(size);
  writeNumber(modulus, result, out, size);
  return out;
}

/** EMSA-PKCS1-v1_5 (section 9.2) of a digest, so many bytes; 0 when they are too few. */
function encodePkcs1(hash: Hash, hashed: u32, size: u32): u32 {
  const digestLength = digestBytes(hash);
  const prefixLength: u32 = hash == Hash.Sha1 ? 15 : 19;
  if (size < prefixLength + digestLength + 11) return 0;
  const out = alloc(size);
  const prefix = out + size - digestLength - prefixLength;
  memory.fill(out, 0xff, size);
  store<u8>(out, 0);
  store<u8>(out, 1, 1);
  store<u8>(prefix - 1, 0);
  memory.copy(prefix, hash == Hash.Sha1 ? SHA1_PREFIX : SHA2_PREFIX, prefixLength);
  if (hash != Hash.Sha1) {
    store<u8>(prefix, 17 + digestLength, 1);
    store<u8>(prefix, hash == Hash.Sha256 ? 1 : hash == Hash.Sha384 ? 2 : 3, 14);
    store<u8>(prefix, digestLength, 18);
  }
  memory.copy(prefix + prefixLength, hashed, digestLength);
  return out;
}

/**
 * Whether the signature is RSASSA-PKCS1-v1_5's of a digest (section 8.2.2), exactly as long as the modulus.
 */
export function verifyPkcs1(key: u32, hash: Hash, hashed: u32, signature: u32, length: u32): bool {
  const point = mark();
  const modulus = usable(key);
  let valid = false;
  if (modulus != 0) {
    const size = (bitLength(modulus) + 7) >> 3;
    const have =
      length == size ? raise(modulus, signature, length, second(key), secondLength(key)) : 0;
    const want = encodePkcs1(hash, hashed, size);
    valid = have != 0 && want != 0 && equalBytes(have, size, want, size);
  }
  release(point);
  return valid;
}

/** Whether the signature is RSASSA-PSS's of a digest (section 8.1.2); `salt` bytes of salt, or `SALT_ANY`. */
export function verifyPss(
  key: u32,
  hash: Hash,
  hashed: u32,
  signature: u32,
  length: u32,
  salt: i32,
): bool {
  const point = mark();
  const modulus = usable(key);
  let valid = false;
  if (modulus != 0) {
    const size = (bitLength(modulus) + 7) >> 3;
    const encoded =
      length == size ? raise(modulus, signature, length, second(key), secondLength(key)) : 0;
    valid = encoded != 0 && checkPss(hash, hashed, encoded, size, bitLength(modulus) - 1, salt);
  }
  release(point);
  return valid;
}

/** EMSA-PSS-VERIFY (section 9.1.2) of `size` bytes that hold `bits` bits. */
function checkPss(hash: Hash, hashed: u32, encoded: u32, size: u32, bits: u32, salt: i32): bool {
  let db = encoded;
  let length = (bits + 7) >> 3;
  if (length < size) {
    if (load<u8>(db) != 0) return false;
    db++;
  }
  const digestLength = digestBytes(hash);
  if (<i32>length < <i32>digestLength + max<i32>(salt, 0) + 2) return false;
  if (load<u8>(db + length - 1) != 0xbc) return false;
  length -= digestLength + 1;
  const mask: u32 = 0xff >> (((length + digestLength + 1) << 3) - bits);
  if ((load<u8>(db) & ~mask) != 0) return false;
  const seal = db + length;
  unmask(hash, seal, db, length);
  store<u8>(db, load<u8>(db) & mask);
  let padding: u32 = 0;
  while (padding < length && load<u8>(db + padding) == 0) padding++;
  if (padding == length || load<u8>(db + padding) != 1) return false;
  const saltLength = length - padding - 1;
  if (salt >= 0 && saltLength != <u32>salt) return false;
  const message = alloc(8 + digestLength + saltLength);
  store<u64>(message, 0);
  memory.copy(message + 8, hashed, digestLength);
  memory.copy(message + 8 + digestLength, db + padding + 1, saltLength);
  const expected = alloc(digestLength);
  digest(hash, message, 8 + digestLength + saltLength, expected);
  return equalBytes(expected, digestLength, seal, digestLength);
}

/** Takes MGF1's mask (appendix B.2.1) of the seed off the bytes. */
function unmask(hash: Hash, seed: u32, bytes: u32, length: u32): void {
  const digestLength = digestBytes(hash);
  const message = alloc(blockBytes(hash));
  const mask = alloc(DIGEST_MAX);
  memory.copy(message, seed, digestLength);
  let counter: u32 = 0;
  for (let done: u32 = 0; done < length; done += digestLength) {
    store<u32>(message + digestLength, bswap(counter++));
    digest(hash, message, digestLength + 4, mask);
    for (let i: u32 = 0; i < digestLength && done + i < length; i++) {
      store<u8>(bytes + done + i, load<u8>(bytes + done + i) ^ load<u8>(mask + i));
    }
  }
}

/**
 * Signs a digest with RSASSA-PKCS1-v1_5 (section 8.2.1): `signatureBytes` of the key, or 0 when it cannot.
 * Not constant-time, see modulus.ts; the signature is verified before it is given out.
 */
export function signPkcs1(key: u32, hash: Hash, hashed: u32): u32 {
  const modulus = usable(key);
  if (modulus == 0 || privateOf(key) == 0 || primeOf(key, 0) == 0) return 0;
  const size = (bitLength(modulus) + 7) >> 3;
  const encoded = encodePkcs1(hash, hashed, size);
  if (encoded == 0) return 0;
  const number = raiseWithPrimes(modulus, key, encoded, size);
  if (number == 0) return 0;
  const signature = alloc(size);
  writeNumber(modulus, number, signature, size);
  return verifyPkcs1(key, hash, hashed, signature, size) ? signature : 0;
}

/** Bytes of a signature with an RSA key. */
export function signatureBytes(key: u32): u32 {
  let leading: u32 = 0;
  while (leading < firstLength(key) && load<u8>(first(key) + leading) == 0) leading++;
  return firstLength(key) - leading;
}
