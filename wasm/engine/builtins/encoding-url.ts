// Takes a URL apart as Go's net/url.Parse does; the parts stay until the next URL is read.

import { equalBytes } from '../text';
import { asciiString, lengthOf, newString, stringOf, textOf } from '../value';
import { beginsWith, isAscii } from './encoding-base64';
import { escapePart, isPlain, Part, unescapePart } from './encoding-percent';
import { readAddress } from './net-address';

/** An empty string is a part that is not there. */
export let scheme: u32 = 0;
export let opaque: u32 = 0;
export let host: u32 = 0;
export let path: u32 = 0;
/** The path as it was written, when that is not how it would be escaped. */
export let rawPath: u32 = 0;
export let rawQuery: u32 = 0;
export let fragment: u32 = 0;
export let rawFragment: u32 = 0;
/** Whether there is a name in front of the host, which may be empty. */
export let hasUser: bool = false;
/** Where that name and its password are, as they were written. */
let userStart: u32 = 0;
let userEnd: u32 = 0;
export let forceQuery: bool = false;
export let omitHost: bool = false;

/** Where a byte is first, or `end`. */
function indexOf(start: u32, end: u32, byte: u32): u32 {
  let p = start;
  while (p < end && load<u8>(p) != byte) p++;
  return p;
}

/** Where a byte is last, or `end`. */
function lastIndexOf(start: u32, end: u32, byte: u32): u32 {
  for (let p = end; p > start; p--) if (load<u8>(p - 1) == byte) return p - 1;
  return end;
}

function clear(): void {
  const empty = newString(0);
  scheme = empty;
  opaque = empty;
  host = empty;
  path = empty;
  rawPath = empty;
  rawQuery = empty;
  fragment = empty;
  rawFragment = empty;
  hasUser = false;
  forceQuery = false;
  omitHost = false;
}

/** Reads a URL or a relative reference; false when it is none. */
export function parseUrl(pointer: u32, length: u32): bool {
  clear();
  const end = pointer + length;
  const hash = indexOf(pointer, end, 0x23);
  if (!parseBeforeFragment(pointer, hash)) return false;
  if (hash + 1 >= end) return true;
  return setFragment(hash + 1, end - hash - 1);
}

function setFragment(pointer: u32, length: u32): bool {
  fragment = unescapePart(pointer, length, Part.Fragment);
  if (fragment == 0) return false;
  if (!isEscaped(fragment, pointer, length, Part.Fragment)) rawFragment = stringOf(pointer, length);
  return true;
}

/** Whether the text is how the decoded value would be escaped. */
function isEscaped(decoded: u32, pointer: u32, length: u32, part: Part): bool {
  const escaped = escapePart(textOf(decoded), lengthOf(decoded), part);
  return lengthOf(escaped) == length && equalBytes(textOf(escaped), pointer, length);
}

function parseBeforeFragment(pointer: u32, end: u32): bool {
  for (let p = pointer; p < end; p++) if (load<u8>(p) < 0x20 || load<u8>(p) == 0x7f) return false;
  if (end - pointer == 1 && load<u8>(pointer) == 0x2a) {
    path = asciiString('*');
    return true;
  }
  let rest = schemeEnd(pointer, end);
  if (rest == 0) return false;
  if (rest != pointer) scheme = lowered(pointer, rest - 1 - pointer);
  const question = indexOf(rest, end, 0x3f);
  forceQuery = question + 1 == end;
  if (question + 1 < end) rawQuery = stringOf(question + 1, end - question - 1);
  const hasScheme = lengthOf(scheme) > 0;
  if (rest == question || load<u8>(rest) != 0x2f) {
    if (hasScheme) {
      opaque = stringOf(rest, question - rest);
      return true;
    }
    // A first segment with a colon would read as a scheme.
    const slash = indexOf(rest, question, 0x2f);
    if (indexOf(rest, slash, 0x3a) < slash) return false;
  }
  const double = beginsWith(rest, question - rest, '//');
  if (double && (hasScheme || !beginsWith(rest, question - rest, '///'))) {
    const slash = indexOf(rest + 2, question, 0x2f);
    if (!parseAuthority(rest + 2, slash)) return false;
    rest = slash;
  } else omitHost = hasScheme && rest < question;
  return setPath(rest, question - rest);
}

/** Where the text behind the scheme begins, `pointer` without one, 0 when the colon comes first. */
function schemeEnd(pointer: u32, end: u32): u32 {
  for (let p = pointer; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if ((byte | 0x20) - 0x61 <= 25) continue;
    if (byte == 0x3a) return p == pointer ? 0 : p + 1;
    const inside = byte - 0x30 <= 9 || byte == 0x2b || byte == 0x2d || byte == 0x2e;
    if (p == pointer || !inside) return pointer;
  }
  return pointer;
}

function lowered(pointer: u32, length: u32): u32 {
  const string = stringOf(pointer, length);
  for (let p = textOf(string); p < textOf(string) + length; p++) {
    const byte = <u32>load<u8>(p);
    if (byte - 0x41 <= 25) store<u8>(p, byte | 0x20);
  }
  return string;
}

