// The extensions of certificates (RFC 5280 section 4.2) that Go understands, as the fields of its JSON.

import {
  atEnd,
  content,
  contentLength,
  enter,
  fits64,
  isBytes,
  isContent,
  isInteger,
  isNegative,
  openDer,
  peek,
  present,
  read,
  readBitString,
  readBoolean,
  readInteger,
  readOid,
  readOptional,
  Tag,
  toInteger,
  truth,
} from '../../crypto/der';
import { add, has, insert, newObject, newSet } from '../object';
import { asciiString, boolean, FALSE, integer, NULL, stringOf } from '../value';
import { addTo, bytesValue, oidValue } from './crypto-values';
import { readAlternativeNames } from './x509-alternative';
import { readNameConstraints } from './x509-constraints';
import { readMappings, readPolicies } from './x509-policies';

/** What reading an extension came to. */
export const enum Read {
  Broken,
  Done,
  /** Not understood: a critical one goes to the certificate's list of them. */
  Unknown,
}

let fields: u32 = 0;

function set(name: string, value: u32): void {
  insert(fields, asciiString(name), value);
}

/** Inserts what a certificate without extensions has. */
export function beginExtensions(object: u32): void {
  fields = object;
  set('Extensions', NULL);
  set('ExtraExtensions', NULL);
  set('UnhandledCriticalExtensions', NULL);
  set('ExtKeyUsage', NULL);
  set('UnknownExtKeyUsage', NULL);
  set('SubjectKeyId', NULL);
  set('AuthorityKeyId', NULL);
  set('OCSPServer', NULL);
  set('IssuingCertificateURL', NULL);
  set('DNSNames', NULL);
  set('EmailAddresses', NULL);
  set('IPAddresses', NULL);
  set('URIs', NULL);
  set('URIStrings', NULL);
  set('PermittedDNSDomains', NULL);
  set('ExcludedDNSDomains', NULL);
  set('PermittedIPRanges', NULL);
  set('ExcludedIPRanges', NULL);
  set('PermittedEmailAddresses', NULL);
  set('ExcludedEmailAddresses', NULL);
  set('PermittedURIDomains', NULL);
  set('ExcludedURIDomains', NULL);
  set('CRLDistributionPoints', NULL);
  set('PolicyIdentifiers', NULL);
  set('Policies', NULL);
  set('PolicyMappings', NULL);
  set('KeyUsage', integer(0));
  set('MaxPathLen', integer(0));
  set('InhibitAnyPolicy', integer(0));
  set('InhibitPolicyMapping', integer(0));
  set('RequireExplicitPolicy', integer(0));
  set('BasicConstraintsValid', FALSE);
  set('IsCA', FALSE);
  set('MaxPathLenZero', FALSE);
  set('PermittedDNSDomainsCritical', FALSE);
  set('InhibitAnyPolicyZero', FALSE);
  set('InhibitPolicyMappingZero', FALSE);
  set('RequireExplicitPolicyZero', FALSE);
}

/** Reads Extensions, each at most once; false when one that Go understands is broken. */
export function readExtensions(cursor: u32, object: u32): bool {
  const seen = newSet(8);
  while (!atEnd(cursor)) {
    if (!read(cursor, Tag.Sequence)) return false;
    const inner = enter();
    if (!readOid(inner)) return false;
    const oid = content;
    const oidLength = contentLength;
    const name = stringOf(oid, oidLength);
    if (has(seen, name)) return false;
    add(seen, name);
    let critical = false;
    if (peek(inner) == Tag.Boolean) {
      if (!readBoolean(inner)) return false;
      critical = truth;
    }
    if (!read(inner, Tag.OctetString)) return false;
    const value = content;
    const valueLength = contentLength;
    const id = oidValue(oid, oidLength);
    addTo(object, 'Extensions', extensionValue(id, critical, value, valueLength));
    fields = object;
    const outcome = readOne(oid, oidLength, critical, value, valueLength);
    if (outcome == Read.Broken) return false;
    if (critical && outcome == Read.Unknown) addTo(object, 'UnhandledCriticalExtensions', id);
  }
  return true;
}

/** An extension as it stands, as Go's pkix.Extension. */
export function extensionValue(id: u32, critical: bool, pointer: u32, length: u32): u32 {
  const extension = newObject(3);
  insert(extension, asciiString('Id'), id);
  insert(extension, asciiString('Critical'), boolean(critical));
  insert(extension, asciiString('Value'), bytesValue(pointer, length));
  return extension;
}

/** Reads the extension of this type. */
function readOne(oid: u32, oidLength: u32, critical: bool, pointer: u32, length: u32): Read {
  const cursor = openDer(pointer, length);
  if (isBytes(oid, oidLength, '2b06010505070101')) {
    return critical ? Read.Broken : readAccess(cursor);
  }
  if (oidLength != 3 || !isBytes(oid, 2, '551d')) return Read.Unknown;
  const number = <u32>load<u8>(oid, 2);
  if (number == 14) return critical ? Read.Broken : readSubjectKey(cursor);
  if (number == 15) return readKeyUsage(cursor);
  if (number == 17) return readAlternativeNames(cursor, fields);
  if (number == 19) return readBasicConstraints(cursor);
  if (number == 30) return readNameConstraints(cursor, fields, critical);
  if (number == 31) return readDistributionPoints(cursor);
  if (number == 32) return readPolicies(cursor, fields);
  if (number == 33) return readMappings(cursor, fields);
  if (number == 35) return critical ? Read.Broken : readAuthorityKey(cursor);
  if (number == 36) return readPolicyConstraints(cursor);
  if (number == 37) return readExtendedUsage(cursor);
  return number == 54 ? readInhibit(cursor) : Read.Unknown;
}

