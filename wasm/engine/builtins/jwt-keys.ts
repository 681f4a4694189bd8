// The keys that a policy gives to verify with: a certificate, a public key in PEM, a JWK or a set of them.

import { alloc } from '../../common/arena';
import { equalStrings, VALUE_DEPTH_MAX } from '../compare';
import { parseLenient } from '../json-parse';
import { elementAt, Kind, kindOf, lengthOf, newArray, newString, push, textOf } from '../value';
import { fieldOf, keyOfJwk } from './crypto-jwk';
import { block, blockLength, isBlock, readPem, rest } from './crypto-pem';
import { parsePublicKey } from './crypto-public';
import { isText } from './encoding-base64';
import { algorithmOf, isOtherAlgorithm } from './jwt-algorithms';
import { Certificate, certificateEnd, readCertificate } from './x509-certificate';

/** The most keys that a set has, as in Go. */
const KEYS_MAX: u32 = 1000;

/** A key of a set: the key (wasm/crypto/key.ts), and its `alg` and `kid`, empty strings without. */
export const enum Entry {
  Key = 0,
  Algorithm = 4,
  Name = 8,
  Bytes = 12,
}

function entryOf(key: u32, algorithm: u32, name: u32): u32 {
  const entry = alloc(Entry.Bytes);
  store<u32>(entry, key, Entry.Key);
  store<u32>(entry, algorithm, Entry.Algorithm);
  store<u32>(entry, name, Entry.Name);
  return entry;
}

/** An array of entries in place of values; 0 when the text is neither PEM of one key nor JWK. */
export function readKeys(text: u32): u32 {
  const pointer = textOf(text);
  const length = lengthOf(text);
  if (readPem(pointer, length)) return rest == pointer + length ? single(keyOfBlock()) : 0;
  const json = parseLenient(pointer, length, VALUE_DEPTH_MAX);
  if (json == 0 || kindOf(json) != Kind.Object) return 0;
  const keys = fieldOf(json, 'keys');
  const list = newArray(1);
  if (keys == 0) return addKey(list, json) ? list : 0;
  if (kindOf(keys) != Kind.Array || lengthOf(keys) > KEYS_MAX) return 0;
  for (let i: u32 = 0; i < lengthOf(keys); i++) if (!addKey(list, elementAt(keys, i))) return 0;
  return list;
}

function single(key: u32): u32 {
  if (key == 0) return 0;
  const list = newArray(1);
  push(list, entryOf(key, newString(0), newString(0)));
  return list;
}

/** The key of the PEM block that was read last. */
function keyOfBlock(): u32 {
  if (isBlock('PUBLIC KEY')) return parsePublicKey(block, blockLength);
  if (!isBlock('CERTIFICATE')) return 0;
  const end = block + blockLength;
  const record = readCertificate(block, blockLength);
  return record == 0 || certificateEnd != end ? 0 : load<u32>(record + Certificate.Key);
}

/** Adds a JWK, unless it is for something else than signing; false when it is broken. */
function addKey(list: u32, object: u32): bool {
  const key = keyOfJwk(object);
  if (key == 0) return false;
  const algorithm = stringField(object, 'alg');
  const name = stringField(object, 'kid');
  if (algorithm == 0 || name == 0) return false;
  if (lengthOf(algorithm) > 0 && algorithmOf(algorithm) == 0) return isOtherAlgorithm(algorithm);
  push(list, entryOf(key, algorithm, name));
  return true;
}

/** A field that is a string, empty when it is not there; 0 when it is something else. */
function stringField(object: u32, name: string): u32 {
  const value = fieldOf(object, name);
  if (value == 0) return newString(0);
  return isText(value) ? value : 0;
}

/** The entry with this `kid`, or 0. */
export function entryNamed(list: u32, name: u32): u32 {
  if (lengthOf(name) == 0) return 0;
  for (let i: u32 = 0; i < lengthOf(list); i++) {
    const entry = elementAt(list, i);
    if (equalStrings(load<u32>(entry, Entry.Name), name)) return entry;
  }
  return 0;
}
