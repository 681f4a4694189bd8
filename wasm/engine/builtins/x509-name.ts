// Names of certificates (RFC 5280 section 4.1.2.4): the strings that ASN.1 has, and Go's pkix.Name of them.

import { validUtf8 } from '../../common/text';
import {
  atEnd,
  content,
  contentLength,
  enter,
  isBytes,
  openDer,
  read,
  readAny,
  readOid,
  Tag,
  tag,
} from '../../crypto/der';
import { insert, newObject } from '../object';
import { asciiString, NULL, newString, stringOf } from '../value';
import { addTo, oidValue } from './crypto-values';
import { addRune, beginText, finishText } from './text-builder';

/** Whether a byte may stand in a PrintableString; `*` and `&` as well, as in Go. */
function isPrintable(byte: u32): bool {
  if ((byte | 0x20) - 0x61 <= 25 || byte - 0x30 <= 9) return true;
  if (byte - 0x26 <= 9) return true;
  return byte == 0x20 || byte == 0x3a || byte == 0x3d || byte == 0x3f;
}

/** The string of the element that was read last; 0 for other types and for bytes that it may not have. */
export function stringContent(): u32 {
  const end = content + contentLength;
  if (tag == Tag.T61String) {
    beginText(contentLength);
    for (let p = content; p < end; p++) addRune(load<u8>(p));
    return finishText();
  }
  if (tag == Tag.BmpString) return bmpString(content, end);
  if (tag == Tag.Utf8String) {
    return validUtf8(content, contentLength) ? stringOf(content, contentLength) : 0;
  }
  if (tag != Tag.PrintableString && tag != Tag.Ia5String && tag != Tag.NumericString) return 0;
  for (let p = content; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte >= 0x80) return 0;
    if (tag == Tag.PrintableString && !isPrintable(byte)) return 0;
    if (tag == Tag.NumericString && byte != 0x20 && byte - 0x30 > 9) return 0;
  }
  return stringOf(content, contentLength);
}

/** UCS-2 without the characters that it does not have. */
function bmpString(start: u32, end: u32): u32 {
  if (((end - start) & 1) == 1) return 0;
  let last = end;
  if (last - start >= 2 && load<u16>(last - 2) == 0) last -= 2;
  beginText(end - start);
  for (let p = start; p < last; p += 2) {
    const point = ((<u32>load<u8>(p)) << 8) | load<u8>(p, 1);
    if (point >= 0xfffe || (point >= 0xfdd0 && point <= 0xfdef) || point >> 11 == 0x1b) return 0;
    addRune(point);
  }
  return finishText();
}

/** The list of pkix.Name for an attribute type 2.5.4.`number`, '' for none. */
function listOf(number: u32): string {
  if (number == 6) return 'Country';
  if (number == 7) return 'Locality';
  if (number == 8) return 'Province';
  if (number == 9) return 'StreetAddress';
  if (number == 10) return 'Organization';
  if (number == 11) return 'OrganizationalUnit';
  return number == 17 ? 'PostalCode' : '';
}

/** The name that is being read. */
let fields: u32 = 0;

function beginFields(): void {
  fields = newObject(11);
  insert(fields, asciiString('Country'), NULL);
  insert(fields, asciiString('Organization'), NULL);
  insert(fields, asciiString('OrganizationalUnit'), NULL);
  insert(fields, asciiString('Locality'), NULL);
  insert(fields, asciiString('Province'), NULL);
  insert(fields, asciiString('StreetAddress'), NULL);
  insert(fields, asciiString('PostalCode'), NULL);
  insert(fields, asciiString('SerialNumber'), newString(0));
  insert(fields, asciiString('CommonName'), newString(0));
  insert(fields, asciiString('Names'), NULL);
  insert(fields, asciiString('ExtraNames'), NULL);
}

/** pkix.Name of a whole Name element; 0 when it is broken. */
export function nameValue(pointer: u32, length: u32): u32 {
  const outer = openDer(pointer, length);
  if (!read(outer, Tag.Sequence)) return 0;
  const sets = enter();
  beginFields();
  while (!atEnd(sets)) {
    if (!read(sets, Tag.Set)) return 0;
    const set = enter();
    while (!atEnd(set)) {
      if (!read(set, Tag.Sequence) || !readAttribute(enter())) return 0;
    }
  }
  return fields;
}

function readAttribute(cursor: u32): bool {
  if (!readOid(cursor)) return false;
  const oid = content;
  const oidLength = contentLength;
  if (!readAny(cursor)) return false;
  const text = stringContent();
  const type = oidValue(oid, oidLength);
  if (text == 0 || type == 0) return false;
  const attribute = newObject(2);
  insert(attribute, asciiString('Type'), type);
  insert(attribute, asciiString('Value'), text);
  addTo(fields, 'Names', attribute);
  if (isBytes(oid, min<u32>(oidLength, 2), '5504') && oidLength == 3)
    setField(load<u8>(oid, 2), text);
  return true;
}

/** Sets a field of pkix.Name; of the two that are single, the last one counts. */
function setField(number: u32, text: u32): void {
  if (number == 3) insert(fields, asciiString('CommonName'), text);
  else if (number == 5) insert(fields, asciiString('SerialNumber'), text);
  else if (listOf(number).length > 0) addTo(fields, listOf(number), text);
}
