// Certificate policies and their mappings (RFC 5280 sections 4.2.1.4 and 4.2.1.5).

import { atEnd, content, contentLength, enter, read, Tag } from '../../crypto/der';
import { add, has, insert, newObject, newSet } from '../object';
import { asciiString, newArray, stringOf } from '../value';
import { addTo, oidValue } from './crypto-values';
import { addByte, addInteger, beginText, finishText } from './text-builder';
import { Read } from './x509-extensions';

/** Reads policies: object identifiers, each once. */
export function readPolicies(cursor: u32, fields: u32): Read {
  if (!read(cursor, Tag.Sequence)) return Read.Broken;
  const policies = enter();
  const seen = newSet(4);
  insert(fields, asciiString('PolicyIdentifiers'), newArray(0));
  while (!atEnd(policies)) {
    if (!read(policies, Tag.Sequence) || !read(enter(), Tag.Oid)) return Read.Broken;
    const raw = stringOf(content, contentLength);
    if (has(seen, raw)) return Read.Broken;
    add(seen, raw);
    const text = dotted(content, contentLength);
    if (text == 0) return Read.Broken;
    addTo(fields, 'Policies', text);
    const numbers = oidValue(content, contentLength);
    if (numbers != 0) addTo(fields, 'PolicyIdentifiers', numbers);
  }
  return Read.Done;
}

export function readMappings(cursor: u32, fields: u32): Read {
  if (!read(cursor, Tag.Sequence)) return Read.Broken;
  const mappings = enter();
  while (!atEnd(mappings)) {
    if (!read(mappings, Tag.Sequence)) return Read.Broken;
    const mapping = enter();
    const value = newObject(2);
    if (!addDomain(mapping, value, 'IssuerDomainPolicy')) return Read.Broken;
    if (!addDomain(mapping, value, 'SubjectDomainPolicy')) return Read.Broken;
    addTo(fields, 'PolicyMappings', value);
  }
  return Read.Done;
}

function addDomain(cursor: u32, object: u32, name: string): bool {
  if (!read(cursor, Tag.Oid)) return false;
  const text = dotted(content, contentLength);
  if (text != 0) insert(object, asciiString(name), text);
  return text != 0;
}

/** An object identifier in decimal with dots; 0 when it is broken or a number is beyond 63 bits. */
function dotted(pointer: u32, length: u32): u32 {
  if (length == 0 || load<u8>(pointer + length - 1) >= 0x80) return 0;
  beginText();
  let value: u64 = 0;
  let start = pointer;
  for (let p = pointer; p < pointer + length; p++) {
    const byte = <u32>load<u8>(p);
    if ((p == start && byte == 0x80) || value >> 56 != 0) return 0;
    value = (value << 7) | (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (start == pointer) {
      const root = min<u64>(value / 40, 2);
      addInteger(root);
      value -= root * 40;
    }
    addByte(0x2e);
    addInteger(value);
    value = 0;
    start = p + 1;
  }
  return finishText();
}
