// crypto.x509.*: certificates, requests and keys as values, and chains verified.

import { Failure, failed } from '../failure';
import { elementAt, lengthOf, newArray, push } from '../value';
import { isText } from './encoding-base64';
import { Certificate } from './x509-certificate';
import { readCertificates } from './x509-input';

/** Certificates in PEM, or in base64 of PEM or DER. */
export function b_crypto_x509_parse_certificates(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  const records = readCertificates(text);
  if (records == 0) return failed();
  return valuesOf(records);
}

function valuesOf(records: u32): u32 {
  const list = newArray(lengthOf(records));
  for (let i: u32 = 0; i < lengthOf(records); i++) {
    push(list, load<u32>(elementAt(records, i) + Certificate.Value));
  }
  return list;
}
