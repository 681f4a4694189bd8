// Public keys in SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7), read as Go's crypto/x509 reads them.

import { openCurve, pointOf } from '../../crypto/curve';
import { Curve, coordinateBytes } from '../../crypto/curve-parameters';
import {
  alignRight,
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
  peek,
  read,
  readAny,
  readBitString,
  readInteger,
  readOid,
  Tag,
  toInteger,
} from '../../crypto/der';
import { KeyKind, newKey, setCurve, setFirst, setSecond } from '../../crypto/key';
import { insert, newObject } from '../object';
import { asciiString, NULL } from '../value';
import { bytesValue, naturalValue } from './crypto-values';

/** Go's numbers of public key algorithms. */
export const enum KeyAlgorithm {
  Unknown,
  Rsa,
  Dsa,
  Ecdsa,
  Ed25519,
}

/** Of the key that was read last: Go's number of its algorithm and its JSON, null for an unknown one. */
export let keyAlgorithm: u32 = 0;
export let keyValue: u32 = 0;

const RSA = '2a864886f70d010101';
const DSA = '2a8648ce380401';
const ECDSA = '2a8648ce3d0201';
const ED25519 = '2b6570';
const X25519 = '2b656e';

/** The curve of a named curve's content, 0 for others. */
export function namedCurve(): u32 {
  if (isContent('2a8648ce3d030107')) return Curve.P256;
  if (isContent('2b81040022')) return Curve.P384;
  if (isContent('2b81040023')) return Curve.P521;
  return isContent('2b81040021') ? Curve.P224 : 0;
}

function algorithmOfContent(): u32 {
  if (isContent(RSA)) return KeyAlgorithm.Rsa;
  if (isContent(ECDSA)) return KeyAlgorithm.Ecdsa;
  if (isContent(ED25519)) return KeyAlgorithm.Ed25519;
  return isContent(DSA) ? KeyAlgorithm.Dsa : KeyAlgorithm.Unknown;
}

/**
 * Reads a key from the content of its SEQUENCE; 0 when it is broken. A key of an unknown algorithm is
 * `KeyKind.Other`, as DSA's and X25519's are, with which nothing here verifies.
 */
export function readPublicKey(cursor: u32): u32 {
  if (!read(cursor, Tag.Sequence)) return 0;
  const identifier = enter();
  if (!readOid(identifier)) return 0;
  keyAlgorithm = algorithmOfContent();
  keyValue = NULL;
  const exchange = isContent(X25519);
  let parameters: u32 = 0;
  let parametersLength: u32 = 0;
  if (!atEnd(identifier)) {
    if (!readAny(identifier)) return 0;
    parameters = element;
    parametersLength = elementLength;
  }
  if (!readBitString(cursor)) return 0;
  alignRight();
  if (keyAlgorithm == KeyAlgorithm.Rsa) {
    return isBytes(parameters, parametersLength, '0500') ? readRsa(enter()) : 0;
  }
  if (keyAlgorithm == KeyAlgorithm.Ecdsa) {
    const data = content;
    const length = contentLength;
    const named = openDer(parameters, parametersLength);
    return readOid(named) ? pointKey(namedCurve(), data, length) : 0;
  }
  if (keyAlgorithm == KeyAlgorithm.Ed25519) {
    if (parametersLength != 0 || contentLength != 32) return 0;
    keyValue = bytesValue(content, contentLength);
    const key = newKey(KeyKind.Ed25519);
    setFirst(key, content, contentLength);
    return key;
  }
  if (exchange && (parametersLength != 0 || contentLength != 32)) return 0;
  if (keyAlgorithm == KeyAlgorithm.Dsa)
    return readDsa(enter(), openDer(parameters, parametersLength));
  return newKey(KeyKind.Other);
}

/** Reads RSAPublicKey (RFC 8017 appendix A.1.1). */
export function readRsa(outer: u32): u32 {
  if (!read(outer, Tag.Sequence)) return 0;
  const cursor = enter();
  if (!readPositive(cursor)) return 0;
  const modulus = content;
  const length = contentLength;
  if (!readPositive(cursor)) return 0;
  toInteger();
  if (!fits64) return 0;
  const key = newKey(KeyKind.Rsa);
  setFirst(key, modulus, length);
  setSecond(key, content, contentLength);
  keyValue = newObject(2);
  return insertNatural('N', modulus, length) && insertNatural('E', content, contentLength)
    ? key
    : 0;
}

/** Reads an INTEGER above 0. */
export function readPositive(cursor: u32): bool {
  if (!readInteger(cursor) || isNegative()) return false;
  return contentLength > 1 || load<u8>(content) != 0;
}

/** Inserts a number into `keyValue`; false when it is longer than any key's. */
function insertNatural(name: string, pointer: u32, length: u32): bool {
  const value = naturalValue(pointer, length);
  if (value != 0) insert(keyValue, asciiString(name), value);
  return value != 0;
}

/** The key of an uncompressed point on a curve; 0 when it is none. */
export function pointKey(curve: u32, data: u32, length: u32): u32 {
  if (curve == 0) return 0;
  const size = coordinateBytes(curve);
  if (length != 1 + 2 * size || load<u8>(data) != 4) return 0;
  const x = data + 1;
  const y = x + size;
  if (pointOf(openCurve(curve), x, size, y, size) == 0) return 0;
  const key = newKey(KeyKind.Ec);
  setCurve(key, curve);
  setFirst(key, x, size);
  setSecond(key, y, size);
  keyValue = newObject(3);
  insert(keyValue, asciiString('Curve'), newObject(0));
  return insertNatural('X', x, size) && insertNatural('Y', y, size) ? key : 0;
}

/** Reads a DSA key: its y, and p, q and g of the parameters; only for its JSON. */
function readDsa(data: u32, parameters: u32): u32 {
  keyValue = newObject(4);
  if (!readPositive(data) || !insertNatural('Y', content, contentLength)) return 0;
  if (!read(parameters, Tag.Sequence)) return 0;
  const cursor = enter();
  if (!readPositive(cursor) || !insertNatural('P', content, contentLength)) return 0;
  if (!readPositive(cursor) || !insertNatural('Q', content, contentLength)) return 0;
  if (!readPositive(cursor) || !insertNatural('G', content, contentLength)) return 0;
  return newKey(KeyKind.Other);
}

/** Reads a whole SubjectPublicKeyInfo; 0 when it is broken, of an unknown algorithm, or more follows. */
export function parsePublicKey(pointer: u32, length: u32): u32 {
  const outer = openDer(pointer, length);
  if (!read(outer, Tag.Sequence) || !atEnd(outer)) return 0;
  const cursor = enter();
  if (peek(cursor) != Tag.Sequence) return 0;
  const key = readPublicKey(cursor);
  // Go takes X25519 here, whose keys are no algorithm of a certificate.
  if (key == 0 || !atEnd(cursor)) return 0;
  return key;
}
