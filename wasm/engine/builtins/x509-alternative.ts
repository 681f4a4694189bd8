// Subject alternative names (RFC 5280 section 4.2.1.6): DNS names, mail addresses, IP addresses and URIs.

import { atEnd, content, contentLength, enter, read, readAny, Tag, tag } from '../../crypto/der';
import { insert, newObject } from '../object';
import { asciiString, boolean, lengthOf, NULL, stringOf, textOf } from '../value';
import { fieldOf } from './crypto-jwk';
import { addressValue, addTo } from './crypto-values';
import {
  forceQuery,
  fragment,
  hasUser,
  host,
  omitHost,
  opaque,
  parseUrl,
  path,
  rawFragment,
  rawPath,
  rawQuery,
  scheme,
} from './encoding-url';
import { urlText } from './encoding-url-text';
import { Read } from './x509-extensions';

/** Whether bytes are ASCII. */
export function isAsciiText(pointer: u32, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) if (load<u8>(pointer + i) >= 0x80) return false;
  return true;
}

/** Whether Go takes the text as a domain: labels that are not empty, no space, no dot at the end. */
export function isDomain(pointer: u32, length: u32, constraint: bool): bool {
  if (length == 0) return true;
  const end = pointer + length;
  if (load<u8>(end - 1) == 0x2e) return false;
  let p = constraint && load<u8>(pointer) == 0x2e ? pointer + 1 : pointer;
  let labelStart = p;
  for (; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte < 33 || byte > 126) return false;
    if (byte != 0x2e) continue;
    if (p == labelStart) return false;
    labelStart = p + 1;
  }
  return p != labelStart;
}

/** Reads the names; unknown to Go when there is none that it knows. */
export function readAlternativeNames(cursor: u32, fields: u32): Read {
  if (!read(cursor, Tag.Sequence)) return Read.Broken;
  const names = enter();
  let known = false;
  while (!atEnd(names)) {
    if (!readAny(names)) return Read.Broken;
    const kind = tag ^ 0x80;
    if (kind != 1 && kind != 2 && kind != 6 && kind != 7) continue;
    known = true;
    if (kind == 7) {
      if (contentLength != 4 && contentLength != 16) return Read.Broken;
      addTo(fields, 'IPAddresses', addressValue(content, contentLength));
      continue;
    }
    if (!isAsciiText(content, contentLength)) return Read.Broken;
    const text = stringOf(content, contentLength);
    if (kind == 1) addTo(fields, 'EmailAddresses', text);
    else if (kind == 2) addTo(fields, 'DNSNames', text);
    else if (!addUri(fields, text)) return Read.Broken;
  }
  return known ? Read.Done : Read.Unknown;
}

function addUri(fields: u32, text: u32): bool {
  if (!parseUrl(textOf(text), lengthOf(text))) return false;
  if (!isDomain(textOf(host), lengthOf(host), false)) return false;
  const uri = newObject(11);
  insert(uri, asciiString('Scheme'), scheme);
  insert(uri, asciiString('Opaque'), opaque);
  insert(uri, asciiString('User'), hasUser ? newObject(0) : NULL);
  insert(uri, asciiString('Host'), host);
  insert(uri, asciiString('Path'), path);
  insert(uri, asciiString('RawPath'), rawPath);
  insert(uri, asciiString('RawQuery'), rawQuery);
  insert(uri, asciiString('Fragment'), fragment);
  insert(uri, asciiString('RawFragment'), rawFragment);
  insert(uri, asciiString('ForceQuery'), boolean(forceQuery));
  insert(uri, asciiString('OmitHost'), boolean(omitHost));
  addTo(fields, 'URIs', uri);
  // A request has no such list.
  if (fieldOf(fields, 'URIStrings') != 0) addTo(fields, 'URIStrings', urlText());
  return true;
}
