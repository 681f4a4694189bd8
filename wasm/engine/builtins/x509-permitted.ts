// Whether the names of a chain's certificates are within the constraints of those above (RFC 5280 section
// 4.2.1.10), as Go's checkChainConstraints says.

import { equalStrings } from '../compare';
import { elementAt, Kind, kindOf, lengthOf, newString, stringOf, textOf } from '../value';
import { fieldOf } from './crypto-jwk';
import { decodeBase64 } from './encoding-base64';
import { hostnameOf, parseUrl } from './encoding-url';
import { addressHigh, addressLow, readAddress } from './net-address';
import { isDomain } from './x509-alternative';
import { Certificate } from './x509-certificate';
import { domain, hasAt, local, lowerText, parseMailbox } from './x509-mailbox';

/** The list of this name in a certificate's value, an empty one for null. */
function count(list: u32): u32 {
  return kindOf(list) == Kind.Array ? lengthOf(list) : 0;
}

/** Whether a certificate has an extension 2.5.29.`number`. */
export function hasExtension(value: u32, number: i64): bool {
  return extensionOf(value, number) != 0;
}

/** The extension 2.5.29.`number` of a certificate's value, or 0. */
export function extensionOf(value: u32, number: i64): u32 {
  const extensions = fieldOf(value, 'Extensions');
  for (let i: u32 = 0; i < count(extensions); i++) {
    const extension = elementAt(extensions, i);
    const id = fieldOf(extension, 'Id');
    if (lengthOf(id) != 4) continue;
    const same =
      numberAt(id, 0) == 2 &&
      numberAt(id, 1) == 5 &&
      numberAt(id, 2) == 29 &&
      numberAt(id, 3) == number;
    if (same) return extension;
  }
  return 0;
}

function numberAt(list: u32, index: u32): i64 {
  return load<i64>(elementAt(list, index), 8);
}

/** Whether each certificate's names are within the constraints of all certificates above it. */
export function isPermitted(chain: u32): bool {
  for (let i: u32 = 0; i < lengthOf(chain); i++) {
    const names = load<u32>(elementAt(chain, i) + Certificate.Value);
    if (!hasExtension(names, 17)) continue;
    for (let j = i + 1; j < lengthOf(chain); j++) {
      const constraints = load<u32>(elementAt(chain, j) + Certificate.Value);
      if (hasExtension(constraints, 30) && !areWithin(names, constraints)) return false;
    }
  }
  return true;
}

function areWithin(names: u32, constraints: u32): bool {
  const addresses = fieldOf(names, 'IPAddresses');
  for (let i: u32 = 0; i < count(addresses); i++) {
    if (!isAddressWithin(elementAt(addresses, i), constraints)) return false;
  }
  const hosts = fieldOf(names, 'DNSNames');
  const hostsPermitted = fieldOf(constraints, 'PermittedDNSDomains');
  const hostsExcluded = fieldOf(constraints, 'ExcludedDNSDomains');
  for (let i: u32 = 0; i < count(hosts); i++) {
    const host = elementAt(hosts, i);
    if (!isDomain(textOf(host), lengthOf(host), false)) return false;
    if (!isDomainWithin(host, hostsPermitted, hostsExcluded)) return false;
  }
  return areUrisWithin(names, constraints) && areMailboxesWithin(names, constraints);
}

function areUrisWithin(names: u32, constraints: u32): bool {
  const uris = fieldOf(names, 'URIStrings');
  const permitted = fieldOf(constraints, 'PermittedURIDomains');
  const excluded = fieldOf(constraints, 'ExcludedURIDomains');
  for (let i: u32 = 0; i < count(uris); i++) {
    const uri = elementAt(uris, i);
    if (!parseUrl(textOf(uri), lengthOf(uri))) return false;
    const host = lowerText(hostnameOf());
    const start = textOf(host);
    // A host without a name cannot be compared with a domain, nor can an address.
    if (lengthOf(host) == 0 || readAddress(start, start + lengthOf(host))) return false;
    if (!isDomainWithin(host, permitted, excluded)) return false;
  }
  return true;
}

