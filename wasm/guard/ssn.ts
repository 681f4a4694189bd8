// United States social security numbers (the PII scanner), without the ranges that are never issued.

import { report } from './findings';
import { SSN } from './kinds';
import { digit, evenlySeparated, goesOn, groupEnd, groupLength, groups } from './numbers';
import { PII } from './scanners';
import { ALNUM, is, letterWithin, wordWithin } from './text';

const KEYWORD_WITHIN: u32 = 32;

/** Whether the nine digits read could be issued: not area 000, 666 or 900 to 999, group 00, serial 0000. */
function isIssued(): bool {
  const area = digit(0) * 100 + digit(1) * 10 + digit(2);
  const group = digit(3) * 10 + digit(4);
  const serial = digit(5) * 1000 + digit(6) * 100 + digit(7) * 10 + digit(8);
  if (area == 0 || area == 666 || area >= 900 || group == 0 || serial == 0) return false;
  return !isAdvertised(area, group, serial);
}

/** Numbers void because they were printed in advertisements, wallets and pamphlets. */
function isAdvertised(area: u32, group: u32, serial: u32): bool {
  return (
    (area == 78 && group == 5 && serial == 1120) ||
    (area == 219 && group == 9 && serial == 9999) ||
    (area == 457 && group == 55 && serial == 5462)
  );
}

/** Reports the number that the groups read at `p` begin with; returns its end, or 0. */
export function ssnAt(p: u32): u32 {
  let stop: u32 = 0;
  if (groups >= 3 && groupLength(0) == 3 && groupLength(1) == 2 && groupLength(2) == 4) {
    if (evenlySeparated(3)) stop = groupEnd(2);
  } else if (groupLength(0) == 9 && hasKeyword(p)) {
    stop = groupEnd(0);
  }
  if (stop == 0 || is(stop, ALNUM) || goesOn(stop) || !isIssued()) return 0;
  report(p, stop, PII, SSN, 1000);
  return stop;
}

function hasKeyword(p: u32): bool {
  const from = p - KEYWORD_WITHIN;
  if (!letterWithin(from, p)) return false;
  return wordWithin(from, p, 'ssn') || wordWithin(from, p, 'social security');
}
