// Reads the offsets and the names of time zones in a moment's text, as Go's time.Parse does.

import { hasColon, hasSeconds, isShort } from './time-layout';

/** The offset that was read: seconds east of UTC. */
export let offsetFound: i32 = 0;

let end: u32 = 0;

function isDigit(p: u32): bool {
  return p < end && <u32>load<u8>(p) - 0x30 < 10;
}

/** The number of two digits, -1 when they are none. */
function pair(p: u32): i32 {
  if (!isDigit(p) || !isDigit(p + 1)) return -1;
  return (<i32>load<u8>(p) - 0x30) * 10 + load<u8>(p, 1) - 0x30;
}

/** Reads an offset in the form of a layout's part; returns how many bytes it takes, 0 when it is none. */
export function readOffset(part: u32, p: u32, valueEnd: u32): u32 {
  end = valueEnd;
  const colon: u32 = hasColon(part) ? 1 : 0;
  let length: u32 = 3;
  if (!isShort(part)) length += 2 + colon;
  if (hasSeconds(part)) length += 2 + colon;
  if (end - p < length) return 0;
  const hours = pair(p + 1);
  const minutes = isShort(part) ? 0 : colonPair(p + 3, colon);
  const seconds = hasSeconds(part) ? colonPair(p + 5 + colon, colon) : 0;
  // Sixty minutes or seconds are allowed, as some people write them.
  if (hours < 0 || hours > 24 || minutes < 0 || minutes > 60 || seconds < 0 || seconds > 60)
    return 0;
  const negative = load<u8>(p) == 0x2d;
  if (!negative && load<u8>(p) != 0x2b) return 0;
  const size = (hours * 60 + minutes) * 60 + seconds;
  offsetFound = negative ? -size : size;
  return length;
}

/** Two digits, with a colon in front if there must be one. */
function colonPair(p: u32, colon: u32): i32 {
  return colon == 1 && load<u8>(p) != 0x3a ? -1 : pair(p + colon);
}

/** Reads a zone's name; returns how many bytes it takes, 0 when it is none. */
export function readZone(p: u32, valueEnd: u32): u32 {
  end = valueEnd;
  if (end - p < 3) return 0;
  if (reads(p, 'UTC')) return 3;
  if (reads(p, 'ChST') || reads(p, 'MeST')) return 4;
  if (reads(p, 'GMT')) return 3 + signedHours(p + 3);
  if (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d) return signedHours(p);
  let letters: u32 = 0;
  while (letters < 6 && p + letters < end && <u32>load<u8>(p + letters) - 0x41 < 26) letters++;
  const ends: u32 = letters > 3 ? <u32>load<u8>(p + letters - 1) : 0;
  if (letters == 3) return 3;
  if (letters == 4) return ends == 0x54 || reads(p, 'WITA') ? 4 : 0;
  return letters == 5 && ends == 0x54 ? 5 : 0;
}

/** Whether this text stands here. */
export function reads(p: u32, literal: string): bool {
  const length = <u32>literal.length;
  if (end - p < length) return false;
  const source = changetype<usize>(literal);
  for (let i: u32 = 0; i < length; i++) {
    if (load<u8>(p + i) != load<u8>(source + (i << 1))) return false;
  }
  return true;
}

/** A sign and a number up to 23: how many bytes it takes, 0 when it is none. */
function signedHours(p: u32): u32 {
  if (p >= end || (load<u8>(p) != 0x2b && load<u8>(p) != 0x2d)) return 0;
  let hours: u32 = 0;
  let at = p + 1;
  for (; isDigit(at); at++) hours = min(hours * 10 + (<u32>load<u8>(at) - 0x30), 100);
  return at == p + 1 || hours > 23 ? 0 : at - p;
}
