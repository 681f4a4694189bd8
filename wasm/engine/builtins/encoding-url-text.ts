// Puts the URL that was read last together again, as Go's URL.String does.

import { equalBytes } from '../text';
import { lengthOf, newString, textOf } from '../value';
import { isAscii } from './encoding-base64';
import { escapePart, isPlain, Part, unescapePart } from './encoding-percent';
import {
  forceQuery,
  fragment,
  hasUser,
  host,
  omitHost,
  opaque,
  path,
  rawFragment,
  rawPath,
  rawQuery,
  scheme,
  userText,
} from './encoding-url';
import { addByte, addText, beginText, finishText, textBytes } from './text-builder';

/** The path as it goes into a URL: as it was written where that is right, escaped otherwise. */
export function escapedPath(): u32 {
  if (isAscii(path, '*')) return path;
  return written(rawPath, path, Part.Path);
}

/** What was written, when it has no byte that must be escaped and decodes to the value; else that, escaped. */
function written(raw: u32, value: u32, part: Part): u32 {
  if (lengthOf(raw) > 0 && isWritable(raw, part)) {
    const decoded = unescapePart(textOf(raw), lengthOf(raw), part);
    const same =
      decoded != 0 &&
      lengthOf(decoded) == lengthOf(value) &&
      equalBytes(textOf(decoded), textOf(value), lengthOf(value));
    if (same) return raw;
  }
  return escapePart(textOf(value), lengthOf(value), part);
}

function isWritable(raw: u32, part: Part): bool {
  for (let i: u32 = 0; i < lengthOf(raw); i++) {
    const byte = <u32>load<u8>(textOf(raw) + i);
    // RFC 3986's sub-delims, `:`, `@`, brackets and escapes may stand as they are.
    const allowed =
      byte == 0x21 ||
      byte == 0x24 ||
      (byte >= 0x25 && byte <= 0x2c) ||
      byte == 0x3a ||
      byte == 0x3b;
    if (allowed || byte == 0x3d || byte == 0x40 || byte == 0x5b || byte == 0x5d) continue;
    if (!isPlain(byte, part)) return false;
  }
  return true;
}

function hasColonFirst(text: u32): bool {
  for (let i: u32 = 0; i < lengthOf(text); i++) {
    const byte = <u32>load<u8>(textOf(text) + i);
    if (byte == 0x2f) return false;
    if (byte == 0x3a) return true;
  }
  return false;
}

/** The text of the URL. */
export function urlText(): u32 {
  const user = hasUser ? userText() : newString(0);
  const name = escapePart(textOf(host), lengthOf(host), Part.Host);
  const local = escapedPath();
  const end = written(rawFragment, fragment, Part.Fragment);
  const hasHost = lengthOf(host) > 0;
  beginText();
  if (lengthOf(scheme) > 0) {
    addText(scheme);
    addByte(0x3a);
  }
  if (lengthOf(opaque) > 0) addText(opaque);
  else {
    const authority = lengthOf(scheme) > 0 || hasHost || hasUser;
    if (authority && (!omitHost || hasHost || hasUser)) {
      if (hasHost || lengthOf(path) > 0 || hasUser) {
        addByte(0x2f);
        addByte(0x2f);
      }
      if (hasUser) {
        addText(user);
        addByte(0x40);
      }
      addText(name);
    }
    if (lengthOf(local) > 0 && load<u8>(textOf(local)) != 0x2f && hasHost) addByte(0x2f);
    if (textBytes() == 0 && hasColonFirst(local)) {
      addByte(0x2e);
      addByte(0x2f);
    }
    addText(local);
  }
  if (forceQuery || lengthOf(rawQuery) > 0) {
    addByte(0x3f);
    addText(rawQuery);
  }
  if (lengthOf(fragment) > 0) {
    addByte(0x23);
    addText(end);
  }
  return finishText();
}
