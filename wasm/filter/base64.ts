// Base64 (RFC 4648 section 4) read strictly: one text for each sequence of bytes, with its padding and nothing else.

import { alloc } from '../common/arena';

const INVALID: u32 = 64;

/** Length of the last bytes that were read. */
export let decodedLength: u32 = 0;

/** The bytes in the arena, or 0 when the text is not the one that stands for them. */
export function decodeBase64(text: u32, length: u32): u32 {
  if ((length & 3) != 0) return 0;
  const bytes = alloc((length >> 2) * 3);
  decodedLength = 0;
  if (length == 0) return bytes;
  const last = text + length - 4;
  let out = bytes;
  for (let p = text; p < last; p += 4) {
    const word = quad(p);
    if (word > 0xffffff) return 0;
    put(out, word, 3);
    out += 3;
  }
  const padding = <u32>(load<u8>(last, 3) == 0x3d) + <u32>(load<u16>(last, 2) == 0x3d3d);
  const word = tail(last, padding);
  // The bits that padding leaves over are zero, or two texts would be the same bytes.
  if (word > 0xffffff || (word & ((1 << (padding << 3)) - 1)) != 0) return 0;
  put(out, word, 3 - padding);
  decodedLength = out + 3 - padding - bytes;
  return bytes;
}

function put(to: u32, word: u32, count: u32): void {
  store<u8>(to, word >> 16);
  if (count > 1) store<u8>(to, word >> 8, 1);
  if (count > 2) store<u8>(to, word, 2);
}

/** 24 bits of four characters; more when one is not of the alphabet. */
function quad(p: u32): u32 {
  const a = digit(load<u8>(p));
  const b = digit(load<u8>(p, 1));
  const c = digit(load<u8>(p, 2));
  const d = digit(load<u8>(p, 3));
  if (((a | b | c | d) & INVALID) != 0) return u32.MAX_VALUE;
  return (a << 18) | (b << 12) | (c << 6) | d;
}

/** The same for the last four, of which padding stands for zeros. */
function tail(p: u32, padding: u32): u32 {
  if (padding == 0) return quad(p);
  const a = digit(load<u8>(p));
  const b = digit(load<u8>(p, 1));
  const c = padding == 2 ? 0 : digit(load<u8>(p, 2));
  if (((a | b | c) & INVALID) != 0) return u32.MAX_VALUE;
  return (a << 18) | (b << 12) | (c << 6);
}

function digit(character: u32): u32 {
  if (character >= 0x41 && character <= 0x5a) return character - 0x41;
  if (character >= 0x61 && character <= 0x7a) return character - 0x47;
  if (character >= 0x30 && character <= 0x39) return character + 4;
  if (character == 0x2b) return 62;
  return character == 0x2f ? 63 : INVALID;
}
