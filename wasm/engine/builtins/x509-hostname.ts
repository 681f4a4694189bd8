// Whether a certificate is for a host (RFC 6125), as Go's VerifyHostname says.

import { equalStrings } from '../compare';
import { elementAt, Kind, kindOf, lengthOf, stringOf, textOf } from '../value';
import { fieldOf } from './crypto-jwk';
import { addAddress, addressHigh, addressLow, readAddress } from './net-address';
import { beginText, finishText } from './text-builder';
import { lowerText } from './x509-mailbox';

/** Whether the certificate of this value is for the host: an address, or a name with or without wildcard. */
export function isForHost(certificate: u32, host: u32): bool {
  let start = textOf(host);
  let end = start + lengthOf(host);
  if (end - start >= 3 && load<u8>(start) == 0x5b && load<u8>(end - 1) == 0x5d) {
    start++;
    end--;
  }
  if (readAddress(start, end)) {
    beginText();
    addAddress(addressHigh, addressLow);
    return hasText(fieldOf(certificate, 'IPAddresses'), finishText());
  }
  const names = fieldOf(certificate, 'DNSNames');
  if (kindOf(names) != Kind.Array) return false;
  const wanted = lowerText(host);
  const valid = isHostname(wanted, false);
  for (let i: u32 = 0; i < lengthOf(names); i++) {
    const name = lowerText(elementAt(names, i));
    const matched = valid && isHostname(name, true) ? matches(name, wanted) : isSame(name, wanted);
    if (matched) return true;
  }
  return false;
}

function hasText(list: u32, text: u32): bool {
  if (kindOf(list) != Kind.Array) return false;
  for (let i: u32 = 0; i < lengthOf(list); i++)
    if (equalStrings(elementAt(list, i), text)) return true;
  return false;
}

/** Whether two names that are no host names are the same. */
function isSame(name: u32, wanted: u32): bool {
  const length = lengthOf(name);
  if (length == 0 || (length == 1 && load<u8>(textOf(name)) == 0x2e)) return false;
  return equalStrings(name, wanted);
}

/** The text without a dot at the end. */
function trimmed(text: u32): u32 {
  const length = lengthOf(text);
  const dot = length > 0 && load<u8>(textOf(text) + length - 1) == 0x2e;
  return dot ? stringOf(textOf(text), length - 1) : text;
}

/** Whether a text is a host name, or with `pattern` one that may begin with a wildcard. */
function isHostname(text: u32, pattern: bool): bool {
  const name = pattern ? text : trimmed(text);
  const start = textOf(name);
  const end = start + lengthOf(name);
  if (start == end || (end == start + 1 && load<u8>(start) == 0x2a)) return false;
  let label = start;
  for (let p = start; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte == 0x2e) {
      if (p == label) return false;
      label = p + 1;
      continue;
    }
    if (byte == 0x2a) {
      const whole = pattern && p == start && p + 1 < end && load<u8>(p, 1) == 0x2e;
      if (!whole) return false;
      continue;
    }
    const letter = (byte | 0x20) - 0x61 <= 25 || byte - 0x30 <= 9 || byte == 0x5f;
    if (!letter && (byte != 0x2d || p == label)) return false;
  }
  return label < end;
}

/** Whether a host name is the pattern, whose first label may be a wildcard. */
function matches(pattern: u32, host: u32): bool {
  const name = trimmed(host);
  if (load<u8>(textOf(pattern)) != 0x2a) return equalStrings(pattern, name);
  let dot: u32 = 0;
  while (dot < lengthOf(name) && load<u8>(textOf(name) + dot) != 0x2e) dot++;
  if (dot == 0) return false;
  return equalStrings(
    stringOf(textOf(pattern) + 1, lengthOf(pattern) - 1),
    stringOf(textOf(name) + dot, lengthOf(name) - dot),
  );
}
