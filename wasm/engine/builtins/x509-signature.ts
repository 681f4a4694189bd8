// The algorithms with which certificates are signed: Go's numbers of them, and whether a signature is right.

import { alloc } from '../../common/arena';
import {
  atEnd,
  content,
  contentLength,
  element,
  elementLength,
  enter,
  fits64,
  isBytes,
  isContent,
  isNegative,
  openDer,
  present,
  read,
  readAny,
  readInteger,
  readOid,
  readOptional,
  Tag,
  toInteger,
} from '../../crypto/der';
import { verifyEcdsa } from '../../crypto/ecdsa';
import { verifyEd25519 } from '../../crypto/ed25519';
import { DIGEST_MAX, digest, digestBytes, Hash } from '../../crypto/hash';
import {
  curveOf,
  first,
  firstLength,
  KeyKind,
  kindOfKey,
  second,
  secondLength,
} from '../../crypto/key';
import { verifyPkcs1, verifyPss } from '../../crypto/rsa';

/** Go's numbers of signature algorithms that more than their number matters of. */
export const enum Signed {
  Unknown = 0,
  Sha256Rsa = 4,
  Sha512Rsa = 6,
  Sha256Ecdsa = 10,
  Sha512Ecdsa = 12,
  Sha256Pss = 13,
  Sha512Pss = 15,
  Ed25519 = 16,
}

const RSA = '2a864886f70d0101';

/** Go's number of the AlgorithmIdentifier of this content, 0 for an unknown one, -1 for a broken one. */
export function signatureAlgorithm(pointer: u32, length: u32): i32 {
  const cursor = openDer(pointer, length);
  if (!readOid(cursor)) return -1;
  const known = numberOfContent();
  const pss = isContent('2a864886f70d01010a');
  if (atEnd(cursor)) return known;
  if (!readAny(cursor)) return -1;
  // Ed25519 has no parameters; those of other algorithms do not matter, PSS's are all there is to know.
  if (known == Signed.Ed25519) return Signed.Unknown;
  return pss ? pssAlgorithm(openDer(element, elementLength)) : known;
}

function numberOfContent(): i32 {
  if (contentLength == 9 && isBytes(content, 8, RSA)) {
    const last = <i32>load<u8>(content, 8);
    if (last == 4) return 2;
    if (last == 5) return 3;
    return last >= 11 && last <= 13 ? last - 7 : 0;
  }
  if (isContent('2a8648ce3d0401')) return 9;
  if (isContent('2a8648ce3d040302')) return 10;
  if (isContent('2a8648ce3d040303')) return 11;
  if (isContent('2a8648ce3d040304')) return 12;
  if (isContent('2b6570')) return Signed.Ed25519;
  if (isContent('2b0e03021d')) return 3;
  if (isContent('2a8648ce380403')) return 7;
  return isContent('608648016503040302') ? 8 : 0;
}

/** The salt's length that goes with the content's hash: its digest's; 0 for other hashes. */
function saltOfContent(): u32 {
  if (isContent('608648016503040201')) return 32;
  if (isContent('608648016503040202')) return 48;
  return isContent('608648016503040203') ? 64 : 0;
}

/** Reads a hash's AlgorithmIdentifier, whose parameters are NULL or absent; its digest's length, 0 for others. */
function hashIn(cursor: u32): u32 {
  if (!read(cursor, Tag.Sequence)) return 0;
  const inner = enter();
  if (!readOid(inner)) return 0;
  const salt = saltOfContent();
  if (atEnd(inner)) return salt;
  return readAny(inner) && isBytes(element, elementLength, '0500') ? salt : 0;
}

/** RSASSA-PSS-params (RFC 8017 appendix A.2.3) with one hash throughout, its salt and the usual trailer. */
function pssAlgorithm(outer: u32): i32 {
  if (!read(outer, Tag.Sequence)) return 0;
  const cursor = enter();
  if (!read(cursor, Tag.ContextConstructed)) return 0;
  const hash = hashIn(enter());
  if (hash == 0 || !read(cursor, Tag.ContextConstructed + 1)) return 0;
  const mask = enter();
  if (!read(mask, Tag.Sequence)) return 0;
  const inner = enter();
  if (!readOid(inner) || !isContent('2a864886f70d010108') || hashIn(inner) != hash) return 0;
  if (!read(cursor, Tag.ContextConstructed + 2)) return 0;
  const salt = enter();
  if (!readInteger(salt) || toInteger() != hash || !fits64) return 0;
  if (!readOptional(cursor, Tag.ContextConstructed + 3)) return 0;
  if (present) {
    const trailer = enter();
    if (!readInteger(trailer) || toInteger() != 1) return 0;
  }
  return hash == 32 ? Signed.Sha256Pss : hash == 48 ? Signed.Sha256Pss + 1 : Signed.Sha512Pss;
}

/** Whether the key made the signature of the bytes; Go trusts neither MD5 nor SHA-1 here. */
export function isSigned(
  algorithm: u32,
  key: u32,
  bytes: u32,
  length: u32,
  signature: u32,
  signatureLength: u32,
): bool {
  if (key == 0) return false;
  const kind = kindOfKey(key);
  if (algorithm == Signed.Ed25519) {
    return (
      kind == KeyKind.Ed25519 &&
      verifyEd25519(first(key), bytes, length, signature, signatureLength)
    );
  }
  let base: u32 = Signed.Sha256Rsa;
  if (algorithm >= <u32>Signed.Sha256Ecdsa) base = Signed.Sha256Ecdsa;
  if (algorithm >= <u32>Signed.Sha256Pss) base = Signed.Sha256Pss;
  if (algorithm < base || algorithm > base + 2) return false;
  const hash = <Hash>(Hash.Sha256 + (algorithm - base));
  const hashed = alloc(DIGEST_MAX);
  digest(hash, bytes, length, hashed);
  if (base == <u32>Signed.Sha256Ecdsa) {
    return kind == KeyKind.Ec && isEcdsa(key, hash, hashed, signature, signatureLength);
  }
  if (kind != KeyKind.Rsa) return false;
  if (base == <u32>Signed.Sha256Rsa)
    return verifyPkcs1(key, hash, hashed, signature, signatureLength);
  return verifyPss(key, hash, hashed, signature, signatureLength, digestBytes(hash));
}

/** Whether the DER of r and s (RFC 3279 section 2.2.3), nothing behind it, is the signature of a digest. */
function isEcdsa(key: u32, hash: Hash, hashed: u32, signature: u32, length: u32): bool {
  const outer = openDer(signature, length);
  if (!read(outer, Tag.Sequence) || !atEnd(outer)) return false;
  const cursor = enter();
  if (!readInteger(cursor) || isNegative()) return false;
  const r = content;
  const rLength = contentLength;
  if (!readInteger(cursor) || isNegative() || !atEnd(cursor)) return false;
  return verifyEcdsa(
    curveOf(key),
    first(key),
    firstLength(key),
    second(key),
    secondLength(key),
    hashed,
    digestBytes(hash),
    r,
    rLength,
    content,
    contentLength,
  );
}
