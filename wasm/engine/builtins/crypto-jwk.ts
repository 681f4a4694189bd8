// Keys in JSON (RFC 7517, 7518 and 8037), read as lestrrat-go/jwx reads them for OPA.

import { openCurve, pointOf } from '../../crypto/curve';
import { Curve, coordinateBytes } from '../../crypto/curve-parameters';
import { ED25519_BYTES, publicKeyOf } from '../../crypto/ed25519';
import { equalBytes } from '../../crypto/hash';
import {
  first,
  KeyKind,
  newKey,
  setCurve,
  setFirst,
  setPrime,
  setPrivate,
  setSecond,
} from '../../crypto/key';
import { get } from '../object';
import { asciiString, Kind, kindOf, lengthOf, textOf } from '../value';
import { decodeBase64, decodedLength, isAscii, isText } from './encoding-base64';

/** Of the number that was read last. */
let bytes: u32 = 0;
let size: u32 = 0;

/** A field of an object, 0 when it is not there. */
export function fieldOf(object: u32, name: string): u32 {
  return get(object, asciiString(name));
}

/** Reads a field of base64, of either alphabet and with padding or without; false when it is none. */
function readBytes(object: u32, name: string): bool {
  const value = fieldOf(object, name);
  if (value == 0 || !isText(value)) return false;
  const text = textOf(value);
  const length = lengthOf(value);
  let url = true;
  for (let i: u32 = 0; i < length; i++) {
    const byte = load<u8>(text + i);
    if (byte == 0x2b || byte == 0x2f) url = false;
  }
  const padded = length > 0 && load<u8>(text + length - 1) == 0x3d;
  bytes = decodeBase64(text, length, url, padded);
  size = decodedLength;
  return bytes != 0;
}

/** Reads a field of a natural number as `readBytes`, without zeros in front; false when it is 0. */
function readNatural(object: u32, name: string): bool {
  if (!readBytes(object, name)) return false;
  while (size > 0 && load<u8>(bytes) == 0) {
    bytes++;
    size--;
  }
  return size > 0;
}

/** The key of a JWK, 0 when it is none that Go takes. */
export function keyOfJwk(object: u32): u32 {
  if (kindOf(object) != Kind.Object) return 0;
  const type = fieldOf(object, 'kty');
  if (type == 0 || !isText(type)) return 0;
  if (isAscii(type, 'RSA')) return rsaKey(object);
  if (isAscii(type, 'EC')) return ecKey(object);
  if (isAscii(type, 'OKP')) return okpKey(object);
  if (!isAscii(type, 'oct') || !readBytes(object, 'k')) return 0;
  const key = newKey(KeyKind.Secret);
  setFirst(key, bytes, size);
  return size == 0 ? 0 : key;
}

function rsaKey(object: u32): u32 {
  const key = newKey(KeyKind.Rsa);
  if (!readNatural(object, 'n')) return 0;
  setFirst(key, bytes, size);
  // The exponent has to be odd and to fit Go's int.
  if (!readNatural(object, 'e') || (load<u8>(bytes + size - 1) & 1) == 0) return 0;
  if (size > 8 || (size == 8 && load<u8>(bytes) >= 0x80)) return 0;
  setSecond(key, bytes, size);
  if (fieldOf(object, 'd') == 0) return key;
  if (!readNatural(object, 'p')) return 0;
  setPrime(key, 0, bytes, size);
  if (!readNatural(object, 'q')) return 0;
  setPrime(key, 1, bytes, size);
  if (!readNatural(object, 'd')) return 0;
  setPrivate(key, bytes, size);
  return key;
}

function ecKey(object: u32): u32 {
  const name = fieldOf(object, 'crv');
  if (name == 0 || !isText(name)) return 0;
  let curve: u32 = 0;
  if (isAscii(name, 'P-256')) curve = Curve.P256;
  else if (isAscii(name, 'P-384')) curve = Curve.P384;
  else if (isAscii(name, 'P-521')) curve = Curve.P521;
  if (curve == 0) return 0;
  const key = newKey(KeyKind.Ec);
  setCurve(key, curve);
  if (!readBytes(object, 'x')) return 0;
  const x = bytes;
  const xLength = size;
  setFirst(key, x, xLength);
  if (!readBytes(object, 'y')) return 0;
  setSecond(key, bytes, size);
  if (pointOf(openCurve(curve), x, xLength, bytes, size) == 0) return 0;
  if (fieldOf(object, 'd') == 0) return key;
  if (!readBytes(object, 'd') || size > coordinateBytes(curve)) return 0;
  setPrivate(key, bytes, size);
  return key;
}

function okpKey(object: u32): u32 {
  const name = fieldOf(object, 'crv');
  if (name == 0 || !isText(name) || !readBytes(object, 'x')) return 0;
  const known = isAscii(name, 'Ed25519');
  if (!known && !isAscii(name, 'X25519')) return 0;
  if (size != ED25519_BYTES) return 0;
  const key = newKey(known ? KeyKind.Ed25519 : KeyKind.Other);
  setFirst(key, bytes, size);
  if (fieldOf(object, 'd') == 0) return key;
  if (!readBytes(object, 'd') || size != ED25519_BYTES) return 0;
  // A private key has to have made its public key.
  if (known && !equalBytes(publicKeyOf(bytes), size, first(key), size)) return 0;
  setPrivate(key, bytes, size);
  return key;
}
