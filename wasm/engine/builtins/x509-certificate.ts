// Reads a certificate (RFC 5280) as Go's crypto/x509 does: every field as Go's JSON has it, and what
// verifying a chain needs.

import { alloc } from '../../common/arena';
import {
  alignRight,
  atEnd,
  content,
  contentLength,
  element,
  elementLength,
  enter,
  fits64,
  isNegative,
  openDer,
  position,
  present,
  read,
  readBitString,
  readInteger,
  readOptional,
  Tag,
  toInteger,
} from '../../crypto/der';
import { insert, newObject } from '../object';
import { equalBytes } from '../text';
import { asciiString, integer } from '../value';
import { keyAlgorithm, keyValue, readPublicKey } from './crypto-public';
import { bytesValue, naturalValue, timeValue } from './crypto-values';
import { beginExtensions, readExtensions } from './x509-extensions';
import { nameValue } from './x509-name';
import { signatureAlgorithm } from './x509-signature';
import { offset, readTime, seconds } from './x509-time';

/** What a certificate is, for verification; byte strings are a pointer and a length. */
export const enum Certificate {
  /** The value that Go's JSON gives. */
  Value = 0,
  Raw = 4,
  Signed = 12,
  Issuer = 20,
  Subject = 28,
  Signature = 36,
  /** Go's number of the signature's algorithm. */
  Algorithm = 44,
  /** The public key (wasm/crypto/key.ts), 0 of an unknown algorithm. */
  Key = 48,
  Version = 52,
  NotBefore = 56,
  NotAfter = 64,
  Bytes = 72,
}

/** Where the certificate that was read last ends. */
export let certificateEnd: u32 = 0;

let fields: u32 = 0;
let record: u32 = 0;

function keep(field: u32, pointer: u32, length: u32): void {
  store<u32>(record + field, pointer);
  store<u32>(record + field, length, 4);
}

function set(name: string, value: u32): bool {
  if (value != 0) insert(fields, asciiString(name), value);
  return value != 0;
}

/** Reads one certificate; more may follow. 0 when it is broken. */
export function readCertificate(pointer: u32, length: u32): u32 {
  const outer = openDer(pointer, length);
  if (!read(outer, Tag.Sequence)) return 0;
  certificateEnd = position(outer);
  record = alloc(Certificate.Bytes);
  fields = newObject(64);
  store<u32>(record + Certificate.Value, fields);
  keep(Certificate.Raw, element, elementLength);
  set('Raw', bytesValue(element, elementLength));
  const whole = enter();
  if (!read(whole, Tag.Sequence)) return 0;
  keep(Certificate.Signed, element, elementLength);
  set('RawTBSCertificate', bytesValue(element, elementLength));
  const signed = enter();
  if (!read(whole, Tag.Sequence)) return 0;
  const algorithm = content;
  const algorithmLength = contentLength;
  if (!readSigned(signed, algorithm, algorithmLength) || !readBitString(whole)) return 0;
  alignRight();
  keep(Certificate.Signature, content, contentLength);
  set('Signature', bytesValue(content, contentLength));
  return record;
}

/** Reads what is signed, and compares its algorithm with the outer one. */
function readSigned(cursor: u32, algorithm: u32, algorithmLength: u32): bool {
  if (!readVersion(cursor) || !readInteger(cursor) || isNegative()) return false;
  if (!set('SerialNumber', naturalValue(content, contentLength))) return false;
  if (!read(cursor, Tag.Sequence) || contentLength != algorithmLength) return false;
  if (!equalBytes(content, algorithm, algorithmLength)) return false;
  const known = signatureAlgorithm(algorithm, algorithmLength);
  if (known < 0) return false;
  store<u32>(record + Certificate.Algorithm, known);
  set('SignatureAlgorithm', integer(known));
  if (!readName(cursor, 'Issuer', 'RawIssuer', Certificate.Issuer)) return false;
  if (!readValidity(cursor)) return false;
  if (!readName(cursor, 'Subject', 'RawSubject', Certificate.Subject)) return false;
  if (!read(cursor, Tag.Sequence)) return false;
  set('RawSubjectPublicKeyInfo', bytesValue(element, elementLength));
  const key = readPublicKey(enter());
  if (key == 0) return false;
  store<u32>(record + Certificate.Key, keyAlgorithm == 0 ? 0 : key);
  set('PublicKeyAlgorithm', integer(keyAlgorithm));
  set('PublicKey', keyValue);
  return readRest(cursor);
}

/** Reads the version, by default 1. */
function readVersion(cursor: u32): bool {
  let version: i64 = 0;
  if (!readOptional(cursor, Tag.ContextConstructed)) return false;
  if (present) {
    const inner = enter();
    if (!readInteger(inner) || !atEnd(inner)) return false;
    version = toInteger();
    if (!fits64 || version < 0 || version > 2) return false;
  }
  store<u32>(record + Certificate.Version, <u32>version + 1);
  set('Version', integer(version + 1));
  return true;
}

function readName(cursor: u32, name: string, raw: string, field: u32): bool {
  if (!read(cursor, Tag.Sequence)) return false;
  keep(field, element, elementLength);
  set(raw, bytesValue(element, elementLength));
  return set(name, nameValue(element, elementLength));
}

function readValidity(cursor: u32): bool {
  if (!read(cursor, Tag.Sequence)) return false;
  const times = enter();
  if (!readTime(times)) return false;
  store<i64>(record + Certificate.NotBefore, seconds);
  set('NotBefore', timeValue(seconds, offset));
  if (!readTime(times)) return false;
  store<i64>(record + Certificate.NotAfter, seconds);
  return set('NotAfter', timeValue(seconds, offset));
}

/** Reads unique identifiers and extensions, which versions 2 and 3 have. */
function readRest(cursor: u32): bool {
  beginExtensions(fields);
  const version = load<u32>(record + Certificate.Version);
  if (version == 1) return true;
  if (!readOptional(cursor, Tag.Context + 1) || !readOptional(cursor, Tag.Context + 2))
    return false;
  if (version == 2) return true;
  if (!readOptional(cursor, Tag.ContextConstructed + 3)) return false;
  if (!present) return true;
  const outer = enter();
  return read(outer, Tag.Sequence) && readExtensions(enter(), fields);
}
