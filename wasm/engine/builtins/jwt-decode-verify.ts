// io.jwt.decode_verify: a token's signature and claims checked against constraints (RFC 7519 section 7.2).

import { timeNs } from '../clock';
import { compare, equalStrings } from '../compare';
import { Failure, failed } from '../failure';
import { numberFromF64, toF64 } from '../number';
import { newObject, sorted } from '../object';
import {
  elementAt,
  FALSE,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newArray,
  newString,
  push,
  stringOf,
  TRUE,
  textOf,
  valueAt,
} from '../value';
import { fieldOf } from './crypto-jwk';
import { beginsWith, isAscii, isText } from './encoding-base64';
import { algorithmOf, Family, verifySecret } from './jwt-algorithms';
import { readKeys } from './jwt-keys';
import { isSignedByOne } from './jwt-signed';
import {
  algorithmName,
  contentType,
  decodedPart,
  headerObject,
  isValidHeader,
  objectOfText,
  payloadPart,
  readHeader,
  signaturePart,
  signedLength,
  signedText,
  splitToken,
} from './jwt-token';

// The constraints: keys 0 and strings empty when they are not there; time in nanoseconds, -1 without.
let keys: u32 = 0;
let secret: u32 = 0;
let algorithm: u32 = 0;
let issuer: u32 = 0;
let audience: u32 = 0;
let time: f64 = 0;

/** Reads the constraints; false when one is unknown or of a wrong type, or not exactly one is a key. */
function readConstraints(object: u32): bool {
  keys = 0;
  secret = newString(0);
  algorithm = secret;
  issuer = secret;
  audience = secret;
  time = -1;
  for (let i: u32 = 0; i < lengthOf(object); i++) {
    if (!readConstraint(keyAt(object, i), valueAt(object, i))) return false;
  }
  if (time == -1) time = <f64>timeNs();
  return (keys != 0) != lengthOf(secret) > 0;
}

function readConstraint(name: u32, value: u32): bool {
  if (!isText(name)) return false;
  if (isAscii(name, 'time')) {
    time = kindOf(value) == Kind.Number ? toF64(value) : -1;
    return time >= 0 && time != Infinity;
  }
  if (!isText(value)) return false;
  if (isAscii(name, 'cert')) {
    keys = readKeys(value);
    return keys != 0;
  }
  if (isAscii(name, 'secret')) secret = value;
  else if (isAscii(name, 'alg')) algorithm = value;
  else if (isAscii(name, 'iss')) issuer = value;
  else if (isAscii(name, 'aud')) audience = value;
  else return false;
  return true;
}

function outcome(valid: bool, header: u32, payload: u32): u32 {
  const parts = newArray(3);
  push(parts, valid ? TRUE : FALSE);
  push(parts, header);
  push(parts, payload);
  return parts;
}

function unverified(): u32 {
  return outcome(false, newObject(0), newObject(0));
}

/** Whether the token is valid, its header and its payload; both empty when it is not. */
export function b_io_jwt_decode_verify(text: u32, constraints: u32): u32 {
  if (kindOf(constraints) != Kind.Object) return failed(Failure.Type);
  if (!readConstraints(sorted(constraints))) return failed();
  if (!isText(text)) return failed(Failure.Type);
  let token = text;
  while (true) {
    if (!splitToken(token)) return failed();
    const header = headerObject();
    if (header == 0 || !readHeader(header)) return failed();
    if (!isValidHeader(header)) return unverified();
    if (lengthOf(algorithm) > 0 && !equalStrings(algorithm, algorithmName)) return unverified();
    const signature = decodedPart(signaturePart);
    if (signature == 0) return failed();
    if (!isSigned(signature)) return unverified();
    const payload = decodedPart(payloadPart);
    if (payload == 0) return failed();
    if (isToken(contentType)) {
      token = payload;
      continue;
    }
    const claims = objectOfText(payload);
    return claims == 0 ? failed() : checked(header, claims);
  }
  return 0;
}

/** Whether a content type is JWT, in any case. */
function isToken(type: u32): bool {
  if (lengthOf(type) != 3) return false;
  const lower = stringOf(textOf(type), 3);
  for (let i: u32 = 0; i < 3; i++) store<u8>(textOf(lower) + i, load<u8>(textOf(lower) + i) | 0x20);
  return beginsWith(textOf(lower), 3, 'jwt');
}

/** Whether the token that was split last is signed with the constraints' key. */
function isSigned(signature: u32): bool {
  const used = algorithmOf(algorithmName);
  if (used == 0) return false;
  if (keys == 0) {
    return (
      (used & 0xf0) == Family.Hmac &&
      verifySecret(
        used,
        textOf(secret),
        lengthOf(secret),
        signedText,
        signedLength,
        textOf(signature),
        lengthOf(signature),
      )
    );
  }
  return isSignedByOne(keys, used, signature, true);
}

/** The outcome for a token whose signature is right: issuer, audience and times against the constraints. */
function checked(header: u32, claims: u32): u32 {
  if (lengthOf(issuer) > 0) {
    const claim = fieldOf(claims, 'iss');
    if (claim == 0) return unverified();
    if (!isText(claim)) return failed();
    if (!equalStrings(claim, issuer)) return unverified();
  }
  const claimed = fieldOf(claims, 'aud');
  if (claimed == 0 ? lengthOf(audience) > 0 : !isAudience(claimed)) return unverified();
  // The claims are in seconds.
  const seconds = numberFromF64(time / 1000000000);
  const expires = fieldOf(claims, 'exp');
  if (expires != 0) {
    if (kindOf(expires) != Kind.Number) return failed();
    if (compare(seconds, expires) >= 0) return unverified();
  }
  const begins = fieldOf(claims, 'nbf');
  if (begins != 0) {
    if (kindOf(begins) != Kind.Number) return failed();
    if (compare(seconds, begins) < 0) return unverified();
  }
  return outcome(true, header, claims);
}

/** Whether the audience is the constraint, or has it in its list; without a constraint, none is. */
function isAudience(claim: u32): bool {
  if (isText(claim)) return equalStrings(claim, audience);
  if (kindOf(claim) != Kind.Array) return false;
  for (let i: u32 = 0; i < lengthOf(claim); i++) {
    const element = elementAt(claim, i);
    if (isText(element) && equalStrings(element, audience)) return true;
  }
  return false;
}
