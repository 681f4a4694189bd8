// JSON Schema's formats, as OPA's gojsonschema checks them; a format that it does not know holds for every string.

import { asciiString, lengthOf, textOf } from '../value';
import { parseUrl, path, scheme } from './encoding-url';
import { readAddress } from './net-address';
import { matches, programOf } from './regex-program';
import { isEmail } from './schema-email';
import { named } from './schema-references';
import { rfc3339 } from './time-layout';
import { parseTime } from './time-parse';

/** Whether a string has a format, both string values. */
export function hasFormat(format: u32, value: u32): bool {
  if (named(format, 'date')) return isTime(value, '2006-01-02');
  if (named(format, 'time')) return isTime(value, '15:04:05Z07:00') || isTime(value, '15:04:05');
  if (named(format, 'date-time')) return isDateTime(value);
  if (named(format, 'hostname')) return isHostname(value);
  if (named(format, 'email') || named(format, 'idn-email')) return isEmail(value);
  if (named(format, 'ipv4'))
    return readAddress(textOf(value), textOf(value) + lengthOf(value)) && holds(value, 0x2e);
  if (named(format, 'ipv6'))
    return readAddress(textOf(value), textOf(value) + lengthOf(value)) && holds(value, 0x3a);
  if (named(format, 'uri') || named(format, 'iri'))
    return isReference(value) && lengthOf(scheme) > 0;
  if (named(format, 'uri-reference') || named(format, 'iri-reference')) return isReference(value);
  if (named(format, 'uri-template')) {
    return isReference(value) && matchesPattern('^([^{]*({[^}]*})?)*$', path);
  }
  if (named(format, 'uuid')) {
    const pattern = '^(?i)[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}$';
    return matchesPattern(pattern, value);
  }
  if (named(format, 'regex')) return programOf(value) != 0;
  if (named(format, 'json-pointer')) return matchesPattern('^(?:/(?:[^~/]|~0|~1)*)*$', value);
  if (named(format, 'relative-json-pointer')) {
    return matchesPattern('^(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~0|~1)*)*)$', value);
  }
  return true;
}

function matchesPattern(pattern: string, value: u32): bool {
  return matches(programOf(asciiString(pattern)), value);
}

function isTime(value: u32, layout: string): bool {
  return parseTime(asciiString(layout), value);
}

function isDateTime(value: u32): bool {
  return (
    isTime(value, '15:04:05') ||
    isTime(value, '15:04:05Z07:00') ||
    isTime(value, '2006-01-02') ||
    parseTime(rfc3339(), value)
  );
}

function holds(value: u32, byte: u32): bool {
  for (let i: u32 = 0; i < lengthOf(value); i++) {
    if (load<u8>(textOf(value) + i) == byte) return true;
  }
  return false;
}

/** A URL of Go's package url, without a backslash. */
function isReference(value: u32): bool {
  return !holds(value, 0x5c) && parseUrl(textOf(value), lengthOf(value));
}

/** Labels of letters, digits and, inside, hyphens, at most 63 bytes each and fewer than 256 together. */
function isHostname(value: u32): bool {
  const end = textOf(value) + lengthOf(value);
  let label = textOf(value);
  if (lengthOf(value) > 255) return false;
  for (let p = label; p <= end; p++) {
    if (p < end && load<u8>(p) != 0x2e) {
      const byte = <u32>load<u8>(p);
      if (byte != 0x2d && byte - 0x30 >= 10 && (byte | 0x20) - 0x61 >= 26) return false;
      continue;
    }
    const length = p - label;
    if (length == 0 || length > 63 || load<u8>(label) == 0x2d || load<u8>(p - 1) == 0x2d)
      return false;
    label = p + 1;
  }
  return true;
}
