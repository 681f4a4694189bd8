// IP addresses: version 4 in four decimal parts, version 6 in the range that is given out for global use (2000::/3).

import { propose } from './candidate';
import { near } from './context';
import { IP_ADDRESS, VERSION } from './kinds';
import { continues } from './numbers';
import { ALNUM, at, DIGIT, HEX, is, LETTER, run } from './text';

const NAMED: u32 = 950;
const PUBLIC: u32 = 870;
/** Four numbers that are as likely a version, a network or part of a name. */
const UNCERTAIN: u32 = 600;
/** Private, local, reserved, for documentation: such an address names nobody. */
const PRIVATE: u32 = 300;

const ADDRESS_WITHIN: u32 = 48;
const VERSION_WITHIN: u32 = 24;
/** Parts below this, all of them, look like a version. */
const SMALL: u32 = 32;

/** The part at `[p, stop)`, at most three digits, no zero in front; 256 when it is none. */
function partOf(p: u32, stop: u32): u32 {
  if (stop == p || stop > p + 3 || (at(p) == 0x30 && stop > p + 1)) return 256;
  let part: u32 = 0;
  for (let q = p; q < stop; q++) part = part * 10 + at(q) - 0x30;
  return part;
}

/** Whether the address is in none of the ranges of the IANA special-purpose registry, multicast or reserved. */
function isGlobal(address: u32): bool {
  const first = address >> 24;
  const two = address >> 16;
  const three = address >> 8;
  if (first == 0 || first == 10 || first == 127 || first >= 224) return false;
  if (two >= 0x6440 && two <= 0x647f) return false; // 100.64.0.0/10
  if (two == 0xa9fe || (two & 0xfff0) == 0xac10 || two == 0xc0a8) return false;
  if (three == 0xc00000 || three == 0xc00002 || three == 0xc05863) return false;
  return (two & 0xfffe) != 0xc612 && three != 0xc63364 && three != 0xcb0071;
}

/** Whether the first two parts are those of most object identifiers (ITU-T X.660): 1.2, 1.3, 2.5, 2.16, 2.23. */
function isObject(two: u32): bool {
  return two == 0x0102 || two == 0x0103 || two == 0x0205 || two == 0x0210 || two == 0x0217;
}

/** Whether a decimal number stands before or after, as in the paths of drawings, where `.5.5` is two numbers. */
function isAmongDecimals(p: u32, stop: u32): bool {
  if (at(p - 1) == 0x20 && is(p - 2, DIGIT)) {
    const point = digitsBefore(p - 1) - 1;
    if (at(point) == 0x2e && at(digitsBefore(point) - 1) != 0x2e) return true;
  }
  const after = at(stop);
  if (after != 0x20 && after != 0x2c && after != 0x2d) return false;
  const point = run(stop + 1, DIGIT, 4);
  if (at(point) != 0x2e || !is(point + 1, DIGIT)) return false;
  return at(run(point + 1, DIGIT, 4)) != 0x2e;
}

/** Where the digits before `p`, at most four, begin. */
function digitsBefore(p: u32): u32 {
  let q = p;
  while (q > p - 4 && is(q - 1, DIGIT)) q--;
  return q;
}

/** Proposes the address of four parts at `p`. */
export function addressAt(p: u32): void {
  let q = p;
  let address: u32 = 0;
  let largest: u32 = 0;
  for (let index = 0; index < 4; index++) {
    const stop = run(q, DIGIT, 4);
    const part = partOf(q, stop);
    if (part > 255 || (index < 3 && (at(stop) != 0x2e || !is(stop + 1, DIGIT)))) return;
    address = (address << 8) | part;
    largest = max(largest, part);
    q = index < 3 ? stop + 1 : stop;
  }
  if (is(q, ALNUM) || (at(q) == 0x2e && is(q + 1, DIGIT)) || continues(p)) return;
  if (!isGlobal(address)) return propose(IP_ADDRESS, p, q, PRIVATE);
  if (near(VERSION, p, VERSION_WITHIN)) return propose(IP_ADDRESS, p, q, PRIVATE);
  const isNetwork = (address & 0xff) == 0 || (at(q) == 0x2f && is(q + 1, DIGIT));
  const isPartOfName = at(p - 1) == 0x2d || at(q) == 0x2d || (at(q) == 0x2e && is(q + 1, LETTER));
  if (isNetwork || isPartOfName || isObject(address >> 16) || isAmongDecimals(p, q))
    return propose(IP_ADDRESS, p, q, UNCERTAIN);
  if (near(IP_ADDRESS, p, ADDRESS_WITHIN)) return propose(IP_ADDRESS, p, q, NAMED);
  propose(IP_ADDRESS, p, q, largest < SMALL ? UNCERTAIN : PUBLIC);
}

/** Proposes the address of version 6 at `p` (RFC 4291): eight groups, or fewer and one `::`. */
export function longAddressAt(p: u32): void {
  let q = p;
  let parts: u32 = 0;
  let gaps: u32 = 0;
  while (parts < 8) {
    const stop = run(q, HEX, 5);
    if (stop == q || stop > q + 4) break;
    parts++;
    q = stop;
    if (at(q) != 0x3a) break;
    if (at(q + 1) == 0x3a) {
      if (++gaps > 1) return;
      if (!is(q + 2, HEX)) {
        q += 2;
        break;
      }
      q += 2;
    } else if (is(q + 1, HEX) && parts < 8) q++;
    else break;
  }
  const isWhole = gaps == 1 ? parts >= 2 && parts <= 7 : parts == 8;
  if (!isWhole || is(q, ALNUM) || at(q) == 0x3a) return;
  propose(IP_ADDRESS, p, q, isDocumentation(p) ? PRIVATE : PUBLIC + 30);
}

/** 2001:db8::/32 (RFC 3849) and 3fff::/20 (RFC 9637). */
function isDocumentation(p: u32): bool {
  if (at(p) == 0x33) return (at(p + 1) | 0x20) == 0x66 && (at(p + 2) | 0x20) == 0x66;
  if (at(p + 1) != 0x30 || at(p + 2) != 0x30 || at(p + 3) != 0x31) return false;
  const from = at(p + 5) == 0x30 ? p + 6 : p + 5;
  return (at(from) | 0x20) == 0x64 && (at(from + 1) | 0x20) == 0x62 && at(from + 2) == 0x38;
}
