// What stands in base64 inside tokens: the header of a web token, a macaroon, the login of a Basic header.

import { DIGIT, kindOf, LOWER, OTHER, UPPER } from './letters';

const DOT: u32 = 0x2e;
const COLON: u32 = 0x3a;
const DASH: u32 = 0x2d;
/** `eyJ` and `"alg"`, as bytes in a row. */
const EYJ: u32 = 0x65794a;
const ALG: u64 = 0x22616c6722;

/** The value of a character of base64 or base64url, 64 for another. */
function sextet(byte: u32): u32 {
  const kind = kindOf(byte);
  if (kind == LOWER) return byte - 0x61 + 26;
  if (kind == UPPER) return byte - 0x41;
  if (kind == DIGIT) return byte - 0x30 + 52;
  if (byte == 0x2b || byte == DASH) return 62;
  return byte == 0x2f || byte == 0x5f ? 63 : 64;
}

let at: usize = 0;
let stop: usize = 0;
let bits: u32 = 0;
let have: u32 = 0;

function open(start: usize, end: usize): void {
  at = start;
  stop = end;
  bits = 0;
  have = 0;
}

/** The next decoded byte, or -1 behind the last. */
function next(): i32 {
  while (have < 8) {
    if (at >= stop) return -1;
    const value = sextet(load<u8>(at++));
    if (value == 64) return -1;
    bits = (bits << 6) | value;
    have += 6;
  }
  have -= 8;
  return <i32>((bits >>> have) & 0xff);
}

/** Whether the text decodes to `{…"alg"…}`: what the header of a web token has to be (RFC 7515). */
function isHeader(start: usize, end: usize): bool {
  let recent: u64 = 0;
  let named = false;
  open(start, end);
  for (let byte = next(); byte >= 0; byte = next()) {
    recent = ((recent << 8) | <u64>byte) & 0xffffffffff;
    if (recent == ALG) named = true;
  }
  return named && (recent & 0xff) == 0x7d;
}

/** Whether what stands before the first dot ends with a header: the last `eyJ` at a word's beginning begins it. */
export function isWebToken(start: usize, end: usize): bool {
  let dot = start;
  let header = start;
  let recent: u32 = 0;
  for (; dot < end && load<u8>(dot) != DOT; dot++) {
    recent = ((recent << 8) | load<u8>(dot)) & 0xffffff;
    const first = dot - 2;
    if (recent == EYJ && first > start && kindOf(load<u8>(first - 1)) == OTHER) header = first;
  }
  return isHeader(header, dot);
}

/**
 * Whether what follows the first hyphen is a macaroon: version 2, then its location as the first field.
 * https://docs.pypi.org/api/secrets/, https://github.com/rescrv/libmacaroons/blob/master/doc/format.txt
 */
export function isMacaroon(start: usize, end: usize): bool {
  let body = start;
  while (body < end && load<u8>(body) != DASH) body++;
  open(body + 1, end);
  if (next() != 2 || next() != 1) return false;
  const length = next();
  if (length < 4 || length > 64) return false;
  let dots = 0;
  for (let i = 0; i < length; i++) {
    const byte = next();
    if (byte == DOT) dots++;
    else if (byte != DASH && (byte < 0 || kindOf(byte) == OTHER)) return false;
  }
  return dots > 0;
}

/** Whether the text is a user name, a colon and a password in ASCII (RFC 7617). */
export function isBasicLogin(start: usize, end: usize): bool {
  let length = 0;
  let colon = -1;
  let end64 = end;
  while (end64 > start && load<u8>(end64 - 1) == 0x3d) end64--;
  open(start, end64);
  for (let byte = next(); byte >= 0; byte = next()) {
    if (byte < 0x20 || byte > 0x7e) return false;
    if (byte == COLON && colon < 0) colon = length;
    length++;
  }
  return colon > 0 && length - colon > 3;
}
