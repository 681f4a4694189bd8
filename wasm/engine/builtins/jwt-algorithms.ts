// The algorithms of JSON Web Signatures (RFC 7518 section 3.1, RFC 8037), and verifying with them.

import { alloc } from '../../common/arena';
import { coordinateBytes } from '../../crypto/curve-parameters';
import { verifyEcdsa } from '../../crypto/ecdsa';
import { verifyEd25519 } from '../../crypto/ed25519';
import { DIGEST_MAX, digest, digestBytes, equalBytes, Hash, hmac } from '../../crypto/hash';
import {
  curveOf,
  first,
  firstLength,
  KeyKind,
  kindOfKey,
  privateOf,
  second,
  secondLength,
} from '../../crypto/key';
import { SALT_ANY, verifyPkcs1, verifyPss } from '../../crypto/rsa';
import { lengthOf, textOf } from '../value';
import { isAscii } from './encoding-base64';

/** A family of algorithms; with a hash it is an algorithm, `family | hash`. */
export const enum Family {
  Hmac = 0x10,
  Pkcs1 = 0x20,
  Pss = 0x30,
  Ecdsa = 0x40,
  EdDsa = 0x50,
}

/** The algorithm of a name, 0 for others. */
export function algorithmOf(name: u32): u32 {
  if (isAscii(name, 'EdDSA')) return Family.EdDsa;
  if (lengthOf(name) != 5) return 0;
  const text = textOf(name);
  let family: u32 = 0;
  const letters = load<u16>(text);
  if (letters == 0x5348) family = Family.Hmac;
  else if (letters == 0x5352) family = Family.Pkcs1;
  else if (letters == 0x5350) family = Family.Pss;
  else if (letters == 0x5345) family = Family.Ecdsa;
  else return 0;
  const size = load<u16>(text, 2) | ((<u32>load<u8>(text, 4)) << 16);
  if (size == 0x363532) return family | Hash.Sha256;
  if (size == 0x343833) return family | Hash.Sha384;
  return size == 0x323135 ? family | Hash.Sha512 : 0;
}

/** Whether a name is that of a registered algorithm with which nothing is verified here. */
export function isOtherAlgorithm(name: u32): bool {
  return (
    isAscii(name, 'none') ||
    isAscii(name, 'ES256K') ||
    isAscii(name, 'Ed25519') ||
    isAscii(name, 'dir') ||
    isAscii(name, 'RSA1_5') ||
    isAscii(name, 'RSA-OAEP') ||
    isAscii(name, 'RSA-OAEP-256') ||
    isAscii(name, 'RSA-OAEP-384') ||
    isAscii(name, 'RSA-OAEP-512') ||
    isAscii(name, 'ECDH-ES') ||
    isAscii(name, 'ECDH-ES+A128KW') ||
    isAscii(name, 'ECDH-ES+A192KW') ||
    isAscii(name, 'ECDH-ES+A256KW') ||
    isAscii(name, 'A128KW') ||
    isAscii(name, 'A192KW') ||
    isAscii(name, 'A256KW') ||
    isAscii(name, 'A128GCMKW') ||
    isAscii(name, 'A192GCMKW') ||
    isAscii(name, 'A256GCMKW') ||
    isAscii(name, 'A128GCM') ||
    isAscii(name, 'A192GCM') ||
    isAscii(name, 'A256GCM') ||
    isAscii(name, 'A128CBC-HS256') ||
    isAscii(name, 'A192CBC-HS384') ||
    isAscii(name, 'A256CBC-HS512') ||
    isAscii(name, 'PBES2-HS256+A128KW') ||
    isAscii(name, 'PBES2-HS384+A192KW') ||
    isAscii(name, 'PBES2-HS512+A256KW')
  );
}

/** The digest of a signed text under an algorithm's hash. */
export function digestOfText(algorithm: u32, text: u32, length: u32): u32 {
  const out = alloc(DIGEST_MAX);
  digest(algorithm & 15, text, length, out);
  return out;
}

/** Whether a secret makes this code of a text. */
export function verifySecret(
  algorithm: u32,
  secret: u32,
  secretLength: u32,
  text: u32,
  length: u32,
  code: u32,
  codeLength: u32,
): bool {
  const hash = <Hash>(algorithm & 15);
  const out = alloc(DIGEST_MAX);
  hmac(hash, secret, secretLength, text, length, out);
  return equalBytes(out, digestBytes(hash), code, codeLength);
}

/**
 * Whether a key made the signature of a text. With `exact`, as io.jwt.decode_verify wants it: a point's
 * halves have their curve's size, PSS's salt has its digest's; without, as io.jwt.verify_* take them: any
 * halves and any salt, but neither a private key nor a secret.
 */
export function verifyText(
  algorithm: u32,
  key: u32,
  text: u32,
  length: u32,
  signature: u32,
  signatureLength: u32,
  exact: bool,
): bool {
  const family = algorithm & 0xf0;
  const hash = <Hash>(algorithm & 15);
  const kind = kindOfKey(key);
  if (!exact && privateOf(key) != 0) return false;
  if (family == Family.EdDsa) {
    return (
      kind == KeyKind.Ed25519 && verifyEd25519(first(key), text, length, signature, signatureLength)
    );
  }
  if (family == Family.Hmac) {
    if (kind != KeyKind.Secret || !exact) return false;
    return verifySecret(
      algorithm,
      first(key),
      firstLength(key),
      text,
      length,
      signature,
      signatureLength,
    );
  }
  const hashed = digestOfText(algorithm, text, length);
  if (family == Family.Ecdsa) {
    return kind == KeyKind.Ec && verifyHalves(key, hash, hashed, signature, signatureLength, exact);
  }
  if (kind != KeyKind.Rsa) return false;
  if (family == Family.Pkcs1) return verifyPkcs1(key, hash, hashed, signature, signatureLength);
  const salt = exact ? <i32>digestBytes(hash) : SALT_ANY;
  return verifyPss(key, hash, hashed, signature, signatureLength, salt);
}

/** Whether the two halves of a signature are ECDSA's r and s. */
function verifyHalves(
  key: u32,
  hash: Hash,
  hashed: u32,
  signature: u32,
  length: u32,
  exact: bool,
): bool {
  if (exact && length != 2 * coordinateBytes(curveOf(key))) return false;
  const half = length >> 1;
  return verifyEcdsa(
    curveOf(key),
    first(key),
    firstLength(key),
    second(key),
    secondLength(key),
    hashed,
    digestBytes(hash),
    signature,
    half,
    signature + half,
    length - half,
  );
}
