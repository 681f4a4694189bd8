// The CRC-32 at the end of tokens: GitHub's and npm's in base 62, GitLab's in base 36, Grafana's in hexadecimal.

import { DIGIT, kindOf, LOWER, OTHER } from './letters';

const UNDERSCORE: u32 = 0x5f;
const HEX_DIGITS: u32 = 8;

/** CRC-32 of the bytes (ISO-HDLC: reflected, 0xEDB88320), as zlib counts it. */
function crc32(start: usize, end: usize): u32 {
  let crc: u32 = 0xffffffff;
  for (let p = start; p < end; p++) {
    crc ^= load<u8>(p);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & (0 - (crc & 1)));
  }
  return crc ^ 0xffffffff;
}

/** The value of a digit: 0-9, then A-Z, then a-z. */
function digitOf(byte: u32): u32 {
  const kind = kindOf(byte);
  if (kind == DIGIT) return byte - 0x30;
  return kind == LOWER ? byte - 0x61 + 36 : byte - 0x41 + 10;
}

/**
 * Whether the last six digits are the CRC of what stands between the first underscore and them.
 * https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
 */
export function endsInBase62Crc(start: usize, end: usize): bool {
  let body = start;
  while (body < end && load<u8>(body) != UNDERSCORE) body++;
  body++;
  if (body + 6 >= end) return false;
  let crc: u64 = 0;
  for (let p = end - 6; p < end; p++) {
    const byte: u32 = load<u8>(p);
    if (kindOf(byte) == OTHER) return false;
    crc = crc * 62 + digitOf(byte);
  }
  return crc == <u64>crc32(body, end - 6);
}

/**
 * Whether the last seven digits are the CRC of all that stands before them.
 * https://handbook.gitlab.com/handbook/engineering/architecture/design-documents/cells/routable_tokens/
 */
export function endsInBase36Crc(start: usize, end: usize): bool {
  if (start + 7 >= end) return false;
  let crc: u64 = 0;
  for (let p = end - 7; p < end; p++) {
    const byte: u32 = load<u8>(p);
    const kind = kindOf(byte);
    if (kind != DIGIT && kind != LOWER) return false;
    crc = crc * 36 + (kind == DIGIT ? byte - 0x30 : byte - 0x61 + 10);
  }
  return crc == <u64>crc32(start, end - 7);
}

/** Whether `…_` and eight hexadecimal digits are the CRC, least byte first, of what stands before the underscore. */
export function endsInHexCrc(start: usize, end: usize): bool {
  if (start + HEX_DIGITS + 1 >= end) return false;
  const crc = crc32(start, end - HEX_DIGITS - 1);
  for (let i: u32 = 0; i < HEX_DIGITS; i++) {
    const nibble = (crc >>> (((i >>> 1) << 3) + ((i & 1) == 0 ? 4 : 0))) & 15;
    const wanted = nibble < 10 ? nibble + 0x30 : nibble - 10 + 0x61;
    if (<u32>load<u8>(end - HEX_DIGITS + i) != wanted) return false;
  }
  return true;
}
