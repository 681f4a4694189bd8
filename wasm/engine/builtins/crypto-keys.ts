// crypto.parse_private_keys, crypto.x509.parse_rsa_private_key and crypto.x509.parse_keypair.

import { alloc } from '../../common/arena';
import { Curve, coordinateBytes } from '../../crypto/curve-parameters';
import { equalBytes } from '../../crypto/hash';
import {
  curveOf,
  first,
  firstLength,
  KeyKind,
  kindOfKey,
  privateLength,
  privateOf,
  second,
  secondLength,
} from '../../crypto/key';
import { Failure, failed } from '../failure';
import { insert, newObject } from '../object';
import { asciiString, lengthOf, NULL, newArray, push, textOf } from '../value';
import {
  block,
  blockLength,
  blockType,
  blockTypeLength,
  isBlock,
  readPem,
  rest,
} from './crypto-pem';
import { factors, readPkcs1, readPkcs8, readSec1 } from './crypto-private';
import { bytesValue, naturalValue } from './crypto-values';
import { beginsWith, decodeBase64, decodedLength, encodeBase64, isText } from './encoding-base64';
import { Certificate, certificateEnd, readCertificate } from './x509-certificate';
import { withoutUriStrings } from './x509-input';

/** Keys that are read of one text. */
const KEYS_MAX: u32 = 64;

/** The private key of the PEM block that was read last, 0 when it is broken; `known` says whether it is one. */
let known: bool = false;
function keyOfBlock(): u32 {
  known = true;
  if (isBlock('RSA PRIVATE KEY')) return readPkcs1(block, blockLength);
  if (isBlock('PRIVATE KEY')) return readPkcs8(block, blockLength);
  if (isBlock('EC PRIVATE KEY')) return readSec1(block, blockLength, 0);
  known = false;
  return 0;
}

/** Go's JSON of the private key that was read last. */
function keyValue(key: u32): u32 {
  const kind = kindOfKey(key);
  if (kind == KeyKind.Ed25519) {
    const both = alloc(64);
    memory.copy(both, privateOf(key), 32);
    memory.copy(both + 32, first(key), 32);
    return bytesValue(both, 64);
  }
  const object = newObject(5);
  const isRsa = kind == KeyKind.Rsa;
  insert(object, asciiString(isRsa ? 'N' : 'X'), naturalValue(first(key), firstLength(key)));
  insert(object, asciiString(isRsa ? 'E' : 'Y'), naturalValue(second(key), secondLength(key)));
  insert(object, asciiString('D'), naturalValue(privateOf(key), privateLength(key)));
  if (!isRsa) insert(object, asciiString('Curve'), newObject(0));
  else {
    const primes = newArray(2);
    push(primes, factorValue(0));
    push(primes, factorValue(1));
    insert(object, asciiString('Primes'), primes);
    const precomputed = newObject(4);
    insert(precomputed, asciiString('Dp'), factorValue(2));
    insert(precomputed, asciiString('Dq'), factorValue(3));
    insert(precomputed, asciiString('Qinv'), factorValue(4));
    insert(precomputed, asciiString('CRTValues'), newArray(0));
    insert(object, asciiString('Precomputed'), precomputed);
  }
  return object;
}

function factorValue(index: u32): u32 {
  return naturalValue(load<u32>(factors + (index << 3)), load<u32>(factors + (index << 3), 4));
}

/** All private keys of PEM text, or of base64 of it; null for an empty text. */
export function b_crypto_parse_private_keys(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  if (lengthOf(text) == 0) return NULL;
  const keys = newArray(1);
  const end = openText(text);
  while (start < end && readPem(start, end - start)) {
    start = rest;
    const key = keyOfBlock();
    if (!known) continue;
    if (key == 0 || lengthOf(keys) == KEYS_MAX) return failed();
    push(keys, keyValue(key));
  }
  return keys;
}

/** Where the text of keys begins, once it is out of its base64; returns its end. */
let start: u32 = 0;
function openText(text: u32): u32 {
  const decoded = decodeBase64(textOf(text), lengthOf(text), false, true);
  start = decoded == 0 ? textOf(text) : decoded;
  return start + (decoded == 0 ? lengthOf(text) : decodedLength);
}

/** The first private key of PEM text, or of base64 of it, as a JWK (RFC 7517); null without one. */
export function b_crypto_x509_parse_rsa_private_key(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  if (lengthOf(text) == 0) return failed();
  const end = openText(text);
  const plain = beginsWith(textOf(text), lengthOf(text), '-----BEGIN');
  if (!plain && start == textOf(text)) return failed();
  let found: u32 = 0;
  while (start < end && readPem(start, end - start)) {
    start = rest;
    const key = keyOfBlock();
    if (!known) continue;
    if (key == 0) return failed();
    if (found == 0) found = jwkValue(key);
  }
  return found == 0 ? NULL : found;
}

/** Inserts bytes in base64url. */
function insertBytes(object: u32, name: string, pointer: u32, length: u32): void {
  insert(object, asciiString(name), encodeBase64(pointer, length, true, false));
}

/** Inserts a number without zeros in front. */
function insertNumber(object: u32, name: string, pointer: u32, length: u32): void {
  let p = pointer;
  while (p < pointer + length && load<u8>(p) == 0) p++;
  insertBytes(object, name, p, pointer + length - p);
}

