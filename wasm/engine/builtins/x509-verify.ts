// Finds a chain from a certificate to a root and checks it (RFC 5280 section 6), as Go's Certificate.Verify.
//
// One limit beside Go's: a chain in which an authority requires explicit policies is not trusted, because the
// policies' tree (RFC 9618) is not computed here.

import { equalStrings } from '../compare';
import { equalBytes } from '../text';
import { elementAt, integerOf, Kind, kindOf, lengthOf, newArray, push, TRUE } from '../value';
import { fieldOf } from './crypto-jwk';
import { isAscii } from './encoding-base64';
import { Certificate } from './x509-certificate';
import { isForHost } from './x509-hostname';
import { extensionOf, isPermitted } from './x509-permitted';
import { isSigned } from './x509-signature';

/** The most signatures that are checked for one chain, as in Go. */
const CHECKS_MAX: u32 = 100;
/** The longest chain that is looked for. */
const CHAIN_MAX: u32 = 16;

// What is asked for: seconds and nanoseconds of the time, and the usages, -1 for a single 'any'.
let time: i64 = 0;
let nanoseconds: i64 = 0;
let usages: u32 = 0;
let records: u32 = 0;
let checks: u32 = 0;

function valueOf(record: u32): u32 {
  return load<u32>(record + Certificate.Value);
}

function sameBytes(a: u32, aField: u32, b: u32, bField: u32): bool {
  const length = load<u32>(a + aField, 4);
  if (length != load<u32>(b + bField, 4)) return false;
  return equalBytes(load<u32>(a + aField), load<u32>(b + bField), length);
}

/**
 * The chain, an array of records from the last certificate to the first, which is the root; 0 without one.
 * `host` is a string, empty for any; `wanted` an array of Go's numbers of key usages, one of which has to do.
 */
export function verifiedChain(all: u32, now: i64, host: u32, wanted: u32): u32 {
  records = all;
  time = now / 1000000000;
  nanoseconds = now % 1000000000;
  if (nanoseconds < 0) {
    time -= 1;
    nanoseconds += 1000000000;
  }
  usages = wanted;
  checks = 0;
  const leaf = elementAt(all, lengthOf(all) - 1);
  if (!isUsable(leaf)) return 0;
  if (lengthOf(host) > 0 && !isForHost(valueOf(leaf), host)) return 0;
  const chain = newArray(4);
  push(chain, leaf);
  if (sameBytes(leaf, Certificate.Raw, elementAt(all, 0), Certificate.Raw)) {
    return isAcceptable(chain) ? chain : 0;
  }
  return extend(chain);
}

/** Whether nothing critical in a certificate is unknown and it is valid at the time. */
function isUsable(record: u32): bool {
  if (kindOf(fieldOf(valueOf(record), 'UnhandledCriticalExtensions')) == Kind.Array) return false;
  const from = load<i64>(record + Certificate.NotBefore);
  const to = load<i64>(record + Certificate.NotAfter);
  return time >= from && (time < to || (time == to && nanoseconds == 0));
}

/** The first acceptable chain that goes on from this one: with the root, then with intermediates. */
function extend(chain: u32): u32 {
  const length = lengthOf(chain);
  if (length == CHAIN_MAX) return 0;
  const child = elementAt(chain, length - 1);
  const root = elementAt(records, 0);
  if (isIssuer(child, root, chain, true)) {
    const whole = longer(chain, root);
    if (isAcceptable(whole)) return whole;
  }
  // Those whose key's name is the one that the child gives come first, as in Go.
  for (let rank: u32 = 0; rank < 3; rank++) {
    for (let i: u32 = 1; i + 1 < lengthOf(records); i++) {
      const candidate = elementAt(records, i);
      if (isRepeated(i) || rankOf(child, candidate) != rank) continue;
      if (!isIssuer(child, candidate, chain, false)) continue;
      const found = extend(longer(chain, candidate));
      if (found != 0) return found;
    }
  }
  return 0;
}

/** Whether an intermediate was given before. */
function isRepeated(index: u32): bool {
  const record = elementAt(records, index);
  for (let i: u32 = 1; i < index; i++) {
    if (sameBytes(elementAt(records, i), Certificate.Raw, record, Certificate.Raw)) return true;
  }
  return false;
}

function longer(chain: u32, record: u32): u32 {
  const copy = newArray(lengthOf(chain) + 1);
  for (let i: u32 = 0; i < lengthOf(chain); i++) push(copy, elementAt(chain, i));
  push(copy, record);
  return copy;
}

/** How well a candidate's key identifier fits the child's: 0 equal, 1 one is missing, 2 different. */
function rankOf(child: u32, candidate: u32): u32 {
  const wanted = fieldOf(valueOf(child), 'AuthorityKeyId');
  const own = fieldOf(valueOf(candidate), 'SubjectKeyId');
  const wantedLength: u32 = kindOf(wanted) == Kind.String ? lengthOf(wanted) : 0;
  const ownLength: u32 = kindOf(own) == Kind.String ? lengthOf(own) : 0;
  if (wantedLength == 0 && ownLength == 0) return 0;
  if (wantedLength == 0 || ownLength == 0) return 1;
  return equalStrings(wanted, own) ? 0 : 2;
}

