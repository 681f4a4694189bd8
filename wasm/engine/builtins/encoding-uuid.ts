// uuid.parse: what a UUID tells (RFC 4122), as OPA and google/uuid read it.

import { alloc } from '../../common/arena';
import { Failure, failed } from '../failure';
import { insert, newObject } from '../object';
import { asciiString, integer, lengthOf, newString, textOf } from '../value';
import { hexDigit, isText } from './encoding-base64';
import { addAscii, addInteger, beginText, finishText } from './text-builder';

/** 15 October 1582 to 1970, in units of 100 ns. */
const GREGORIAN: i64 = 122192928000000000;

export function b_uuid_parse(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  const bytes = bytesOf(textOf(text), lengthOf(text));
  // OPA gives no error for a text that is no UUID.
  if (bytes == 0) return 0;
  const object = newObject(8);
  const version = <u32>load<u8>(bytes, 6) >> 4;
  insert(object, asciiString('version'), integer(version));
  insert(object, asciiString('variant'), variantOf(load<u8>(bytes, 8)));
  if (version == 1 || version == 2) insertOrigin(object, bytes);
  if (version == 2) insertDomain(object, bytes);
  return object;
}

/** The 16 bytes of a UUID in one of its four forms, or 0. */
function bytesOf(pointer: u32, length: u32): u32 {
  const bytes = alloc(16);
  if (length == 32) return readPairs(bytes, 0, 16, pointer) ? bytes : 0;
  let p = pointer;
  if (length == 45) {
    if (!hasPrefix(pointer)) return 0;
    p += 9;
  } else if (length == 38) p += 1;
  else if (length != 36) return 0;
  for (let i: u32 = 8; i <= 23; i += 5) if (load<u8>(p + i) != 0x2d) return 0;
  const read =
    readPairs(bytes, 0, 4, p) &&
    readPairs(bytes, 4, 2, p + 9) &&
    readPairs(bytes, 6, 2, p + 14) &&
    readPairs(bytes, 8, 2, p + 19) &&
    readPairs(bytes, 10, 6, p + 24);
  return read ? bytes : 0;
}

/** Whether the text begins with `urn:uuid:` in any case. */
function hasPrefix(pointer: u32): bool {
  const prefix = changetype<usize>('urn:uuid:');
  for (let i: u32 = 0; i < 9; i++) {
    const byte = <u32>load<u8>(pointer + i);
    const lower = byte - 0x41 <= 25 ? byte | 0x20 : byte;
    if (lower != load<u8>(prefix + (i << 1))) return false;
  }
  return true;
}

function readPairs(bytes: u32, from: u32, count: u32, pointer: u32): bool {
  for (let i: u32 = 0; i < count; i++) {
    const high = hexDigit(load<u8>(pointer + (i << 1)));
    const low = hexDigit(load<u8>(pointer + (i << 1), 1));
    if (high == 16 || low == 16) return false;
    store<u8>(bytes + from + i, (high << 4) | low);
  }
  return true;
}

function variantOf(byte: u32): u32 {
  if ((byte & 0xc0) == 0x80) return asciiString('RFC4122');
  if ((byte & 0xe0) == 0xc0) return asciiString('Microsoft');
  return (byte & 0xe0) == 0xe0 ? asciiString('Future') : asciiString('Reserved');
}

/** Time, clock sequence and network address of versions 1 and 2. */
function insertOrigin(object: u32, bytes: u32): void {
  const time =
    <i64>(bswap<u32>(load<u32>(bytes)) as u64) |
    ((<i64>(bswap<u16>(load<u16>(bytes, 4)) as u64)) << 32) |
    ((<i64>((bswap<u16>(load<u16>(bytes, 6)) as u64) & 0xfff)) << 48);
  // Wraps as Go's int64 does.
  insert(object, asciiString('time'), integer((time - GREGORIAN) * 100));
  const sequence = <u32>bswap<u16>(load<u16>(bytes, 8)) & 0x3fff;
  insert(object, asciiString('clocksequence'), integer(sequence));
  insert(object, asciiString('nodeid'), nodeOf(bytes + 10));
  const first = <u32>load<u8>(bytes, 10);
  beginText();
  if ((first & 2) == 0) addAscii('global:');
  else addAscii('local:');
  if ((first & 1) == 0) addAscii('unicast');
  else addAscii('multicast');
  insert(object, asciiString('macvariables'), finishText());
}

function nodeOf(node: u32): u32 {
  const string = newString(17);
  const out = textOf(string);
  for (let i: u32 = 0; i < 6; i++) {
    const byte = <u32>load<u8>(node + i);
    if (i > 0) store<u8>(out + 3 * i - 1, 0x2d);
    store<u8>(out + 3 * i, byte >> 4 < 10 ? 0x30 + (byte >> 4) : 0x57 + (byte >> 4));
    store<u8>(out + 3 * i, (byte & 15) < 10 ? 0x30 + (byte & 15) : 0x57 + (byte & 15), 1);
  }
  return string;
}

/** Whose number the first four bytes of a DCE UUID are. */
function insertDomain(object: u32, bytes: u32): void {
  insert(object, asciiString('id'), integer(bswap<u32>(load<u32>(bytes))));
  const domain = <u32>load<u8>(bytes, 9);
  beginText();
  if (domain == 0) addAscii('Person');
  else if (domain == 1) addAscii('Group');
  else if (domain == 2) addAscii('Org');
  else {
    addAscii('Domain');
    addInteger(domain);
  }
  insert(object, asciiString('domain'), finishText());
}
