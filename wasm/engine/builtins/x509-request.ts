// crypto.x509.parse_certificate_request: a PKCS #10 request (RFC 2986) as Go's JSON has it.

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
  openDer,
  peek,
  read,
  readAny,
  readBitString,
  readBoolean,
  readInteger,
  readOid,
  Tag,
  tag,
  toInteger,
  truth,
} from '../../crypto/der';
import { Failure, failed } from '../failure';
import { add, has, insert, newObject, newSet } from '../object';
import {
  asciiString,
  FALSE,
  integer,
  lengthOf,
  NULL,
  newArray,
  push,
  stringOf,
  TRUE,
  textOf,
} from '../value';
import { block, blockLength, isBlock, readPem } from './crypto-pem';
import { keyAlgorithm, keyValue, readPublicKey } from './crypto-public';
import { addTo, bytesValue, oidValue } from './crypto-values';
import { beginsWith, decodeBase64, decodedLength, isText } from './encoding-base64';
import { readAlternativeNames } from './x509-alternative';
import { extensionValue, Read } from './x509-extensions';
import { nameValue, stringContent } from './x509-name';
import { signatureAlgorithm } from './x509-signature';

/** A request in PEM, or in base64 of PEM or DER. */
export function b_crypto_x509_parse_certificate_request(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  let pointer = textOf(text);
  let length = lengthOf(text);
  if (!beginsWith(pointer, length, '-----BEGIN CERTIFICATE REQUEST-----')) {
    pointer = decodeBase64(pointer, length, false, true);
    if (pointer == 0) return failed();
    length = decodedLength;
  }
  if (readPem(pointer, length)) {
    if (!isBlock('CERTIFICATE REQUEST')) return failed();
    pointer = block;
    length = blockLength;
  }
  const value = requestValue(pointer, length);
  return value == 0 ? failed() : value;
}

let fields: u32 = 0;

function set(name: string, value: u32): bool {
  if (value != 0) insert(fields, asciiString(name), value);
  return value != 0;
}

/** The request's fields; 0 when it is broken or more follows. */
function requestValue(pointer: u32, length: u32): u32 {
  const outer = openDer(pointer, length);
  if (!read(outer, Tag.Sequence) || !atEnd(outer)) return 0;
  fields = newObject(20);
  set('Raw', bytesValue(element, elementLength));
  const whole = enter();
  if (!read(whole, Tag.Sequence)) return 0;
  set('RawTBSCertificateRequest', bytesValue(element, elementLength));
  const signed = enter();
  if (!read(whole, Tag.Sequence)) return 0;
  const known = signatureAlgorithm(content, contentLength);
  if (known < 0) return 0;
  set('SignatureAlgorithm', integer(known));
  if (!readBitString(whole)) return 0;
  alignRight();
  set('Signature', bytesValue(content, contentLength));
  return readSigned(signed) ? fields : 0;
}

function readSigned(cursor: u32): bool {
  if (!readInteger(cursor)) return false;
  const version = toInteger();
  if (!fits64) return false;
  set('Version', integer(version));
  if (!read(cursor, Tag.Sequence)) return false;
  set('RawSubject', bytesValue(element, elementLength));
  if (!set('Subject', nameValue(element, elementLength))) return false;
  if (!read(cursor, Tag.Sequence)) return false;
  set('RawSubjectPublicKeyInfo', bytesValue(element, elementLength));
  if (readPublicKey(enter()) == 0) return false;
  set('PublicKeyAlgorithm', integer(keyAlgorithm));
  set('PublicKey', keyValue);
  set('Attributes', NULL);
  set('Extensions', NULL);
  set('ExtraExtensions', NULL);
  set('DNSNames', NULL);
  set('EmailAddresses', NULL);
  set('IPAddresses', NULL);
  set('URIs', NULL);
  return readAttributes(cursor);
}

