// io.jwt.decode and io.jwt.verify_*: JSON Web Tokens (RFC 7519) without a look at their claims.

import { Hash } from '../../crypto/hash';
import { Failure, failed } from '../failure';
import { boolean, lengthOf, newArray, push, stringOf, textOf } from '../value';
import { fieldOf } from './crypto-jwk';
import { encodeHex, isAscii, isText } from './encoding-base64';
import { Family, verifySecret } from './jwt-algorithms';
import { readKeys } from './jwt-keys';
import { isSignedByOne } from './jwt-signed';
import {
  decodedPart,
  headerObject,
  objectOfText,
  payloadPart,
  readHeader,
  signaturePart,
  signedLength,
  signedText,
  splitToken,
} from './jwt-token';

/** Header, payload and signature in hexadecimal; of a nested token, those of the innermost. */
export function b_io_jwt_decode(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  let token = text;
  while (true) {
    if (!splitToken(token)) return failed();
    const header = headerObject();
    if (header == 0) return failed();
    const payload = decodedPart(payloadPart);
    if (payload == 0) return failed();
    const type = fieldOf(header, 'cty');
    if (type != 0) {
      if (!isText(type)) return failed();
      if (isAscii(type, 'JWT')) {
        token = unquoted(payload);
        continue;
      }
    }
    const claims = objectOfText(payload);
    const signature = decodedPart(signaturePart);
    if (claims == 0 || signature == 0) return failed();
    const parts = newArray(3);
    push(parts, header);
    push(parts, claims);
    push(parts, encodeHex(textOf(signature), lengthOf(signature)));
    return parts;
  }
  return 0;
}

/** A text without the quotes around it. */
function unquoted(text: u32): u32 {
  let start = textOf(text);
  let end = start + lengthOf(text);
  while (start < end && isQuote(load<u8>(start))) start++;
  while (end > start && isQuote(load<u8>(end - 1))) end--;
  return stringOf(start, end - start);
}

function isQuote(byte: u32): bool {
  return byte == 0x22 || byte == 0x27;
}

/** Verifies with the key that the header names, or with each that is for the header's algorithm. */
function verify(token: u32, keys: u32, algorithm: u32): u32 {
  if (!isText(token)) return failed(Failure.Type);
  if (!splitToken(token)) return failed();
  if (!isText(keys)) return failed(Failure.Type);
  const entries = readKeys(keys);
  if (entries == 0) return failed();
  const signature = decodedPart(signaturePart);
  const header = signature == 0 ? 0 : headerObject();
  if (header == 0 || !readHeader(header)) return failed();
  return boolean(isSignedByOne(entries, algorithm, signature, false));
}

/** Verifies with a secret. */
function verifyShared(token: u32, secret: u32, hash: Hash): u32 {
  if (!isText(token) || !isText(secret)) return failed(Failure.Type);
  if (!splitToken(token)) return failed();
  const signature = decodedPart(signaturePart);
  if (signature == 0) return failed();
  return boolean(
    verifySecret(
      Family.Hmac | hash,
      textOf(secret),
      lengthOf(secret),
      signedText,
      signedLength,
      textOf(signature),
      lengthOf(signature),
    ),
  );
}

export function b_io_jwt_verify_hs256(token: u32, secret: u32): u32 {
  return verifyShared(token, secret, Hash.Sha256);
}

export function b_io_jwt_verify_hs384(token: u32, secret: u32): u32 {
  return verifyShared(token, secret, Hash.Sha384);
}

export function b_io_jwt_verify_hs512(token: u32, secret: u32): u32 {
  return verifyShared(token, secret, Hash.Sha512);
}

export function b_io_jwt_verify_rs256(token: u32, keys: u32): u32 {
  return verify(token, keys, Family.Pkcs1 | Hash.Sha256);
}

export function b_io_jwt_verify_rs384(token: u32, keys: u32): u32 {
  return verify(token, keys, Family.Pkcs1 | Hash.Sha384);
}

export function b_io_jwt_verify_rs512(token: u32, keys: u32): u32 {
  return verify(token, keys, Family.Pkcs1 | Hash.Sha512);
}

export function b_io_jwt_verify_ps256(token: u32, keys: u32): u32 {
  return verify(token, keys, Family.Pss | Hash.Sha256);
}

export function b_io_jwt_verify_ps384(token: u32, keys: u32): u32 {
  return verify(token, keys, Family.Pss | Hash.Sha384);
}

export function b_io_jwt_verify_ps512(token: u32, keys: u32): u32 {
  return verify(token, keys, Family.Pss | Hash.Sha512);
}

export function b_io_jwt_verify_es256(token: u32, keys: u32): u32 {
  return verify(token, keys, Family.Ecdsa | Hash.Sha256);
}

export function b_io_jwt_verify_es384(token: u32, keys: u32): u32 {
  return verify(token, keys, Family.Ecdsa | Hash.Sha384);
}

export function b_io_jwt_verify_es512(token: u32, keys: u32): u32 {
  return verify(token, keys, Family.Ecdsa | Hash.Sha512);
}

export function b_io_jwt_verify_eddsa(token: u32, keys: u32): u32 {
  return verify(token, keys, Family.EdDsa);
}
