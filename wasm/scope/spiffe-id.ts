// Reads SPIFFE IDs by the rules of the SPIFFE-ID standard, section 2, one error for each rule.
// https://github.com/spiffe/spiffe/blob/main/standards/SPIFFE-ID.md#2-spiffe-identity

import {
  OK,
  SPIFFE_FRAGMENT,
  SPIFFE_ID_EMPTY,
  SPIFFE_ID_TOO_LONG,
  SPIFFE_PATH_CHARACTER,
  SPIFFE_PATH_DOT_SEGMENT,
  SPIFFE_PATH_EMPTY_SEGMENT,
  SPIFFE_PATH_TRAILING_SLASH,
  SPIFFE_PERCENT_ENCODING,
  SPIFFE_PORT,
  SPIFFE_QUERY,
  SPIFFE_SCHEME_WRONG,
  SPIFFE_TRUST_DOMAIN_CHARACTER,
  SPIFFE_TRUST_DOMAIN_MISSING,
  SPIFFE_TRUST_DOMAIN_TOO_LONG,
  SPIFFE_USER_INFO,
  SPIFFE_WILDCARD,
} from '../common/errors';

const ID_BYTES_MAX: u32 = 2048;
const TRUST_DOMAIN_BYTES_MAX: u32 = 255;
/** The length of `spiffe://`. */
const SCHEME_BYTES: u32 = 9;

const SLASH: u32 = 0x2f;
const DOT: u32 = 0x2e;

/** Where the last checked ID's trust domain ends and its path, which may be empty, begins. */
export let pathStart: u32 = 0;

/** Checks one SPIFFE ID; returns the error number of the first rule that it breaks. */
export function checkSpiffeId(pointer: u32, length: u32): i32 {
  if (length == 0) return SPIFFE_ID_EMPTY;
  if (length > ID_BYTES_MAX) return SPIFFE_ID_TOO_LONG;
  if (!hasScheme(pointer, length)) return SPIFFE_SCHEME_WRONG;
  const start = pointer + SCHEME_BYTES;
  const end = pointer + length;
  const error = checkTrustDomain(start, end);
  if (error != OK || pathStart == end) return error;
  return checkPath(pathStart, end);
}

/** Where the trust domain of an ID begins. */
export function trustDomainStart(pointer: u32): u32 {
  return pointer + SCHEME_BYTES;
}

function hasScheme(p: u32, length: u32): bool {
  // "spiffe:/" as a little-endian word, then the second slash.
  return length >= SCHEME_BYTES && load<u64>(p) == 0x2f3a656666697073 && load<u8>(p, 8) == SLASH;
}

/** Section 2.1: lower-case letters, digits, dots, hyphens and underscores, at most 255 bytes. */
function checkTrustDomain(start: u32, end: u32): i32 {
  let p = start;
  while (p < end) {
    const byte = <u32>load<u8>(p);
    if (byte == SLASH) break;
    if (!isTrustDomainCharacter(byte)) {
      return reserved(byte, true, SPIFFE_TRUST_DOMAIN_CHARACTER);
    }
    p += 1;
  }
  if (p == start) return SPIFFE_TRUST_DOMAIN_MISSING;
  if (p - start > TRUST_DOMAIN_BYTES_MAX) return SPIFFE_TRUST_DOMAIN_TOO_LONG;
  pathStart = p;
  return OK;
}

/** Section 2.2: segments of letters, digits, dots, hyphens and underscores; none empty, `.` or `..`. */
function checkPath(start: u32, end: u32): i32 {
  let segment = start + 1;
  for (let p = segment; p <= end; p++) {
    const byte: u32 = p < end ? load<u8>(p) : SLASH;
    if (byte != SLASH) {
      if (!isPathCharacter(byte)) return reserved(byte, false, SPIFFE_PATH_CHARACTER);
      continue;
    }
    const length = p - segment;
    if (length == 0) return p == end ? SPIFFE_PATH_TRAILING_SLASH : SPIFFE_PATH_EMPTY_SEGMENT;
    if (isDots(segment, length)) return SPIFFE_PATH_DOT_SEGMENT;
    segment = p + 1;
  }
  return OK;
}

function isDots(p: u32, length: u32): bool {
  return length <= 2 && load<u8>(p) == DOT && load<u8>(p + length - 1) == DOT;
}

function isTrustDomainCharacter(byte: u32): bool {
  return (
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte == DOT ||
    byte == 0x2d ||
    byte == 0x5f
  );
}

function isPathCharacter(byte: u32): bool {
  return isTrustDomainCharacter(byte) || (byte >= 0x41 && byte <= 0x5a);
}

/** The rule that a character with a meaning in URIs breaks, so that the message can say what it is. */
function reserved(byte: u32, inAuthority: bool, otherwise: i32): i32 {
  if (byte == 0x3f) return SPIFFE_QUERY;
  if (byte == 0x23) return SPIFFE_FRAGMENT;
  if (byte == 0x25) return SPIFFE_PERCENT_ENCODING;
  if (byte == 0x2a) return SPIFFE_WILDCARD;
  if (inAuthority && byte == 0x40) return SPIFFE_USER_INFO;
  if (inAuthority && byte == 0x3a) return SPIFFE_PORT;
  return otherwise;
}
