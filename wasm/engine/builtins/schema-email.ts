// Mail addresses of JSON Schema's format, in the forms of RFC 5322 that Go's mail.ParseAddress takes.

import { lengthOf, textOf } from '../value';

let p: u32 = 0;
let end: u32 = 0;

/** Whether a string is one address, with or without a name in front of it. */
export function isEmail(value: u32): bool {
  p = textOf(value);
  end = p + lengthOf(value);
  space();
  const start = p;
  if (bare() && rest()) return true;
  p = start;
  if (!words() || !take(0x3c)) return false;
  space();
  return bare() && take(0x3e) && rest();
}

/** Spaces and comments, then nothing. */
function rest(): bool {
  while (space() || comment()) continue;
  return p == end;
}

function space(): bool {
  const from = p;
  while (p < end && (load<u8>(p) == 0x20 || load<u8>(p) == 9)) p++;
  return p != from;
}

function comment(): bool {
  if (p >= end || load<u8>(p) != 0x28) return false;
  let depth = 0;
  while (p < end) {
    const byte = <u32>load<u8>(p++);
    if (byte == 0x5c) p++;
    else if (byte == 0x28) depth++;
    else if (byte == 0x29 && --depth == 0) return true;
  }
  return false;
}

function take(byte: u32): bool {
  space();
  if (p >= end || load<u8>(p) != byte) return false;
  p++;
  return true;
}

/** local@domain */
function bare(): bool {
  const local = p < end && load<u8>(p) == 0x22 ? quoted() : atoms(true);
  if (!local || !take(0x40)) return false;
  space();
  return p < end && load<u8>(p) == 0x5b ? literal() : atoms(true);
}

/** The words of a name, perhaps none. */
function words(): bool {
  while (p < end && load<u8>(p) != 0x3c) {
    if (load<u8>(p) == 0x22 ? !quoted() : !atoms(false)) return false;
    while (space() || comment()) continue;
  }
  return p < end;
}

/** Atoms with points between them; in a name points may stand anywhere. */
function atoms(strict: bool): bool {
  const from = p;
  while (p < end && (isAtom(load<u8>(p)) || load<u8>(p) == 0x2e)) {
    const point = load<u8>(p) == 0x2e;
    const last = p + 1 >= end || !(isAtom(load<u8>(p, 1)) || load<u8>(p, 1) == 0x2e);
    if (strict && point && (p == from || last || load<u8>(p, 1) == 0x2e)) return false;
    p++;
  }
  return p != from;
}

function isAtom(byte: u32): bool {
  if (byte >= 0x80 || (byte | 0x20) - 0x61 < 26 || byte - 0x30 < 10) return true;
  switch (byte) {
    case 0x21:
    case 0x23:
    case 0x24:
    case 0x25:
    case 0x26:
    case 0x27:
    case 0x2a:
    case 0x2b:
    case 0x2d:
    case 0x2f:
    case 0x3d:
    case 0x3f:
    case 0x5e:
    case 0x5f:
    case 0x60:
    case 0x7b:
    case 0x7c:
    case 0x7d:
    case 0x7e:
      return true;
  }
  return false;
}

function quoted(): bool {
  for (p++; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte == 0x22) {
      p++;
      return true;
    }
    if (byte == 0x5c) p++;
    else if (byte < 0x20 && byte != 9) return false;
  }
  return false;
}

/** An address in brackets. */
function literal(): bool {
  const from = p;
  while (p < end && load<u8>(p) != 0x5d) p++;
  if (p == end || p == from + 1) return false;
  for (let at = from + 1; at < p; at++) {
    const byte = <u32>load<u8>(at);
    if (byte != 0x2e && byte != 0x3a && byte - 0x30 >= 10 && (byte | 0x20) - 0x61 >= 6)
      return false;
  }
  p++;
  return true;
}
