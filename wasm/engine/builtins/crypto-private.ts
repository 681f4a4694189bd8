// Private keys in PKCS #1, PKCS #8 and SEC 1 (RFC 8017, 5208 and 5915), read and checked as Go does.

import { alloc } from '../../common/arena';
import { coordinateBytes } from '../../crypto/curve-parameters';
import {
  atEnd,
  content,
  contentLength,
  element,
  elementLength,
  enter,
  fits64,
  isContent,
  openDer,
  present,
  read,
  readAny,
  readBitString,
  readInteger,
  readOid,
  readOptional,
  Tag,
  toInteger,
} from '../../crypto/der';
import { publicPoint } from '../../crypto/ecdsa';
import { ED25519_BYTES, publicKeyOf } from '../../crypto/ed25519';
import { KeyKind, newKey, setCurve, setFirst, setPrivate, setSecond } from '../../crypto/key';
import { isRsaPair } from '../../crypto/rsa-private';
import { namedCurve, readPositive } from './crypto-public';

/** Of the RSA key that was read last: p, q, dp, dq and qinv, each a pointer and a length. */
export const factors: u32 = <u32>memory.data(40, 8);

const VERSION_MAX: i64 = 1;

/** Reads RSAPrivateKey; 0 when it is broken or its numbers do not fit each other. */
export function readPkcs1(pointer: u32, length: u32): u32 {
  const outer = openDer(pointer, length);
  if (!read(outer, Tag.Sequence) || !atEnd(outer)) return 0;
  const cursor = enter();
  if (!readInteger(cursor) || toInteger() > VERSION_MAX || !fits64) return 0;
  const key = newKey(KeyKind.Rsa);
  if (!readPositive(cursor)) return 0;
  setFirst(key, content, contentLength);
  if (!readPositive(cursor)) return 0;
  setSecond(key, content, contentLength);
  if (!readPositive(cursor)) return 0;
  setPrivate(key, content, contentLength);
  for (let i: u32 = 0; i < 5; i++) {
    if (!readPositive(cursor)) return 0;
    store<u32>(factors + (i << 3), content);
    store<u32>(factors + (i << 3), contentLength, 4);
  }
  // Keys of more than two primes have them here; nothing here computes with such a key.
  if (!atEnd(cursor)) return 0;
  return isRsaPair(key, factors) ? key : 0;
}

/** Reads ECPrivateKey; `curve` is the one that stands around it, or 0. */
export function readSec1(pointer: u32, length: u32, curve: u32): u32 {
  const outer = openDer(pointer, length);
  if (!read(outer, Tag.Sequence)) return 0;
  const cursor = enter();
  if (!readInteger(cursor) || toInteger() != 1 || !read(cursor, Tag.OctetString)) return 0;
  let number = content;
  let size = contentLength;
  let named = curve;
  if (!readOptional(cursor, Tag.ContextConstructed)) return 0;
  if (present) {
    if (!readOid(enter())) return 0;
    if (named == 0) named = namedCurve();
  }
  if (!readOptional(cursor, Tag.ContextConstructed + 1)) return 0;
  if (named == 0 || (present && !readBitString(enter()))) return 0;
  const width = coordinateBytes(named);
  while (size > width && load<u8>(number) == 0) {
    number++;
    size--;
  }
  if (size > width) return 0;
  const point = alloc(2 * width);
  if (!publicPoint(named, number, size, point)) return 0;
  const key = newKey(KeyKind.Ec);
  setCurve(key, named);
  setFirst(key, point, width);
  setSecond(key, point + width, width);
  setPrivate(key, number, size);
  return key;
}

/** Reads PrivateKeyInfo; 0 when it is broken or of an algorithm that no certificate has. */
export function readPkcs8(pointer: u32, length: u32): u32 {
  const outer = openDer(pointer, length);
  if (!read(outer, Tag.Sequence)) return 0;
  const cursor = enter();
  if (!readInteger(cursor) || !read(cursor, Tag.Sequence)) return 0;
  const identifier = enter();
  if (!readOid(identifier)) return 0;
  const rsa = isContent('2a864886f70d010101');
  const ec = isContent('2a8648ce3d0201');
  const ed25519 = isContent('2b6570');
  let parameters: u32 = 0;
  let parametersLength: u32 = 0;
  if (!atEnd(identifier)) {
    if (!readAny(identifier)) return 0;
    parameters = element;
    parametersLength = elementLength;
  }
  if (!read(cursor, Tag.OctetString)) return 0;
  const inner = content;
  const innerLength = contentLength;
  if (rsa) return readPkcs1(inner, innerLength);
  if (ec) {
    const named = openDer(parameters, parametersLength);
    const curve = readOid(named) ? namedCurve() : 0;
    return readSec1(inner, innerLength, curve);
  }
  if (!ed25519 || parametersLength != 0) return 0;
  return read(openDer(inner, innerLength), Tag.OctetString) ? seedKey() : 0;
}

/** The key of an Ed25519 seed that was read last. */
function seedKey(): u32 {
  if (contentLength != ED25519_BYTES) return 0;
  const seed = content;
  const key = newKey(KeyKind.Ed25519);
  setPrivate(key, seed, ED25519_BYTES);
  setFirst(key, publicKeyOf(seed), ED25519_BYTES);
  return key;
}
