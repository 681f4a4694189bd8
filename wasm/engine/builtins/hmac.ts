// crypto.hmac.*: message authentication codes in hexadecimal.

import { alloc } from '../../common/arena';
import { DIGEST_MAX, digestBytes, equalBytes, Hash, hmac } from '../../crypto/hash';
import { Failure, failed } from '../failure';
import { boolean, lengthOf, textOf } from '../value';
import { encodeHex, isText } from './encoding-base64';

function codeOf(hash: Hash, message: u32, key: u32): u32 {
  if (!isText(message) || !isText(key)) return failed(Failure.Type);
  const out = alloc(DIGEST_MAX);
  hmac(hash, textOf(key), lengthOf(key), textOf(message), lengthOf(message), out);
  return encodeHex(out, digestBytes(hash));
}

export function b_crypto_hmac_md5(message: u32, key: u32): u32 {
  return codeOf(Hash.Md5, message, key);
}

export function b_crypto_hmac_sha1(message: u32, key: u32): u32 {
  return codeOf(Hash.Sha1, message, key);
}

export function b_crypto_hmac_sha256(message: u32, key: u32): u32 {
  return codeOf(Hash.Sha256, message, key);
}

export function b_crypto_hmac_sha512(message: u32, key: u32): u32 {
  return codeOf(Hash.Sha512, message, key);
}

/** Compares in a time that depends on the lengths alone. */
export function b_crypto_hmac_equal(first: u32, second: u32): u32 {
  if (!isText(first) || !isText(second)) return failed(Failure.Type);
  return boolean(equalBytes(textOf(first), lengthOf(first), textOf(second), lengthOf(second)));
}
