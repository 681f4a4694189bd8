// The parts of a JSON Web Token in compact serialization (RFC 7515 section 7.1), as OPA takes them apart.

import { VALUE_DEPTH_MAX } from '../compare';
import { parseLenient } from '../json-parse';
import { add, has, newSet } from '../object';
import { elementAt, Kind, keyAt, kindOf, lengthOf, newString, stringOf, textOf } from '../value';
import { fieldOf } from './crypto-jwk';
import { decodeBase64Url, decodedLength, isAscii, isText } from './encoding-base64';

/** Of the token that was split last: header, payload and signature as strings, and what is signed. */
export let headerPart: u32 = 0;
export let payloadPart: u32 = 0;
export let signaturePart: u32 = 0;
export let signedText: u32 = 0;
export let signedLength: u32 = 0;

/** Splits a token at its two dots; false when it has another number of them. */
export function splitToken(token: u32): bool {
  const start = textOf(token);
  const end = start + lengthOf(token);
  let one: u32 = 0;
  let two: u32 = 0;
  for (let p = start; p < end; p++) {
    if (load<u8>(p) != 0x2e) continue;
    if (two != 0) return false;
    if (one == 0) one = p;
    else two = p;
  }
  if (two == 0) return false;
  headerPart = stringOf(start, one - start);
  payloadPart = stringOf(one + 1, two - one - 1);
  signaturePart = stringOf(two + 1, end - two - 1);
  signedText = start;
  signedLength = two - start;
  return true;
}

/** The bytes of a part as a string, which need not be UTF-8; 0 when it is no base64url. */
export function decodedPart(part: u32): u32 {
  const bytes = decodeBase64Url(textOf(part), lengthOf(part));
  return bytes == 0 ? 0 : stringOf(bytes, decodedLength);
}

/** The JSON object of a text, the last of equal keys wins; 0 when it is none. */
export function objectOfText(text: u32): u32 {
  const value = parseLenient(textOf(text), lengthOf(text), VALUE_DEPTH_MAX);
  return value == 0 || kindOf(value) != Kind.Object ? 0 : value;
}

/** The header of the token that was split last; 0 when it is broken or that of an encrypted token. */
export function headerObject(): u32 {
  const text = decodedPart(headerPart);
  const header = text == 0 ? 0 : objectOfText(text);
  return header == 0 || fieldOf(header, 'enc') != 0 ? 0 : header;
}

/** Of the header that was read last: strings, empty when they are not there. */
export let algorithmName: u32 = 0;
export let keyName: u32 = 0;
export let contentType: u32 = 0;
/** The names in `crit`, a set. */
let critical: u32 = 0;

/** Reads the header's parameters; false when one has a wrong type. */
export function readHeader(header: u32): bool {
  algorithmName = stringParameter(header, 'alg');
  keyName = stringParameter(header, 'kid');
  contentType = stringParameter(header, 'cty');
  if (algorithmName == 0 || keyName == 0 || contentType == 0) return false;
  if (stringParameter(header, 'typ') == 0) return false;
  critical = newSet(2);
  const names = fieldOf(header, 'crit');
  if (names == 0) return true;
  if (kindOf(names) != Kind.Array) return false;
  // OPA reads up to the first that is no string.
  for (let i: u32 = 0; i < lengthOf(names) && isText(elementAt(names, i)); i++) {
    add(critical, elementAt(names, i));
  }
  return lengthOf(critical) > 0;
}

function stringParameter(header: u32, name: string): u32 {
  const value = fieldOf(header, name);
  if (value == 0) return newString(0);
  return isText(value) ? value : 0;
}

/** Whether the header that was read last has an algorithm and no critical parameter that OPA does not know. */
export function isValidHeader(header: u32): bool {
  if (lengthOf(algorithmName) == 0) return false;
  for (let i: u32 = 0; i < lengthOf(header); i++) {
    const name = keyAt(header, i);
    const known =
      isAscii(name, 'alg') ||
      isAscii(name, 'kid') ||
      isAscii(name, 'typ') ||
      isAscii(name, 'cty') ||
      isAscii(name, 'crit');
    if (!known && has(critical, name)) return false;
  }
  return true;
}
