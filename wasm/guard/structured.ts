// Secrets known by their structure: JSON Web Tokens (RFC 7519), private keys (RFC 7468) and credentials in URLs (RFC 3986).

import { report } from './findings';
import * as Kind from './kinds';
import { SECRETS } from './scanners';
import {
  ALNUM,
  at,
  BASE64,
  begin,
  boundary,
  count,
  DASH,
  DIGIT,
  DOT,
  end,
  is,
  LETTER,
  run,
  starts,
  TOKEN,
  UNDERSCORE,
  UPPER,
} from './text';

const SIGNATURE_MIN: u32 = 16;
const UNBOUNDED: u32 = 0x7fffffff;

/** The value of a base64url character, 0 to 63. */
function sextet(byte: u32): u32 {
  if (byte >= 0x61) return byte - 0x61 + 26;
  if (byte == 0x5f) return 63;
  if (byte >= 0x41) return byte - 0x41;
  return byte == 0x2d ? 62 : byte - 0x30 + 52;
}

/** Whether the base64url text `[p, stop)` decodes to `{…"alg"…}`. */
function isHeader(p: u32, stop: u32): bool {
  let bits: u32 = 0;
  let have: u32 = 0;
  let recent: u64 = 0;
  let named = false;
  count(stop - p);
  for (let q = p; q < stop; q++) {
    bits = (bits << 6) | sextet(load<u8>(q));
    have += 6;
    if (have < 8) continue;
    have -= 8;
    recent = ((recent << 8) | <u64>((bits >> have) & 0xff)) & 0xffffffffff;
    // The five bytes "alg" with their quotes.
    if (recent == 0x22616c6722) named = true;
  }
  return named && (recent & 0xff) == 0x7d;
}

/**
 * Reports the JSON Web Token whose header ends with the dot at `p`. Looking back from the dot reads each
 * run once; the last `eyJ` at a word's beginning is the header's, whatever stands before it.
 */
export function jwtAt(p: u32): void {
  if (!starts(p + 1, 'eyJ') && !starts(p + 1, 'e30')) return;
  let q = p;
  let header: u32 = 0;
  while (q > begin && is(q - 1, TOKEN)) {
    q--;
    if (header == 0 && load<u8>(q) == 0x65 && starts(q, 'eyJ') && boundary(q)) header = q;
  }
  count(p - q);
  if (header == 0) return;
  const payload = run(p + 1, TOKEN, UNBOUNDED);
  if (at(payload) != 0x2e) return;
  const stop = run(payload + 1, TOKEN, UNBOUNDED);
  if (stop - payload > SIGNATURE_MIN && isHeader(header, p))
    report(header, stop, SECRETS, Kind.JWT, 1000);
}

/** Whether the label `[p, stop)` of a PEM block names a private key. */
function namesPrivateKey(p: u32, stop: u32): bool {
  for (let q = p; q < stop; q++) {
    if (starts(q, 'PRIVATE KEY'))
      return q + 11 == stop || (starts(q + 11, ' BLOCK') && q + 17 == stop);
  }
  return false;
}

/** The end of the label at `p`: capitals, digits and spaces, at most 64. */
function labelEnd(p: u32): u32 {
  let q = p;
  while (q < end && q - p < 64 && (at(q) == 0x20 || is(q, UPPER | DIGIT))) q++;
  count(q - p);
  return q;
}

function isBody(p: u32): bool {
  if (is(p, ALNUM | BASE64 | DOT)) return true;
  const byte = at(p);
  if (byte == 0x2d) return !starts(p, '-----');
  return (
    byte == 0x20 ||
    byte == 0x0a ||
    byte == 0x0d ||
    byte == 0x09 ||
    byte == 0x3d ||
    byte == 0x3a ||
    byte == 0x2c ||
    byte == 0x5c
  );
}

/** Reports the private key whose first dash is at `p`, to its end line if it has one; returns its end, or 0. */
export function privateKeyAt(p: u32): u32 {
  if (!starts(p, '-----BEGIN ')) return 0;
  const label = labelEnd(p + 11);
  if (!starts(label, '-----') || !namesPrivateKey(p + 11, label)) return 0;
  let q = label + 5;
  while (q < end && isBody(q)) q++;
  count(q - label);
  if (starts(q, '-----END ')) {
    const last = labelEnd(q + 9);
    if (starts(last, '-----')) q = last + 5;
  } else {
    q = label + 5;
  }
  report(p, q, SECRETS, Kind.PRIVATE_KEY, 1000);
  return q;
}

/** Whether the byte at `p` may stand in the user information of a URL, its colon aside. */
function isUserInformation(p: u32): bool {
  const byte = at(p);
  if (byte <= 0x20 || byte == 0x22 || byte == 0x27 || byte == 0x3c || byte == 0x3e) return false;
  return (
    byte != 0x2f && byte != 0x3f && byte != 0x23 && byte != 0x40 && byte != 0x5c && byte != 0x60
  );
}

/** Whether the password `[p, stop)` is a stand-in: stars, or the syntax of a variable, a call or an index. */
export function isStandIn(p: u32, stop: u32): bool {
  const first = at(p);
  if (first == 0x24 || first == 0x7b || first == 0x3c || first == 0x5b || first == 0x25)
    return true;
  let same = true;
  for (let q = p; q < stop; q++) {
    if (at(q) != first) same = false;
    if (at(q) == 0x28 || at(q) == 0x5b) return true;
    if (at(q) == 0x24 && at(q + 1) == 0x7b) return true;
  }
  count(stop - p);
  return same;
}

/** Reports `scheme://user:password@host` around the colon at `p`. */
export function urlCredentialsAt(p: u32): void {
  if (!starts(p, '://') || !is(p - 1, ALNUM)) return;
  let user = p + 3;
  let colon: u32 = 0;
  while (isUserInformation(user)) {
    if (colon == 0 && at(user) == 0x3a) colon = user;
    user++;
  }
  count(user - p);
  if (at(user) != 0x40 || colon == 0 || user - colon < 2 || !is(user + 1, ALNUM | UNDERSCORE))
    return;
  if (isStandIn(colon + 1, user)) return;
  let scheme = p;
  while (p - scheme < 32 && is(scheme - 1, LETTER | DIGIT | DASH | DOT | BASE64)) scheme--;
  report(scheme, user, SECRETS, Kind.URL_CREDENTIALS, 1000);
}