/** Reads the attributes; of those that Go's types do not fit nothing is told. */
function readAttributes(cursor: u32): bool {
  if (!read(cursor, Tag.ContextConstructed)) return false;
  const attributes = enter();
  const seen = newSet(4);
  while (!atEnd(attributes)) {
    if (!readAny(attributes)) return false;
    const whole = openDer(element, elementLength);
    const attribute = attributeValue(element, elementLength);
    if (attribute != 0) addTo(fields, 'Attributes', attribute);
    if (!readRequested(whole, seen)) return false;
  }
  return true;
}

/** pkix.AttributeTypeAndValueSET of an attribute whose values are lists of types and values; 0 of others. */
function attributeValue(pointer: u32, length: u32): u32 {
  const outer = openDer(pointer, length);
  if (!read(outer, Tag.Sequence)) return 0;
  const cursor = enter();
  if (!readOid(cursor)) return 0;
  const type = oidValue(content, contentLength);
  if (!read(cursor, Tag.Set)) return 0;
  const sets = enter();
  const values = newArray(1);
  while (!atEnd(sets)) {
    if (!read(sets, Tag.Sequence)) return 0;
    const items = enter();
    const list = newArray(2);
    while (!atEnd(items)) {
      if (!read(items, Tag.Sequence)) return 0;
      const item = enter();
      if (!readOid(item)) return 0;
      const id = oidValue(content, contentLength);
      // A critical extension has a BOOLEAN here, which is a value as well.
      if (!readAny(item)) return 0;
      const value = anyValue();
      if (value == 0) return 0;
      const entry = newObject(2);
      insert(entry, asciiString('Type'), id);
      insert(entry, asciiString('Value'), value);
      push(list, entry);
    }
    push(values, list);
  }
  const object = newObject(2);
  insert(object, asciiString('Type'), type);
  insert(object, asciiString('Value'), values);
  return object;
}

/** What encoding/asn1 makes of the element that was read last for an `any`; 0 for an error. */
function anyValue(): u32 {
  if (tag == Tag.OctetString) return bytesValue(content, contentLength);
  if (tag == Tag.Oid) return oidValue(content, contentLength);
  if (tag == Tag.Boolean) {
    const cursor = openDer(element, elementLength);
    return readBoolean(cursor) ? (truth ? TRUE : FALSE) : 0;
  }
  if (tag == Tag.Integer) {
    const number = toInteger();
    return fits64 ? integer(number) : 0;
  }
  const text = stringContent();
  return text == 0 ? NULL : text;
}

/** Reads the extensions that an attribute of type extensionRequest asks for; false when they are broken. */
function readRequested(outer: u32, seen: u32): bool {
  if (!read(outer, Tag.Sequence)) return true;
  const cursor = enter();
  if (!readOid(cursor)) return true;
  const wanted = isBytes(content, contentLength, '2a864886f70d01090e');
  if (!read(cursor, Tag.Set) || !wanted || contentLength == 0) return true;
  const every = enter();
  const values = enter();
  while (!atEnd(every)) if (!readAny(every)) return true;
  if (!read(values, Tag.Sequence)) return false;
  const extensions = enter();
  while (!atEnd(extensions)) {
    if (!read(extensions, Tag.Sequence) || !readExtension(enter(), seen)) return false;
  }
  return true;
}

function readExtension(cursor: u32, seen: u32): bool {
  if (!readOid(cursor)) return false;
  const oid = content;
  const oidLength = contentLength;
  const name = stringOf(oid, oidLength);
  if (has(seen, name)) return false;
  add(seen, name);
  let critical = false;
  if (peek(cursor) == Tag.Boolean) {
    if (!readBoolean(cursor)) return false;
    critical = truth;
  }
  if (!read(cursor, Tag.OctetString)) return false;
  const value = content;
  const length = contentLength;
  addTo(fields, 'Extensions', extensionValue(oidValue(oid, oidLength), critical, value, length));
  if (!isBytes(oid, oidLength, '551d11')) return true;
  return readAlternativeNames(openDer(value, length), fields) != Read.Broken;
}