function areMailboxesWithin(names: u32, constraints: u32): bool {
  const addresses = fieldOf(names, 'EmailAddresses');
  const permitted = fieldOf(constraints, 'PermittedEmailAddresses');
  const excluded = fieldOf(constraints, 'ExcludedEmailAddresses');
  for (let i: u32 = 0; i < count(addresses); i++) {
    if (!parseMailbox(elementAt(addresses, i))) return false;
    const name = local;
    const host = domain;
    if (count(permitted) > 0 && !isMailboxIn(permitted, name, host, false)) return false;
    if (isMailboxIn(excluded, name, host, true)) return false;
  }
  return true;
}

function isMailboxIn(list: u32, name: u32, host: u32, excluded: bool): bool {
  for (let i: u32 = 0; i < count(list); i++) {
    const constraint = elementAt(list, i);
    if (!hasAt(constraint)) {
      if (isUnder(constraint, host, excluded)) return true;
    } else if (parseMailbox(constraint)) {
      if (equalStrings(local, name) && equalStrings(domain, host)) return true;
    }
  }
  return false;
}

function isDomainWithin(host: u32, permitted: u32, excluded: u32): bool {
  if (count(permitted) > 0 && !isDomainIn(permitted, host, false)) return false;
  return !isDomainIn(excluded, host, true);
}

function isDomainIn(list: u32, host: u32, excluded: bool): bool {
  for (let i: u32 = 0; i < count(list); i++)
    if (isUnder(elementAt(list, i), host, excluded)) return true;
  return false;
}

/** The text from the first dot on, empty without one. */
function parentOf(text: u32): u32 {
  let dot: u32 = 0;
  while (dot < lengthOf(text) && load<u8>(textOf(text) + dot) != 0x2e) dot++;
  return stringOf(textOf(text) + dot, lengthOf(text) - dot);
}

/** Whether a domain is a constraint or under it; a wildcard may be excluded by a name that it covers. */
function isUnder(constraint: u32, host: u32, excluded: bool): bool {
  const length = lengthOf(constraint);
  if (length == 0) return true;
  const suffix = lowerText(constraint);
  const name = lowerText(host);
  const from = lengthOf(name) - length;
  if (lengthOf(name) >= length) {
    const same = equalStrings(suffix, stringOf(textOf(name) + from, length));
    const whole = from == 0 || load<u8>(textOf(suffix)) == 0x2e;
    if (same && (whole || load<u8>(textOf(name) + from - 1) == 0x2e)) return true;
  }
  const wildcard = excluded && lengthOf(name) > 0 && load<u8>(textOf(name)) == 0x2a;
  const parent = wildcard ? parentOf(suffix) : newString(0);
  return lengthOf(parent) > 0 && equalStrings(parent, parentOf(name));
}

function isAddressWithin(text: u32, constraints: u32): bool {
  if (!readAddress(textOf(text), textOf(text) + lengthOf(text))) return false;
  const high = addressHigh;
  const low = addressLow;
  const permitted = fieldOf(constraints, 'PermittedIPRanges');
  if (count(permitted) > 0 && !isInRanges(permitted, high, low)) return false;
  return !isInRanges(fieldOf(constraints, 'ExcludedIPRanges'), high, low);
}

function isInRanges(ranges: u32, high: u64, low: u64): bool {
  for (let i: u32 = 0; i < count(ranges); i++) {
    const range = elementAt(ranges, i);
    const first = fieldOf(range, 'IP');
    const mask = fieldOf(range, 'Mask');
    const bytes = decodeBase64(textOf(mask), lengthOf(mask), false, true);
    if (!readAddress(textOf(first), textOf(first) + lengthOf(first))) continue;
    // Eight letters are the four bytes of an IPv4 mask, which compares with mapped addresses alone.
    const short = lengthOf(mask) == 8;
    const maskHigh: u64 = short ? u64.MAX_VALUE : bswap<u64>(load<u64>(bytes));
    const maskLow: u64 = short
      ? 0xffffffff00000000 | <u64>bswap<u32>(load<u32>(bytes))
      : bswap<u64>(load<u64>(bytes, 8));
    if (((addressHigh ^ high) & maskHigh) == 0 && ((addressLow ^ low) & maskLow) == 0) return true;
  }
  return false;
}
