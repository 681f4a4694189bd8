// io.jwt.encode_sign and io.jwt.encode_sign_raw, with the algorithms whose signatures follow from their input:
// HS*, RS* and EdDSA. ES* and PS* take random numbers, which a decision has none of: they fail.

import { alloc } from '../../common/arena';
import { signEd25519 } from '../../crypto/ed25519';
import { DIGEST_MAX, digestBytes, Hash, hmac } from '../../crypto/hash';
import { first, firstLength, KeyKind, kindOfKey, privateOf } from '../../crypto/key';
import { signatureBytes, signPkcs1 } from '../../crypto/rsa';
import { VALUE_DEPTH_MAX } from '../compare';
import { Failure, failed } from '../failure';
import { parseLenient } from '../json-parse';
import { elementAt, lengthOf, stringOf, textOf } from '../value';
import { fieldOf, keyOfJwk } from './crypto-jwk';
import { encodeBase64, isAscii, isText } from './encoding-base64';
import { b_json_marshal } from './json';
import { algorithmOf, digestOfText, Family } from './jwt-algorithms';
import { objectOfText } from './jwt-token';
import { addByte, addText, beginText, finishText } from './text-builder';

export function b_io_jwt_encode_sign(header: u32, payload: u32, key: u32): u32 {
  return sign(b_json_marshal(header), b_json_marshal(payload), b_json_marshal(key));
}

export function b_io_jwt_encode_sign_raw(header: u32, payload: u32, key: u32): u32 {
  if (!isText(key) || !isText(header) || !isText(payload)) return failed(Failure.Type);
  return sign(header, payload, key);
}

/** The token of three texts, joined by dots. */
function joined(first: u32, rest: u32): u32 {
  beginText(lengthOf(first) + lengthOf(rest) + 1);
  addText(first);
  addByte(0x2e);
  addText(rest);
  return finishText();
}

function sign(header: u32, payload: u32, jwk: u32): u32 {
  const key = keyOfText(jwk);
  const fields = objectOfText(header);
  if (key == 0 || fields == 0) return failed();
  const name = fieldOf(fields, 'alg');
  const algorithm = name == 0 || !isText(name) ? 0 : algorithmOf(name);
  if (algorithm == 0) return failed();
  const type = fieldOf(fields, 'typ');
  // A token without a type is taken for a JWT.
  const isToken = type == 0 || !isText(type) || isAscii(type, 'JWT');
  if (isToken && parseLenient(textOf(payload), lengthOf(payload), VALUE_DEPTH_MAX) == 0) {
    return failed();
  }
  const text = joined(
    encodeBase64(textOf(header), lengthOf(header), true, false),
    encodeBase64(textOf(payload), lengthOf(payload), true, false),
  );
  const signature = signatureOf(algorithm, key, text);
  if (signature == 0) return failed();
  return joined(text, encodeBase64(textOf(signature), lengthOf(signature), true, false));
}

/** The key of a JWK, or the first of a set. */
function keyOfText(text: u32): u32 {
  const object = objectOfText(text);
  if (object == 0) return 0;
  const keys = fieldOf(object, 'keys');
  if (keys == 0) return keyOfJwk(object);
  return lengthOf(keys) == 0 ? 0 : keyOfJwk(elementAt(keys, 0));
}

/** The bytes of a signature as a string; 0 when the key is not for the algorithm. */
function signatureOf(algorithm: u32, key: u32, text: u32): u32 {
  const family = algorithm & 0xf0;
  const kind = kindOfKey(key);
  const pointer = textOf(text);
  const length = lengthOf(text);
  if (family == Family.Hmac) {
    if (kind != KeyKind.Secret) return 0;
    const hash = <Hash>(algorithm & 15);
    const out = alloc(DIGEST_MAX);
    hmac(hash, first(key), firstLength(key), pointer, length, out);
    return stringOf(out, digestBytes(hash));
  }
  if (privateOf(key) == 0) return 0;
  if (family == Family.EdDsa) {
    if (kind != KeyKind.Ed25519) return 0;
    return stringOf(signEd25519(privateOf(key), pointer, length), 64);
  }
  if (family != Family.Pkcs1 || kind != KeyKind.Rsa) return 0;
  const hashed = digestOfText(algorithm, pointer, length);
  const signature = signPkcs1(key, algorithm & 15, hashed);
  return signature == 0 ? 0 : stringOf(signature, signatureBytes(key));
}
