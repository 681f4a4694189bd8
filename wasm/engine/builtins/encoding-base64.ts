// Base64 and hexadecimal of bytes (RFC 4648), read as Go's encoding/base64 and encoding/hex read them.

import { alloc } from '../../common/arena';
import { noteRaw } from '../raw-text';
import { Kind, kindOf, lengthOf, newString, stringOf, textOf } from '../value';

/** Bytes of what was decoded last. */
export let decodedLength: u32 = 0;

function sextet(byte: u32, url: bool): u32 {
  if (byte - 0x41 <= 25) return byte - 0x41;
  if (byte - 0x61 <= 25) return byte - 0x61 + 26;
  if (byte - 0x30 <= 9) return byte - 0x30 + 52;
  if (byte == (url ? 0x2d : 0x2b)) return 62;
  return byte == (url ? 0x5f : 0x2f) ? 63 : 64;
}

function letter(value: u32, url: bool): u32 {
  if (value < 26) return 0x41 + value;
  if (value < 52) return 0x61 + value - 26;
  if (value < 62) return 0x30 + value - 52;
  if (value == 62) return url ? 0x2d : 0x2b;
  return url ? 0x5f : 0x2f;
}

/** Where behind line ends the text goes on. */
function skipLineEnds(start: u32, end: u32): u32 {
  let p = start;
  while (p < end && (load<u8>(p) == 0x0a || load<u8>(p) == 0x0d)) p++;
  return p;
}

/**
 * Decodes base64 text; 0 when it is none. Line ends are skipped, the last bits may be anything. With padding,
 * whole quartets are demanded, without it none is taken.
 */
export function decodeBase64(pointer: u32, length: u32, url: bool, padded: bool): u32 {
  const out = alloc((length >> 2) * 3 + 3);
  const end = pointer + length;
  let to = out;
  let bits: u32 = 0;
  let count: u32 = 0;
  let p = pointer;
  for (; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte == 0x0a || byte == 0x0d) continue;
    if (byte == 0x3d && padded) break;
    const value = sextet(byte, url);
    if (value == 64) return 0;
    bits = (bits << 6) | value;
    if (++count < 4) continue;
    store<u8>(to, bits >> 16);
    store<u8>(to, bits >> 8, 1);
    store<u8>(to, bits, 2);
    to += 3;
    bits = 0;
    count = 0;
  }
  if (p < end && !endsPadded(p, end, count)) return 0;
  if (p == end && padded && count != 0) return 0;
  if (count == 1) return 0;
  if (count >= 2) store<u8>(to++, count == 2 ? bits >> 4 : bits >> 10);
  if (count == 3) store<u8>(to++, bits >> 2);
  decodedLength = to - out;
  return out;
}

/** Whether from the first `=` on nothing but the right padding and line ends follows. */
function endsPadded(start: u32, end: u32, count: u32): bool {
  if (count < 2) return false;
  let p = skipLineEnds(start + 1, end);
  if (count == 2) {
    if (p == end || load<u8>(p) != 0x3d) return false;
    p = skipLineEnds(p + 1, end);
  }
  return p == end;
}

/** Decodes base64url text with or without padding (RFC 7515 appendix C); 0 when it is none. */
export function decodeBase64Url(pointer: u32, length: u32): u32 {
  if (length > 0 && load<u8>(pointer + length - 1) == 0x3d) {
    return decodeBase64(pointer, length, true, true);
  }
  const rest = length & 3;
  if (rest == 1) return 0;
  const missing: u32 = rest == 0 ? 0 : 4 - rest;
  const filled = alloc(length + missing);
  memory.copy(filled, pointer, length);
  memory.fill(filled + length, 0x3d, missing);
  return decodeBase64(filled, length + missing, true, true);
}

/** A string of bytes in base64. */
export function encodeBase64(pointer: u32, length: u32, url: bool, padded: bool): u32 {
  const rest = length % 3;
  const digits = rest == 0 ? 0 : padded ? 4 : rest + 1;
  const string = newString((length / 3) * 4 + digits);
  let out = textOf(string);
  for (let i: u32 = 0; i < length; i += 3) {
    const have = min<u32>(3, length - i);
    let bits: u32 = (<u32>load<u8>(pointer + i)) << 16;
    if (have > 1) bits |= (<u32>load<u8>(pointer + i, 1)) << 8;
    if (have > 2) bits |= load<u8>(pointer + i, 2);
    for (let j: u32 = 0; j <= have; j++) {
      store<u8>(out++, letter((bits >> (18 - 6 * j)) & 63, url));
    }
    if (padded) for (let j = have; j < 3; j++) store<u8>(out++, 0x3d);
  }
  return string;
}

/** The value of a hexadecimal digit, or 16. */
export function hexDigit(byte: u32): u32 {
  if (byte - 0x30 <= 9) return byte - 0x30;
  const lower = byte | 0x20;
  return lower - 0x61 <= 5 ? lower - 0x57 : 16;
}

/** A string of bytes in lower-case hexadecimal. */
export function encodeHex(pointer: u32, length: u32): u32 {
  const string = newString(length << 1);
  const out = textOf(string);
  for (let i: u32 = 0; i < length; i++) {
    const byte = <u32>load<u8>(pointer + i);
    store<u8>(out + (i << 1), byte >> 4 < 10 ? 0x30 + (byte >> 4) : 0x57 + (byte >> 4));
    store<u8>(out + (i << 1), (byte & 15) < 10 ? 0x30 + (byte & 15) : 0x57 + (byte & 15), 1);
  }
  return string;
}

/** A string of the bytes that were decoded to `pointer`; 0 when that is 0. They need not be UTF-8, as in Go. */
export function decodedString(pointer: u32): u32 {
  return pointer == 0 ? 0 : noteRaw(stringOf(pointer, decodedLength));
}

/** Whether a value is a string. */
export function isText(value: u32): bool {
  return kindOf(value) == Kind.String;
}

/** Whether a string begins with an ASCII literal. */
export function beginsWith(pointer: u32, length: u32, text: string): bool {
  const size = <u32>text.length;
  if (length < size) return false;
  const source = changetype<usize>(text);
  for (let i: u32 = 0; i < size; i++) {
    if (load<u8>(pointer + i) != load<u8>(source + (i << 1))) return false;
  }
  return true;
}

/** Whether a string value is an ASCII literal. */
export function isAscii(value: u32, text: string): bool {
  return lengthOf(value) == <u32>text.length && beginsWith(textOf(value), lengthOf(value), text);
}
