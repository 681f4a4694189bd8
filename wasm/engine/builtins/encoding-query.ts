// urlquery.*: values of a URL's query, escaped and decoded as Go's net/url does.

import { Failure, failed } from '../failure';
import { canonicalText } from '../json-dump';
import { get, insert, newObject, sorted } from '../object';
import {
  elementAt,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newArray,
  push,
  textOf,
  valueAt,
} from '../value';
import { isText } from './encoding-base64';
import { escapePart, Part, unescapePart } from './encoding-percent';
import { addByte, addText, beginText, finishText } from './text-builder';

/** Go's limit of net/url.ParseQuery (urlmaxqueryparams). */
const PARAMETERS_MAX: u32 = 10000;

export function b_urlquery_encode(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  return escapePart(textOf(text), lengthOf(text), Part.Query);
}

export function b_urlquery_decode(text: u32): u32 {
  if (!isText(text)) return failed(Failure.Type);
  const decoded = unescapePart(textOf(text), lengthOf(text), Part.Query);
  return decoded == 0 ? failed() : decoded;
}

/** An object of strings, and of arrays and sets of strings, as a query in the order of its keys. */
export function b_urlquery_encode_object(object: u32): u32 {
  if (kindOf(object) != Kind.Object) return failed(Failure.Type);
  const parts = partsOf(sorted(object));
  if (parts == 0) return failed(Failure.Type);
  beginText();
  for (let i: u32 = 0; i < lengthOf(parts); i += 2) {
    if (i > 0) addByte(0x26);
    addText(elementAt(parts, i));
    addByte(0x3d);
    addText(elementAt(parts, i + 1));
  }
  return finishText();
}

/** Escaped keys and values in turn; 0 when a value is neither a string nor a list of strings. */
function partsOf(object: u32): u32 {
  const parts = newArray(lengthOf(object) << 1);
  for (let i: u32 = 0; i < lengthOf(object); i++) {
    const name = isText(keyAt(object, i)) ? keyAt(object, i) : canonicalText(keyAt(object, i));
    const key = escapePart(textOf(name), lengthOf(name), Part.Query);
    const value = valueAt(object, i);
    const kind = kindOf(value);
    if (kind == Kind.String) {
      if (!addPair(parts, key, value)) return 0;
    } else if (kind == Kind.Array || kind == Kind.Set) {
      const list = kind == Kind.Set ? sorted(value) : value;
      for (let j: u32 = 0; j < lengthOf(list); j++) {
        const element = kind == Kind.Set ? keyAt(list, j) : elementAt(list, j);
        if (!addPair(parts, key, element)) return 0;
      }
    } else return 0;
  }
  return parts;
}

function addPair(parts: u32, key: u32, value: u32): bool {
  if (!isText(value)) return false;
  push(parts, key);
  push(parts, escapePart(textOf(value), lengthOf(value), Part.Query));
  return true;
}

/** A query as an object of arrays of strings. */
export function b_urlquery_decode_object(query: u32): u32 {
  if (!isText(query)) return failed(Failure.Type);
  const object = newObject(4);
  const end = textOf(query) + lengthOf(query);
  let start = textOf(query);
  let count: u32 = 1;
  while (start < end) {
    let p = start;
    while (p < end && load<u8>(p) != 0x26) p++;
    if (p < end && ++count > PARAMETERS_MAX) return failed();
    if (!addParameter(object, start, p)) return failed();
    start = p + 1;
  }
  return object;
}

/** Adds `key=value`; false when an escape is wrong or a semicolon separates. */
function addParameter(object: u32, start: u32, end: u32): bool {
  if (start == end) return true;
  let equals = end;
  for (let p = end; p > start; p--) {
    if (load<u8>(p - 1) == 0x3b) return false;
    if (load<u8>(p - 1) == 0x3d) equals = p - 1;
  }
  const key = unescapePart(start, equals - start, Part.Query);
  const from = min(equals + 1, end);
  const value = unescapePart(from, end - from, Part.Query);
  if (key == 0 || value == 0) return false;
  let list = get(object, key);
  if (list == 0) {
    list = newArray(1);
    insert(object, key, list);
  }
  push(list, value);
  return true;
}
