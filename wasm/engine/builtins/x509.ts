// crypto.x509.*: certificates, requests and keys as values, and chains verified.

import { timeNs } from '../clock';
import { Failure, failed } from '../failure';
import { sorted } from '../object';
import { boolean, elementAt, Kind, kindOf, lengthOf, newArray, newString, push } from '../value';
import { isText } from './encoding-base64';
import { Certificate } from './x509-certificate';
import { readCertificates, withoutUriStrings } from './x509-input';
import { defaultUsages, host, readOptions, time, usages } from './x509-options';
import { verifiedChain } from './x509-verify';

/** Certificates in PEM, or in base64 of PEM or DER. */
export function b_crypto_x509_parse_certificates(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  const records = readCertificates(text);
  if (records == 0) return failed();
  return valuesOf(records);
}

/** The values of records. */
function valuesOf(records: u32): u32 {
  const list = newArray(lengthOf(records));
  for (let i: u32 = 0; i < lengthOf(records); i++) {
    push(list, load<u32>(elementAt(records, i) + Certificate.Value));
  }
  return list;
}

function outcome(valid: bool, chain: u32): u32 {
  const both = newArray(2);
  push(both, boolean(valid));
  push(both, chain);
  return both;
}

/** Verifies the last certificate: the first is the root, those between are intermediates. */
export function b_crypto_x509_parse_and_verify_certificates(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  const records = readCertificates(text);
  if (records == 0 || lengthOf(records) < 2) return outcome(false, newArray(0));
  const chain = verifiedChain(records, timeNs(), newString(0), defaultUsages());
  return chain == 0 ? outcome(false, newArray(0)) : outcome(true, valuesOf(chain));
}

/** As above, at a time, for a host and for usages of the key that the policy gives. */
export function b_crypto_x509_parse_and_verify_certificates_with_options(
  text: u32,
  options: u32,
): u32 {
  if (!isText(text) || kindOf(options) != Kind.Object) return failed(Failure.Type);
  const records = readCertificates(text);
  if (records == 0) return outcome(false, newArray(0));
  if (!readOptions(sorted(options))) return failed();
  if (lengthOf(records) < 2) return outcome(false, newArray(0));
  const chain = verifiedChain(records, time, host, usages);
  if (chain == 0) return outcome(false, newArray(0));
  const values = newArray(lengthOf(chain));
  for (let i: u32 = 0; i < lengthOf(chain); i++) {
    push(values, withoutUriStrings(load<u32>(elementAt(chain, i) + Certificate.Value)));
  }
  return outcome(true, values);
}
