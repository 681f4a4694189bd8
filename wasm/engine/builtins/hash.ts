// crypto.md5, crypto.sha1 and crypto.sha256: digests in hexadecimal.

import { alloc } from '../../common/arena';
import { DIGEST_MAX, digest, digestBytes, Hash } from '../../crypto/hash';
import { Failure, failed } from '../failure';
import { lengthOf, textOf } from '../value';
import { encodeHex, isText } from './encoding-base64';

function digestOf(hash: Hash, text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  const out = alloc(DIGEST_MAX);
  digest(hash, textOf(text), lengthOf(text), out);
  return encodeHex(out, digestBytes(hash));
}

export function b_crypto_md5(text: u32): u32 {
  return digestOf(Hash.Md5, text);
}

export function b_crypto_sha1(text: u32): u32 {
  return digestOf(Hash.Sha1, text);
}

export function b_crypto_sha256(text: u32): u32 {
  return digestOf(Hash.Sha256, text);
}
