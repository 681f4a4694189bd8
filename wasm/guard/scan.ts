// Runs the scanners over a text or over the pieces of one.

import {
  assignmentAt,
  awsSecretAt,
  azureClientAt,
  azureStorageAt,
  resetAssigned,
} from './assigned';
import { report, resetFindings } from './findings';
import { finishInvisible, invisibleAt, resetInvisible } from './invisible';
import { advancePii, resetPii, shiftPii } from './pii/index';
import { scanners } from './request';
import { INVISIBLE_TEXT, PII, SECRETS } from './scanners';
import { jwtAt, privateKeyAt, urlCredentialsAt } from './structured';
import { ALNUM, at, BASE64, begin, boundary, count, end, is, openText, resetWork } from './text';
import { tokenAt, tokenKind } from './tokens';

/** Where the last token or key ended. */
let secretEnd: u32 = 0;

/** Forgets the last text. */
export function resetScan(): void {
  resetFindings();
  resetWork();
  resetPii();
}

/**
 * Lets every scanner that was asked for judge `[begin, end)`, of which what they hold back from is new; returns the
 * least of what they hold: nothing reported later begins before. With `last` the text ends at `end`.
 */
export function advanceAll(begin: usize, end: usize, last: bool): usize {
  count(<u32>(end - begin));
  let held = end;
  if ((scanners & (1 << PII)) != 0) held = min(held, advancePii(begin, end, last));
  // These two still need the whole text.
  if ((scanners & ((1 << INVISIBLE_TEXT) | (1 << SECRETS))) != 0) {
    if (last) scanText(<u32>begin, <u32>(end - begin));
    else held = begin;
  }
  return held;
}

/** Says that the text has moved down by `delta` bytes. */
export function shiftAll(delta: usize): void {
  if ((scanners & (1 << PII)) != 0) shiftPii(delta);
}

/** Scans `length` bytes of valid UTF-8; the answer is in findings.ts. */
function scanText(pointer: u32, length: u32): void {
  openText(pointer, length);
  resetInvisible();
  resetAssigned();
  secretEnd = 0;
  let p = begin;
  while (p < end) {
    const byte: u32 = load<u8>(p);
    if (byte >= 0x80) {
      p = (scanners & (1 << INVISIBLE_TEXT)) != 0 ? invisibleAt(p) : p + 1;
      continue;
    }
    if ((scanners & (1 << SECRETS)) != 0) secretAt(p, byte);
    p++;
  }
  finishInvisible();
}

function secretAt(p: u32, byte: u32): void {
  if (byte == 0x3d || byte == 0x3a) return namedAt(p, byte);
  if (byte == 0x2e) return jwtAt(p);
  if (byte == 0x7e) return azureClientAt(p);
  if (p < secretEnd) return;
  if (byte == 0x2d) {
    if (at(p + 1) == 0x2d && at(p - 1) != 0x2d) secretEnd = max(secretEnd, privateKeyAt(p));
    return;
  }
  if (!is(p, ALNUM | BASE64)) return;
  if (!is(p - 1, ALNUM | BASE64)) awsSecretAt(p);
  if (!is(p, ALNUM) || !boundary(p)) return;
  const stop = tokenAt(p);
  if (stop == 0) return;
  report(p, stop, SECRETS, tokenKind(), 1000);
  secretEnd = stop;
}

/** Secrets known by what stands before an equals sign or a colon. */
function namedAt(p: u32, byte: u32): void {
  if (p < secretEnd) return;
  if (byte == 0x3a) urlCredentialsAt(p);
  else {
    const stop = azureStorageAt(p);
    if (stop != 0) {
      secretEnd = stop;
      return;
    }
  }
  assignmentAt(p);
}
