// uri.parse and uri.is_valid.

import { Failure, failed } from '../failure';
import { insert, newObject } from '../object';
import { asciiString, boolean, FALSE, lengthOf, textOf } from '../value';
import { isText } from './encoding-base64';
import {
  fragment,
  hostnameOf,
  parseUrl,
  path,
  portOf,
  rawPath,
  rawQuery,
  scheme,
} from './encoding-url';

function insertPart(object: u32, name: string, part: u32): void {
  if (lengthOf(part) > 0) insert(object, asciiString(name), part);
}

export function b_uri_parse(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  if (!parseUrl(textOf(text), lengthOf(text))) return failed();
  const object = newObject(7);
  insertPart(object, 'scheme', scheme);
  insertPart(object, 'hostname', hostnameOf());
  insertPart(object, 'port', portOf());
  insertPart(object, 'path', path);
  if (lengthOf(path) > 0) insertPart(object, 'raw_path', lengthOf(rawPath) > 0 ? rawPath : path);
  insertPart(object, 'raw_query', rawQuery);
  insertPart(object, 'fragment', fragment);
  return object;
}

export function b_uri_is_valid(text: u32): u32 {
  if (!isText(text) || lengthOf(text) == 0) return FALSE;
  return boolean(parseUrl(textOf(text), lengthOf(text)));
}
