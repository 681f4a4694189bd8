// Mail addresses in certificates (RFC 2821 section 4.1.2), as Go's crypto/x509 takes them.

import { LENGTH, lengthOf, newString, stringOf, textOf } from '../value';

/** Of the address that was parsed last: its local part without quotes and its domain in lower case. */
export let local: u32 = 0;
export let domain: u32 = 0;

/** Whether a text has an `@`. */
export function hasAt(text: u32): bool {
  for (let i: u32 = 0; i < lengthOf(text); i++) if (load<u8>(textOf(text) + i) == 0x40) return true;
  return false;
}

/** Whether a byte may stand in quotes as it is. */
function isQuoted(byte: u32): bool {
  if (byte == 0 || byte == 9 || byte == 10 || byte == 13 || byte > 127) return false;
  return byte != 0x22 && byte != 0x5c;
}

/** Whether a byte may stand outside quotes (atext, and the dot). */
function isAtom(byte: u32): bool {
  if ((byte | 0x20) - 0x61 <= 25 || byte - 0x30 <= 9) return true;
  if (byte == 0x21 || (byte >= 0x23 && byte <= 0x27) || byte == 0x2a || byte == 0x2b) return true;
  if (byte >= 0x2d && byte <= 0x2f) return true;
  return (
    byte == 0x3d || byte == 0x3f || (byte >= 0x5e && byte <= 0x60) || (byte >= 0x7b && byte <= 0x7e)
  );
}

/** Takes an address apart; false when it is none. */
export function parseMailbox(text: u32): bool {
  const start = textOf(text);
  const end = start + lengthOf(text);
  if (start == end) return false;
  local = newString(lengthOf(text));
  const at = load<u8>(start) == 0x22 ? quotedEnd(start + 1, end) : atomsEnd(start, end);
  if (at == 0 || at == end || load<u8>(at) != 0x40) return false;
  return setDomain(at + 1, end);
}

/** Copies a quoted local part; where the text behind it is, or 0. */
function quotedEnd(start: u32, end: u32): u32 {
  let out = textOf(local);
  for (let p = start; p < end; p++) {
    let byte = <u32>load<u8>(p);
    if (byte == 0x22) {
      store<u32>(local, out - textOf(local), LENGTH);
      return p + 1;
    }
    if (byte == 0x5c) {
      if (++p == end) return 0;
      byte = load<u8>(p);
      if (byte == 0 || byte == 10 || byte == 13 || byte > 127) return 0;
    } else if (!isQuoted(byte)) return 0;
    store<u8>(out++, byte);
  }
  return 0;
}

/** Copies a local part of atoms and dots; where the text behind it is, or 0. */
function atomsEnd(start: u32, end: u32): u32 {
  const first = textOf(local);
  let out = first;
  let p = start;
  for (; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte == 0x5c) {
      if (++p == end) return 0;
    } else if (!isAtom(byte)) break;
    const taken = load<u8>(p);
    if (taken == 0x2e && (out == first || load<u8>(out - 1) == 0x2e)) return 0;
    store<u8>(out++, taken);
  }
  if (out == first || load<u8>(out - 1) == 0x2e) return 0;
  store<u32>(local, out - first, LENGTH);
  return p;
}

/** Takes the domain: labels that are not empty, of visible ASCII. */
function setDomain(start: u32, end: u32): bool {
  domain = lowerText(stringOf(start, end - start));
  let label = start;
  for (let p = start; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte < 33 || byte > 126) return false;
    if (byte != 0x2e) continue;
    if (p == label) return false;
    label = p + 1;
  }
  return start == end || label < end;
}

/** A text with ASCII letters in lower case. */
export function lowerText(text: u32): u32 {
  const copy = stringOf(textOf(text), lengthOf(text));
  for (let p = textOf(copy); p < textOf(copy) + lengthOf(copy); p++) {
    const byte = <u32>load<u8>(p);
    if (byte - 0x41 <= 25) store<u8>(p, byte | 0x20);
  }
  return copy;
}