/** Whether a candidate may follow the child in the chain and signed it. */
function isIssuer(child: u32, candidate: u32, chain: u32, root: bool): bool {
  if (!sameBytes(child, Certificate.Issuer, candidate, Certificate.Subject)) return false;
  if (++checks > CHECKS_MAX || isInChain(candidate, chain)) return false;
  const value = valueOf(candidate);
  const constrained = fieldOf(value, 'BasicConstraintsValid') == TRUE;
  const authority = fieldOf(value, 'IsCA') == TRUE;
  const versionThree = load<u32>(candidate + Certificate.Version) == 3;
  if ((versionThree && !constrained) || (constrained && !authority)) return false;
  const usage = integerOf(fieldOf(value, 'KeyUsage'));
  if (usage != 0 && (usage & 32) == 0) return false;
  const signed = isSigned(
    load<u32>(child + Certificate.Algorithm),
    load<u32>(candidate + Certificate.Key),
    load<u32>(child + Certificate.Signed),
    load<u32>(child + Certificate.Signed, 4),
    load<u32>(child + Certificate.Signature),
    load<u32>(child + Certificate.Signature, 4),
  );
  if (!signed || !isUsable(candidate)) return false;
  if (!root && (!constrained || !authority)) return false;
  const longest = integerOf(fieldOf(value, 'MaxPathLen'));
  return !constrained || longest < 0 || <i64>lengthOf(chain) - 1 <= longest;
}

/** Whether a certificate of the same name, key and alternative names is in the chain. */
function isInChain(candidate: u32, chain: u32): bool {
  const names = extensionOf(valueOf(candidate), 17);
  const key = fieldOf(valueOf(candidate), 'RawSubjectPublicKeyInfo');
  for (let i: u32 = 0; i < lengthOf(chain); i++) {
    const record = elementAt(chain, i);
    if (!sameBytes(record, Certificate.Subject, candidate, Certificate.Subject)) continue;
    if (!equalStrings(fieldOf(valueOf(record), 'RawSubjectPublicKeyInfo'), key)) continue;
    const others = extensionOf(valueOf(record), 17);
    if (names == 0 || others == 0) return names == others;
    if (equalStrings(fieldOf(names, 'Value'), fieldOf(others, 'Value'))) return true;
  }
  return false;
}

function isAcceptable(chain: u32): bool {
  return hasPolicies(chain) && hasUsage(chain) && isPermitted(chain);
}

/** Whether one of the usages that are asked for is allowed by every certificate. */
function hasUsage(chain: u32): bool {
  for (let i: u32 = 0; i < lengthOf(usages); i++) {
    const usage = integerOf(elementAt(usages, i));
    if (usage == 0) return true;
    let allowed = true;
    for (let j: u32 = 0; j < lengthOf(chain) && allowed; j++) {
      allowed = allowsUsage(valueOf(elementAt(chain, j)), usage);
    }
    if (allowed) return true;
  }
  return false;
}

function allowsUsage(value: u32, usage: i64): bool {
  const known = fieldOf(value, 'ExtKeyUsage');
  if (kindOf(known) != Kind.Array)
    return kindOf(fieldOf(value, 'UnknownExtKeyUsage')) != Kind.Array;
  for (let i: u32 = 0; i < lengthOf(known); i++) {
    const number = integerOf(elementAt(known, i));
    if (number == 0 || number == usage) return true;
  }
  return false;
}

/** Whether no authority requires explicit policies and none maps the policy that stands for all. */
function hasPolicies(chain: u32): bool {
  const last = lengthOf(chain) - 1;
  if (last == 0) return true;
  let explicit: i64 = <i64>last + 1;
  for (let i = last; i > 0; i--) {
    const record = elementAt(chain, i - 1);
    if (explicit == 0) return false;
    if (i == 1) break;
    const value = valueOf(record);
    if (mapsAny(value)) return false;
    if (!sameBytes(record, Certificate.Issuer, record, Certificate.Subject)) explicit -= 1;
    const required = integerOf(fieldOf(value, 'RequireExplicitPolicy'));
    const zero = fieldOf(value, 'RequireExplicitPolicyZero') == TRUE;
    if ((required > 0 || zero) && required < explicit) explicit = required;
  }
  if (explicit > 0) explicit -= 1;
  if (fieldOf(valueOf(elementAt(chain, 0)), 'RequireExplicitPolicyZero') == TRUE) explicit = 0;
  return explicit > 0;
}

function mapsAny(value: u32): bool {
  const mappings = fieldOf(value, 'PolicyMappings');
  if (kindOf(mappings) != Kind.Array) return false;
  for (let i: u32 = 0; i < lengthOf(mappings); i++) {
    const mapping = elementAt(mappings, i);
    if (isAscii(fieldOf(mapping, 'IssuerDomainPolicy'), '2.5.29.32.0')) return true;
    if (isAscii(fieldOf(mapping, 'SubjectDomainPolicy'), '2.5.29.32.0')) return true;
  }
  return false;
}