function jwkValue(key: u32): u32 {
  const kind = kindOfKey(key);
  const object = newObject(9);
  if (kind == KeyKind.Ed25519) {
    insert(object, asciiString('kty'), asciiString('OKP'));
    insert(object, asciiString('crv'), asciiString('Ed25519'));
    insertBytes(object, 'x', first(key), firstLength(key));
    insertBytes(object, 'd', privateOf(key), privateLength(key));
  } else if (kind == KeyKind.Ec) {
    const curve = curveOf(key);
    const name = curve == Curve.P256 ? 'P-256' : curve == Curve.P384 ? 'P-384' : 'P-521';
    const size = coordinateBytes(curve);
    const number = alloc(size);
    memory.fill(number, 0, size);
    memory.copy(number + size - privateLength(key), privateOf(key), privateLength(key));
    insert(object, asciiString('kty'), asciiString('EC'));
    insert(object, asciiString('crv'), asciiString(name));
    insertBytes(object, 'x', first(key), size);
    insertBytes(object, 'y', second(key), size);
    insertBytes(object, 'd', number, size);
  } else {
    insert(object, asciiString('kty'), asciiString('RSA'));
    insertNumber(object, 'n', first(key), firstLength(key));
    insertNumber(object, 'e', second(key), secondLength(key));
    insertNumber(object, 'd', privateOf(key), privateLength(key));
    insertFactor(object, 'p', 0);
    insertFactor(object, 'q', 1);
    insertFactor(object, 'dp', 2);
    insertFactor(object, 'dq', 3);
    insertFactor(object, 'qi', 4);
  }
  return object;
}

function insertFactor(object: u32, name: string, index: u32): void {
  const factor = factors + (index << 3);
  insertNumber(object, name, load<u32>(factor), load<u32>(factor, 4));
}

/** A certificate chain and the private key of its first certificate, as Go's tls.Certificate. */
export function b_crypto_x509_parse_keypair(certificates: u32, key: u32): u32 {
  if (!isText(certificates) || !isText(key)) return failed(Failure.Type);
  const chain = chainOf(certificates);
  if (chain == 0 || lengthOf(chain) == 0) return failed();
  const record = leaf;
  const read = privateKeyOf(key);
  if (read == 0 || record == 0 || !matches(load<u32>(record + Certificate.Key), read))
    return failed();
  const object = newObject(6);
  insert(object, asciiString('Certificate'), chain);
  insert(object, asciiString('PrivateKey'), keyValue(read));
  insert(object, asciiString('SupportedSignatureAlgorithms'), NULL);
  insert(object, asciiString('OCSPStaple'), NULL);
  insert(object, asciiString('SignedCertificateTimestamps'), NULL);
  insert(object, asciiString('Leaf'), withoutUriStrings(load<u32>(record + Certificate.Value)));
  return object;
}

/** The record of the first certificate of the chain that was read last, 0 when it is broken. */
let leaf: u32 = 0;

function setLeaf(pointer: u32, length: u32): void {
  leaf = readCertificate(pointer, length);
  if (leaf != 0 && certificateEnd != pointer + length) leaf = 0;
}

/** Where the text of a pair begins, once it is out of its base64; 0 when it is neither PEM nor base64. */
let pairLength: u32 = 0;
function openPair(text: u32): u32 {
  pairLength = lengthOf(text);
  if (beginsWith(textOf(text), pairLength, '-----BEGIN ')) return textOf(text);
  const decoded = decodeBase64(textOf(text), pairLength, false, true);
  pairLength = decodedLength;
  return decoded;
}

/** The certificates in base64, and the first one as `leaf`; 0 when the text is neither PEM nor base64. */
function chainOf(text: u32): u32 {
  const pointer = openPair(text);
  if (pointer == 0) return 0;
  const chain = newArray(1);
  const end = pointer + pairLength;
  leaf = 0;
  if (!beginsWith(pointer, pairLength, '-----BEGIN ')) {
    setLeaf(pointer, pairLength);
    push(chain, bytesValue(pointer, pairLength));
    return chain;
  }
  for (let p = pointer; p < end && readPem(p, end - p); ) {
    p = rest;
    if (!isBlock('CERTIFICATE')) continue;
    if (lengthOf(chain) == 0) setLeaf(block, blockLength);
    push(chain, bytesValue(block, blockLength));
  }
  return chain;
}

/** The first private key of PEM text, or that of DER; 0 when there is none or it is broken. */
function privateKeyOf(text: u32): u32 {
  const pointer = openPair(text);
  if (pointer == 0) return 0;
  const end = pointer + pairLength;
  if (!beginsWith(pointer, pairLength, '-----BEGIN')) return readAnyKey(pointer, pairLength);
  for (let p = pointer; p < end && readPem(p, end - p); p = rest) {
    const ends = isBlock('PRIVATE KEY') || endsWithPrivateKey();
    if (ends) return readAnyKey(block, blockLength);
  }
  return 0;
}

function endsWithPrivateKey(): bool {
  if (blockTypeLength < 12) return false;
  return beginsWith(blockType + blockTypeLength - 12, 12, ' PRIVATE KEY');
}

function readAnyKey(pointer: u32, length: u32): u32 {
  let key = readPkcs1(pointer, length);
  if (key == 0) key = readPkcs8(pointer, length);
  return key == 0 ? readSec1(pointer, length, 0) : key;
}

function equalNaturals(a: u32, aLength: u32, b: u32, bLength: u32): bool {
  let p = a;
  let q = b;
  while (p < a + aLength && load<u8>(p) == 0) p++;
  while (q < b + bLength && load<u8>(q) == 0) q++;
  return equalBytes(p, a + aLength - p, q, b + bLength - q);
}

/** Whether a private key is that of a public key. */
function matches(key: u32, pair: u32): bool {
  if (key == 0 || kindOfKey(key) != kindOfKey(pair) || kindOfKey(key) == KeyKind.Other)
    return false;
  if (curveOf(key) != curveOf(pair)) return false;
  return (
    equalNaturals(first(key), firstLength(key), first(pair), firstLength(pair)) &&
    equalNaturals(second(key), secondLength(key), second(pair), secondLength(pair))
  );
}
