// Percent-encoding as Go's net/url does it: which bytes stand for themselves depends on the part of the URL.

import { noteRaw } from '../raw-text';
import { hexDigit } from './encoding-base64';
import { addByte, beginText, finishText } from './text-builder';

export const enum Part {
  Path,
  Host,
  Zone,
  User,
  Query,
  Fragment,
}

/** Whether one of the ASCII characters of a literal is the byte. */
function among(byte: u32, text: string): bool {
  const source = changetype<usize>(text);
  for (let i: u32 = 0; i < <u32>text.length; i++) {
    if (load<u8>(source + (i << 1)) == byte) return true;
  }
  return false;
}

/** Whether a byte stands for itself in this part (RFC 3986 sections 2.2, 2.3 and 3). */
export function isPlain(byte: u32, part: Part): bool {
  if ((byte | 0x20) - 0x61 <= 25 || byte - 0x30 <= 9 || among(byte, '-._~')) return true;
  if (part == Part.Path) return among(byte, '$&+,/:;=@');
  if (part == Part.User) return among(byte, '$&+,;=');
  if (part == Part.Fragment) return among(byte, '!$&()*+,/:;=?@');
  return part != Part.Query && among(byte, '!"$&\'()*+,:;<=>[]');
}

/** The text with every escape decoded, a string value; 0 when an escape is wrong or not allowed there. */
export function unescapePart(pointer: u32, length: u32, part: Part): u32 {
  beginText(length);
  for (let i: u32 = 0; i < length; i++) {
    const byte = <u32>load<u8>(pointer + i);
    if (byte == 0x25) {
      const decoded = escapeAt(pointer + i, length - i, part);
      if (decoded > 0xff) return 0;
      addByte(decoded);
      i += 2;
    } else if (byte == 0x2b && part == Part.Query) addByte(0x20);
    else {
      const strict = part == Part.Host || part == Part.Zone;
      if (strict && byte < 0x80 && !isPlain(byte, part)) return 0;
      addByte(byte);
    }
  }
  return noteRaw(finishText());
}

/** The byte of an escape, or 256. A host takes escapes of other than ASCII alone, and of `%` itself. */
function escapeAt(pointer: u32, length: u32, part: Part): u32 {
  if (length < 3) return 256;
  const high = hexDigit(load<u8>(pointer, 1));
  const low = hexDigit(load<u8>(pointer, 2));
  if (high == 16 || low == 16) return 256;
  const byte = (high << 4) | low;
  if (byte == 0x25) return byte;
  if (part == Part.Host && byte < 0x80) return 256;
  if (part == Part.Zone && byte != 0x20 && !isPlain(byte, Part.Host)) return 256;
  return byte;
}

/** The text with every byte escaped that does not stand for itself; a space in a query is `+`. */
export function escapePart(pointer: u32, length: u32, part: Part): u32 {
  beginText(length);
  for (let i: u32 = 0; i < length; i++) {
    const byte = <u32>load<u8>(pointer + i);
    if (byte == 0x20 && part == Part.Query) addByte(0x2b);
    else if (isPlain(byte, part)) addByte(byte);
    else {
      addByte(0x25);
      addByte(byte >> 4 < 10 ? 0x30 + (byte >> 4) : 0x37 + (byte >> 4));
      addByte((byte & 15) < 10 ? 0x30 + (byte & 15) : 0x37 + (byte & 15));
    }
  }
  return finishText();
}
