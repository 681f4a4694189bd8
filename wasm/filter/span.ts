// Finds a member of a JSON object as it stands in the text, so that another reader can have it whole.

import { equals } from './text';

/** Length of the last span that was found. */
export let spanLength: u32 = 0;

/**
 * The text of the member's value, or 0 when there is none, when it is there twice, or when the text
 * is no object. Values are only skipped: whoever takes one reads it strictly.
 */
export function memberSpan(start: u32, end: u32, name: string): u32 {
  let found: u32 = 0;
  let p = skipSpace(start, end);
  if (p >= end || load<u8>(p) != 0x7b) return 0;
  p += 1;
  while (true) {
    p = skipSpace(p, end);
    if (p >= end || load<u8>(p) != 0x22) return 0;
    const key = p + 1;
    const close = skipValue(p, end) - 1;
    p = skipSpace(close + 1, end);
    if (p >= end || load<u8>(p) != 0x3a) return 0;
    const value = skipSpace(p + 1, end);
    p = skipValue(value, end);
    if (equals(key, close - key, name)) {
      if (found != 0) return 0;
      found = value;
      spanLength = p - value;
    }
    p = skipSpace(p, end);
    if (p >= end) return 0;
    const byte = load<u8>(p);
    if (byte == 0x7d) return skipSpace(p + 1, end) == end ? found : 0;
    if (byte != 0x2c) return 0;
    p += 1;
  }
}

/** Where the value ends: behind its brackets or quotes, or at what cannot belong to a literal. */
function skipValue(start: u32, end: u32): u32 {
  let depth: u32 = 0;
  let inString = false;
  let p = start;
  while (p < end) {
    const byte = load<u8>(p);
    if (inString) {
      if (byte == 0x5c) p += 1;
      else if (byte == 0x22) {
        inString = false;
        if (depth == 0) return min(p + 1, end);
      }
    } else if (byte == 0x22) inString = true;
    else if (byte == 0x7b || byte == 0x5b) depth += 1;
    else if (byte == 0x7d || byte == 0x5d) {
      if (depth == 0) return p;
      depth -= 1;
      if (depth == 0) return p + 1;
    } else if (depth == 0 && (byte == 0x2c || byte <= 0x20)) return p;
    p += 1;
  }
  return end;
}

function skipSpace(start: u32, end: u32): u32 {
  let p = start;
  while (p < end) {
    const byte = load<u8>(p);
    if (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) break;
    p += 1;
  }
  return p;
}