function setPath(pointer: u32, length: u32): bool {
  path = unescapePart(pointer, length, Part.Path);
  if (path == 0) return false;
  if (!isEscaped(path, pointer, length, Part.Path)) rawPath = stringOf(pointer, length);
  return true;
}

/** Reads `user:password@host:port`. */
function parseAuthority(start: u32, end: u32): bool {
  const at = lastIndexOf(start, end, 0x40);
  if (at == end) return parseHost(start, end);
  if (!parseHost(at + 1, end)) return false;
  hasUser = true;
  userStart = start;
  userEnd = at;
  for (let p = start; p < at; p++) {
    const byte = <u32>load<u8>(p);
    // What may stand in a name, and what Go lets stand there although the RFC does not.
    const plain = isPlain(byte, Part.User) || (byte >= 0x27 && byte <= 0x2a);
    if (!plain && byte != 0x21 && byte != 0x25 && byte != 0x3a && byte != 0x40) return false;
  }
  return unescapePart(start, at - start, Part.User) != 0;
}

function parseHost(start: u32, end: u32): bool {
  const bracket = lastIndexOf(start, end, 0x5b);
  if (bracket < end) return bracket == start && parseLiteral(start, end);
  const colon = indexOf(start, end, 0x3a);
  if (colon < end) {
    // Other schemes than these allow more colons in the host, for lists of hosts.
    const strict = isAscii(scheme, 'http') || isAscii(scheme, 'https');
    if (!isPort(strict ? colon : lastIndexOf(start, end, 0x3a), end)) return false;
  }
  host = unescapePart(start, end - start, Part.Host);
  return host != 0;
}

/** Whether the text is empty, or a colon and digits. */
function isPort(start: u32, end: u32): bool {
  if (start == end) return true;
  if (load<u8>(start) != 0x3a) return false;
  for (let p = start + 1; p < end; p++) if (<u32>load<u8>(p) - 0x30 > 9) return false;
  return true;
}

/** Reads `[IPv6%25zone]:port` (RFC 6874). */
function parseLiteral(start: u32, end: u32): bool {
  const close = lastIndexOf(start, end, 0x5d);
  if (close == end || !isPort(close + 1, end)) return false;
  let zone = start + 1;
  while (zone < close && !beginsWith(zone, close - zone, '%25')) zone++;
  const name = unescapePart(start + 1, zone - start - 1, Part.Host);
  const suffix = unescapePart(zone, close - zone, Part.Zone);
  if (name == 0 || suffix == 0) return false;
  const nameLength = lengthOf(name) + lengthOf(suffix);
  const port = end - close - 1;
  host = newString(nameLength + 2 + port);
  const text = textOf(host);
  store<u8>(text, 0x5b);
  memory.copy(text + 1, textOf(name), lengthOf(name));
  memory.copy(text + 1 + lengthOf(name), textOf(suffix), lengthOf(suffix));
  memory.copy(text + 1 + nameLength, close, port + 1);
  return isIpv6(text + 1, nameLength);
}

/** Whether the text is an IPv6 address, perhaps with a zone (Go's netip.ParseAddr). */
function isIpv6(start: u32, length: u32): bool {
  const zone = indexOf(start, start + length, 0x25);
  if (zone + 1 == start + length) return false;
  const colon = indexOf(start, zone, 0x3a);
  return colon < indexOf(start, zone, 0x2e) && readAddress(start, zone);
}

/** Where the port's colon is in `host`, or its end. */
function portAt(): u32 {
  const start = textOf(host);
  const end = start + lengthOf(host);
  const colon = lastIndexOf(start, end, 0x3a);
  return colon < end && isPort(colon, end) ? colon : end;
}

/** The host's port, a string value, perhaps empty. */
export function portOf(): u32 {
  const colon = portAt();
  const end = textOf(host) + lengthOf(host);
  return colon == end ? newString(0) : stringOf(colon + 1, end - colon - 1);
}

/** The host's name without port and brackets, a string value. */
export function hostnameOf(): u32 {
  const start = textOf(host);
  const colon = portAt();
  if (colon - start >= 2 && load<u8>(start) == 0x5b && load<u8>(colon - 1) == 0x5d) {
    return stringOf(start + 1, colon - start - 2);
  }
  return stringOf(start, colon - start);
}

/** Name and password, escaped as Go does. */
export function userText(): u32 {
  const colon = indexOf(userStart, userEnd, 0x3a);
  const name = escapeAgain(userStart, colon);
  if (colon == userEnd) return name;
  const password = escapeAgain(colon + 1, userEnd);
  const text = newString(lengthOf(name) + 1 + lengthOf(password));
  memory.copy(textOf(text), textOf(name), lengthOf(name));
  store<u8>(textOf(text) + lengthOf(name), 0x3a);
  memory.copy(textOf(text) + lengthOf(name) + 1, textOf(password), lengthOf(password));
  return text;
}

function escapeAgain(start: u32, end: u32): u32 {
  const decoded = unescapePart(start, end - start, Part.User);
  return escapePart(textOf(decoded), lengthOf(decoded), Part.User);
}
