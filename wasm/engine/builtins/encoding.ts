// hex.*, base64.* and base64url.*: bytes as text.

import { Failure, failed } from '../failure';
import { noteRaw } from '../raw-text';
import { boolean, FALSE, lengthOf, newString, textOf } from '../value';
import {
  decodeBase64,
  decodeBase64Url,
  decodedString,
  encodeBase64,
  encodeHex,
  hexDigit,
  isText,
} from './encoding-base64';

export function b_hex_encode(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  return encodeHex(textOf(text), lengthOf(text));
}

export function b_hex_decode(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  const length = lengthOf(text);
  if ((length & 1) == 1) return failed();
  const bytes = newString(length >> 1);
  for (let i: u32 = 0; i < length; i += 2) {
    const high = hexDigit(load<u8>(textOf(text) + i));
    const low = hexDigit(load<u8>(textOf(text) + i, 1));
    if (high == 16 || low == 16) return failed();
    store<u8>(textOf(bytes) + (i >> 1), (high << 4) | low);
  }
  return noteRaw(bytes);
}

export function b_base64_encode(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  return encodeBase64(textOf(text), lengthOf(text), false, true);
}

export function b_base64_decode(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  const decoded = decodedString(decodeBase64(textOf(text), lengthOf(text), false, true));
  return decoded == 0 ? failed() : decoded;
}

export function b_base64_is_valid(text: u32): u32 {
  if (!isText(text)) return FALSE;
  return boolean(decodeBase64(textOf(text), lengthOf(text), false, true) != 0);
}

export function b_base64url_encode(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  return encodeBase64(textOf(text), lengthOf(text), true, true);
}

export function b_base64url_encode_no_pad(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  return encodeBase64(textOf(text), lengthOf(text), true, false);
}

export function b_base64url_decode(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  const decoded = decodedString(decodeBase64Url(textOf(text), lengthOf(text)));
  return decoded == 0 ? failed() : decoded;
}
