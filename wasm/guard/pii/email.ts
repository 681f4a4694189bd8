// Email addresses (the PII scanner): a dot-atom local part and a dotted host name around an `@` (RFC 5321, 5322).

import { propose } from './candidate';
import { EMAIL } from './kinds';
import {
  ALNUM,
  at,
  begin,
  count,
  DASH,
  DIGIT,
  DOT,
  is,
  LETTER,
  run,
  startsFolded,
  UNDERSCORE,
} from './text';

const CERTAIN: u32 = 1000;
export const LOCAL_MAX: u32 = 64;
const DOMAIN_MAX: u32 = 253;

/** Whether the byte at `p` may stand in a local part. */
export function isLocal(p: u32): bool {
  if (is(p, ALNUM | UNDERSCORE | DASH | DOT)) return true;
  const byte = at(p);
  return byte == 0x2b || byte == 0x25 || byte == 0x27;
}

/** Where the local part that ends before the `@` at `p` begins; `p` when there is none. */
function localStart(p: u32): u32 {
  let q = p;
  while (q > begin && p - q < LOCAL_MAX && isLocal(q - 1)) q--;
  count(p - q);
  // The letter of a JSON escape before the address is not part of it.
  if (at(q - 1) == 0x5c && is(q, LETTER) && q + 1 < p) q++;
  while (q < p && !is(q, ALNUM | UNDERSCORE)) q++;
  return at(p - 1) == 0x2e ? p : q;
}

/** Whether the label `[p, q)` is a host name's: 1 to 63 bytes, no hyphen at either side. */
function isLabel(p: u32, q: u32): bool {
  return q > p && q - p <= 63 && at(p) != 0x2d && at(q - 1) != 0x2d;
}

function isTopLevel(p: u32, q: u32): bool {
  if (q - p < 2) return false;
  return startsFolded(p, 'xn--') || run(p, LETTER, q - p) == q;
}

/** `icon@2x.png` and its like are file names. */
function isImageName(p: u32, q: u32): bool {
  if (!is(p, DIGIT) || at(p + 1) != 0x78 || at(p + 2) != 0x2e) return false;
  const length = q - p - 3;
  if (length == 4) return startsFolded(p + 3, 'jpeg') || startsFolded(p + 3, 'webp');
  return (
    length == 3 &&
    (startsFolded(p + 3, 'png') ||
      startsFolded(p + 3, 'jpg') ||
      startsFolded(p + 3, 'gif') ||
      startsFolded(p + 3, 'svg'))
  );
}

/** Proposes the address around the `@` at `p`, if there is one. */
export function emailAt(p: u32): void {
  const start = localStart(p);
  if (start == p) return;
  let label = p + 1;
  let last: u32 = 0;
  let numeric: u32 = 0;
  let labels: u32 = 0;
  while (label - p <= DOMAIN_MAX) {
    const stop = run(label, ALNUM | DASH, 64);
    if (!isLabel(label, stop)) break;
    if (labels == numeric && run(label, DIGIT, 64) == stop) numeric++;
    labels++;
    if (labels > 1 && isTopLevel(label, stop)) last = stop;
    if (at(stop) != 0x2e) break;
    label = stop + 1;
  }
  // Two numeric labels in front are a version (`name@1.2.3-beta.rc`), one may be a host (`163.com`).
  if (last == 0 || numeric > 1 || isImageName(p + 1, last)) return;
  if (is(last, UNDERSCORE)) return;
  const isRemote = p - start == 3 && startsFolded(start, 'git') && at(last) == 0x3a;
  if (!isRemote) propose(EMAIL, start, last, CERTAIN);
}
