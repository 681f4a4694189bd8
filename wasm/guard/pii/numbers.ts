// Reads a number written in groups, the shape that cards, telephone and identity numbers share.

import { at, count, DIGIT, is, run } from './text';

const GROUPS_MAX: u32 = 8;
const GROUP_DIGITS_MAX: u32 = 20;

/** Separators between groups, a bit each. */
export const SPACE: u32 = 1;
export const HYPHEN: u32 = 2;
export const PERIOD: u32 = 4;
export const SLASH: u32 = 8;

const ends: u32 = <u32>memory.data(32);
const lengths: u32 = <u32>memory.data(32);
const separators: u32 = <u32>memory.data(32);
const digits: u32 = <u32>memory.data(160);

/** How many groups the last `readGroups` found. */
export let groups: u32 = 0;

/** Pointer one past group `index`. */
export function groupEnd(index: u32): u32 {
  return load<u32>(ends + (index << 2));
}

/** How many digits group `index` has. */
export function groupLength(index: u32): u32 {
  return load<u32>(lengths + (index << 2));
}

/** The separator after group `index`; 0 with none. */
export function groupSeparator(index: u32): u32 {
  return load<u32>(separators + (index << 2));
}

/** The value of digit `index` of all groups joined. */
export function digit(index: u32): u32 {
  return load<u8>(digits + index);
}

/** The number that the digits `[from, to)` write; at most nine of them. */
export function value(from: u32, to: u32): u32 {
  let result: u32 = 0;
  for (let i = from; i < to; i++) result = result * 10 + digit(i);
  return result;
}

/** Length in bytes of the separator at `p`: a space, hyphen, dot, slash, or a no-break or typographic form; or 0. */
export function separatorAt(p: u32): u32 {
  const byte = at(p);
  if (byte == 0x20 || (byte >= 0x2d && byte <= 0x2f)) return 1;
  if (byte == 0xc2) return at(p + 1) == 0xa0 ? 2 : 0;
  if (byte != 0xe2 || at(p + 1) != 0x80) return 0;
  const last = at(p + 2);
  return last == 0x90 || last == 0x91 || last == 0x93 || last == 0xaf ? 3 : 0;
}

/** The separator at `p` as its bit; 0 when there is none. */
export function separatorKind(p: u32): u32 {
  const length = separatorAt(p);
  if (length == 0) return 0;
  if (length == 2 || (length == 3 && at(p + 2) == 0xaf)) return SPACE;
  const byte = at(p);
  if (length == 3 || byte == 0x2d) return HYPHEN;
  if (byte == 0x20) return SPACE;
  return byte == 0x2e ? PERIOD : SLASH;
}

/**
 * Whether the groups of digits from `p` that `readGroups` would read hold at least `least` digits. Stops
 * as soon as they do, and keeps nothing: what settles most numbers of a text at once.
 */
export function hasDigits(p: u32, least: u32): bool {
  let total: u32 = 0;
  let q = p;
  for (let group: u32 = 0; group < GROUPS_MAX; group++) {
    const from = q;
    while (is(q, DIGIT)) {
      q++;
      if (++total >= least) break;
    }
    if (q == from || total >= least) break;
    const gap = separatorAt(q);
    if (gap == 0) break;
    q += gap;
  }
  count(q - p + 1);
  return total >= least;
}

/** Reads up to eight groups of at most 20 digits from `p`, each a single separator apart. */
export function readGroups(p: u32): void {
  groups = 0;
  let total: u32 = 0;
  let q = p;
  while (groups < GROUPS_MAX) {
    const stop = run(q, DIGIT, GROUP_DIGITS_MAX);
    if (stop == q) return;
    for (let i = q; i < stop; i++) store<u8>(digits + total++, at(i) - 0x30);
    store<u32>(ends + (groups << 2), stop);
    store<u32>(lengths + (groups << 2), stop - q);
    store<u32>(separators + (groups << 2), separatorKind(stop));
    groups++;
    const gap = separatorAt(stop);
    if (gap == 0) return;
    q = stop + gap;
  }
}

/** How many digits the first `number` groups hold. */
export function digitsIn(number: u32): u32 {
  let total: u32 = 0;
  for (let i: u32 = 0; i < number; i++) total += groupLength(i);
  count(number);
  return total;
}

/** Whether the first `number` groups stand apart by one and the same separator. */
export function evenlySeparated(number: u32): bool {
  for (let i: u32 = 1; i + 1 < number; i++) {
    if (groupSeparator(i) != groupSeparator(0)) return false;
  }
  return true;
}

/** Whether a digit stands just before the hyphen, dot or slash before `p`, so that `p` continues a longer number. */
export function continues(p: u32): bool {
  const before = at(p - 1);
  return before >= 0x2d && before <= 0x2f && is(p - 2, DIGIT);
}

/** Whether a hyphen or dot and a digit follow `p`, so that the number goes on. */
export function goesOn(p: u32): bool {
  const kind = separatorKind(p);
  return (kind & (HYPHEN | PERIOD)) != 0 && is(p + separatorAt(p), DIGIT);
}
