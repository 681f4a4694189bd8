// Runs the scanners over a text or over the pieces of one.

import { resetFindings } from './findings';
import { finishInvisible, invisibleAt, resetInvisible } from './invisible';
import { advancePii, resetPii, shiftPii } from './pii/index';
import { scanners } from './request';
import { INVISIBLE_TEXT, PII, SECRETS } from './scanners';
import { advanceSecrets, resetSecrets, shiftSecrets } from './secrets/index';
import { begin, count, end, openText, resetWork } from './text';

/** Forgets the last text. */
export function resetScan(): void {
  resetFindings();
  resetWork();
  resetPii();
  resetSecrets();
}

/**
 * Lets every scanner that was asked for judge `[begin, end)`, of which what they hold back from is new; returns the
 * least of what they hold: nothing reported later begins before. With `last` the text ends at `end`.
 */
export function advanceAll(begin: usize, end: usize, last: bool): usize {
  count(<u32>(end - begin));
  let held = end;
  if ((scanners & (1 << PII)) != 0) held = min(held, advancePii(begin, end, last));
  if ((scanners & (1 << SECRETS)) != 0) held = min(held, advanceSecrets(begin, end, last));
  // This one still needs the whole text.
  if ((scanners & (1 << INVISIBLE_TEXT)) != 0) {
    if (last) scanText(<u32>begin, <u32>(end - begin));
    else held = begin;
  }
  return held;
}

/** Says that the text has moved down by `delta` bytes. */
export function shiftAll(delta: usize): void {
  if ((scanners & (1 << PII)) != 0) shiftPii(delta);
  if ((scanners & (1 << SECRETS)) != 0) shiftSecrets(delta);
}

/** Scans `length` bytes of valid UTF-8; the answer is in findings.ts. */
function scanText(pointer: u32, length: u32): void {
  openText(pointer, length);
  resetInvisible();
  let p = begin;
  while (p < end) {
    const byte: u32 = load<u8>(p);
    if (byte >= 0x80) {
      p = invisibleAt(p);
      continue;
    }
    p++;
  }
  finishInvisible();
}