function readSubjectKey(cursor: u32): Read {
  if (!read(cursor, Tag.OctetString)) return Read.Broken;
  set('SubjectKeyId', bytesValue(content, contentLength));
  return Read.Done;
}

function readAuthorityKey(cursor: u32): Read {
  if (!read(cursor, Tag.Sequence)) return Read.Broken;
  if (!readOptional(enter(), Tag.Context)) return Read.Broken;
  if (present) set('AuthorityKeyId', bytesValue(content, contentLength));
  return Read.Done;
}

function readKeyUsage(cursor: u32): Read {
  if (!readBitString(cursor)) return Read.Broken;
  let usage: u32 = 0;
  for (let i: u32 = 0; i < 9; i++) {
    if (i >> 3 >= contentLength) break;
    if (((load<u8>(content + (i >> 3)) >> (7 - (i & 7))) & 1) == 1) usage |= 1 << i;
  }
  set('KeyUsage', integer(usage));
  return Read.Done;
}

function readBasicConstraints(cursor: u32): Read {
  if (!read(cursor, Tag.Sequence)) return Read.Broken;
  const inner = enter();
  let authority = false;
  if (peek(inner) == Tag.Boolean) {
    if (!readBoolean(inner)) return Read.Broken;
    authority = truth;
  }
  let length: i64 = -1;
  if (peek(inner) == Tag.Integer) {
    if (!readInteger(inner) || isNegative()) return Read.Broken;
    length = toInteger();
    if (!fits64) return Read.Broken;
  }
  set('BasicConstraintsValid', boolean(true));
  set('IsCA', boolean(authority));
  set('MaxPathLen', integer(length));
  set('MaxPathLenZero', boolean(length == 0));
  return Read.Done;
}

function readDistributionPoints(cursor: u32): Read {
  if (!read(cursor, Tag.Sequence)) return Read.Broken;
  const points = enter();
  while (!atEnd(points)) {
    if (!read(points, Tag.Sequence)) return Read.Broken;
    if (!readOptional(enter(), Tag.ContextConstructed)) return Read.Broken;
    if (!present) continue;
    const point = enter();
    if (!read(point, Tag.ContextConstructed)) return Read.Broken;
    const names = enter();
    while (peek(names) == Tag.Context + 6) {
      if (!read(names, Tag.Context + 6)) return Read.Broken;
      addTo(fields, 'CRLDistributionPoints', stringOf(content, contentLength));
    }
  }
  return Read.Done;
}

/** Reads authority information access: where a responder and the issuer's certificate are. */
function readAccess(cursor: u32): Read {
  if (!read(cursor, Tag.Sequence)) return Read.Broken;
  const descriptions = enter();
  while (!atEnd(descriptions)) {
    if (!read(descriptions, Tag.Sequence)) return Read.Broken;
    const description = enter();
    if (!readOid(description)) return Read.Broken;
    const responder = isContent('2b06010505073001');
    const issuer = isContent('2b06010505073002');
    if (peek(description) != Tag.Context + 6) continue;
    if (!read(description, Tag.Context + 6)) return Read.Broken;
    const url = stringOf(content, contentLength);
    if (responder) addTo(fields, 'OCSPServer', url);
    else if (issuer) addTo(fields, 'IssuingCertificateURL', url);
  }
  return Read.Done;
}

function readPolicyConstraints(cursor: u32): Read {
  if (!read(cursor, Tag.Sequence)) return Read.Broken;
  const inner = enter();
  if (!readOptional(inner, Tag.Context)) return Read.Broken;
  if (present && !setSkip('RequireExplicitPolicy', 'RequireExplicitPolicyZero')) return Read.Broken;
  if (!readOptional(inner, Tag.Context + 1)) return Read.Broken;
  if (present && !setSkip('InhibitPolicyMapping', 'InhibitPolicyMappingZero')) return Read.Broken;
  return Read.Done;
}

function readInhibit(cursor: u32): Read {
  if (!read(cursor, Tag.Integer)) return Read.Broken;
  return setSkip('InhibitAnyPolicy', 'InhibitAnyPolicyZero') ? Read.Done : Read.Broken;
}

/** Sets a number of certificates after which something holds, from the element that was read last. */
function setSkip(name: string, zero: string): bool {
  if (!isInteger()) return false;
  const value = toInteger();
  if (!fits64) return false;
  set(name, integer(value));
  set(zero, boolean(value == 0));
  return true;
}

/** Go's number of the extended key usage of the content, -1 for an unknown one. */
function usageOfContent(): i32 {
  if (isContent('551d2500')) return 0;
  if (contentLength == 8 && isBytes(content, 7, '2b060105050703')) {
    const last = <i32>load<u8>(content, 7);
    return last >= 1 && last <= 9 ? last : -1;
  }
  if (isContent('2b0601040182370a0303')) return 10;
  if (isContent('6086480186f8420401')) return 11;
  if (isContent('2b060104018237020116')) return 12;
  return isContent('2b0601040182373d0101') ? 13 : -1;
}

function readExtendedUsage(cursor: u32): Read {
  if (!read(cursor, Tag.Sequence)) return Read.Broken;
  const usages = enter();
  while (!atEnd(usages)) {
    if (!readOid(usages)) return Read.Broken;
    const usage = usageOfContent();
    if (usage >= 0) addTo(fields, 'ExtKeyUsage', integer(usage));
    else addTo(fields, 'UnknownExtKeyUsage', oidValue(content, contentLength));
  }
  return Read.Done;
}
