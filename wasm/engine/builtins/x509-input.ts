// Finds the certificates in what a policy gives: PEM, base64 of PEM, or base64 of DER.

import { alloc } from '../../common/arena';
import { append, newObject } from '../object';
import { keyAt, lengthOf, newArray, push, textOf, valueAt } from '../value';
import { block, blockLength, isBlock, readPem, rest } from './crypto-pem';
import { beginsWith, decodeBase64, decodedLength, isAscii } from './encoding-base64';
import { certificateEnd, readCertificate } from './x509-certificate';

/** More certificates than any chain has are not read. */
const CERTIFICATES_MAX: u32 = 64;

/** An array of certificate records (x509-certificate.ts) in place of values, or 0. */
export function readCertificates(text: u32): u32 {
  const pointer = textOf(text);
  const length = lengthOf(text);
  if (beginsWith(pointer, length, '-----BEGIN')) return fromPem(pointer, length);
  const decoded = decodeBase64(pointer, length, false, true);
  if (decoded == 0) return 0;
  const bytes = decodedLength;
  if (beginsWith(decoded, bytes, '-----BEGIN')) return fromPem(decoded, bytes);
  return fromDer(decoded, bytes);
}

function fromDer(pointer: u32, length: u32): u32 {
  const records = newArray(4);
  const end = pointer + length;
  for (let p = pointer; p < end; p = certificateEnd) {
    const record = readCertificate(p, end - p);
    if (record == 0 || lengthOf(records) == CERTIFICATES_MAX) return 0;
    push(records, record);
  }
  return records;
}

/** Joins the certificates of all blocks, as OPA does; 0 when a block is something else. */
function fromPem(pointer: u32, length: u32): u32 {
  const joined = alloc(length);
  const end = pointer + length;
  let bytes: u32 = 0;
  for (let p = pointer; p < end && readPem(p, end - p); p = rest) {
    if (!isBlock('CERTIFICATE')) return 0;
    memory.copy(joined + bytes, block, blockLength);
    bytes += blockLength;
  }
  return fromDer(joined, bytes);
}

/** A certificate's value as Go's own JSON has it, without the list that OPA adds. */
export function withoutUriStrings(value: u32): u32 {
  const copy = newObject(lengthOf(value));
  for (let i: u32 = 0; i < lengthOf(value); i++) {
    if (!isAscii(keyAt(value, i), 'URIStrings')) append(copy, keyAt(value, i), valueAt(value, i));
  }
  return copy;
}
