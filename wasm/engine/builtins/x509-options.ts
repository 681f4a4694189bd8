// The options of crypto.x509.parse_and_verify_certificates_with_options.

import { timeNs } from '../clock';
import {
  elementAt,
  integer,
  integerOf,
  isInteger,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newArray,
  newString,
  push,
  stringOf,
  textOf,
  valueAt,
} from '../value';
import { isAscii, isText } from './encoding-base64';

/** Of the options that were read last: nanoseconds since 1970, a host or an empty string, Go's numbers. */
export let time: i64 = 0;
export let host: u32 = 0;
export let usages: u32 = 0;
let isTimed: bool = false;

/** What a certificate is verified for when nothing is asked: a server. */
export function defaultUsages(): u32 {
  const list = newArray(1);
  push(list, integer(1));
  return list;
}

/** The text without quotes around it. */
function unquoted(text: u32): u32 {
  let start = textOf(text);
  let end = start + lengthOf(text);
  while (start < end && load<u8>(start) == 0x22) start++;
  while (end > start && load<u8>(end - 1) == 0x22) end--;
  return stringOf(start, end - start);
}

/** Reads the options; false when one is unknown or has a wrong type. */
export function readOptions(options: u32): bool {
  isTimed = false;
  host = newString(0);
  usages = newArray(0);
  for (let i: u32 = 0; i < lengthOf(options); i++) {
    const name = keyAt(options, i);
    if (isText(name) && !readOption(name, valueAt(options, i))) return false;
  }
  if (!isTimed) time = timeNs();
  if (lengthOf(usages) == 0) usages = defaultUsages();
  return true;
}

function readOption(name: u32, value: u32): bool {
  const kind = kindOf(value);
  if (isAscii(name, 'DNSName')) {
    if (kind == Kind.String) host = unquoted(value);
    return kind == Kind.String;
  }
  if (isAscii(name, 'CurrentTime')) {
    if (kind != Kind.Number || !isInteger(value)) return false;
    time = integerOf(value);
    isTimed = true;
    return true;
  }
  // Go has its own limit, and so has the chain here.
  if (isAscii(name, 'MaxConstraintComparisons')) return kind == Kind.Number && isInteger(value);
  if (!isAscii(name, 'KeyUsages') || (kind != Kind.Array && kind != Kind.Set)) return false;
  for (let i: u32 = 0; i < lengthOf(value); i++) {
    const usage = kind == Kind.Set ? keyAt(value, i) : elementAt(value, i);
    if (!isText(usage)) continue;
    const number = numberOf(unquoted(usage));
    if (number < 0) return false;
    push(usages, integer(number));
  }
  return true;
}

/** Go's number of a key usage, -1 for an unknown one. */
function numberOf(name: u32): i32 {
  if (isAscii(name, 'KeyUsageAny')) return 0;
  if (isAscii(name, 'KeyUsageServerAuth')) return 1;
  if (isAscii(name, 'KeyUsageClientAuth')) return 2;
  if (isAscii(name, 'KeyUsageCodeSigning')) return 3;
  if (isAscii(name, 'KeyUsageEmailProtection')) return 4;
  if (isAscii(name, 'KeyUsageIPSECEndSystem')) return 5;
  if (isAscii(name, 'KeyUsageIPSECTunnel')) return 6;
  if (isAscii(name, 'KeyUsageIPSECUser')) return 7;
  if (isAscii(name, 'KeyUsageTimeStamping')) return 8;
  if (isAscii(name, 'KeyUsageOCSPSigning')) return 9;
  if (isAscii(name, 'KeyUsageMicrosoftServerGatedCrypto')) return 10;
  if (isAscii(name, 'KeyUsageNetscapeServerGatedCrypto')) return 11;
  if (isAscii(name, 'KeyUsageMicrosoftCommercialCodeSigning')) return 12;
  return isAscii(name, 'KeyUsageMicrosoftKernelCodeSigning') ? 13 : -1;
}
