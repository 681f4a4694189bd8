// Walks code points of valid UTF-8 and names the ranges that decide whether an invisible one is in place.

import { begin, end } from '../text';

/** Length in bytes of the code point whose first byte is `lead`. */
export function lengthOf(lead: u32): u32 {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** The code point at `p`, 0 outside the text. */
export function codePoint(p: u32): u32 {
  if (p < begin || p >= end) return 0;
  const lead: u32 = load<u8>(p);
  const length = lengthOf(lead);
  if (length == 1) return lead;
  if (p + length > end) return 0;
  let value: u32 = lead & (0x7f >> length);
  for (let i: u32 = 1; i < length; i++) value = (value << 6) | (load<u8>(p + i) & 0x3f);
  return value;
}

/** The code point that ends at `p` (exclusive), 0 at the beginning of the text. */
export function codePointBefore(p: u32): u32 {
  if (p <= begin) return 0;
  let q = p - 1;
  while (q > begin && (load<u8>(q) & 0xc0) == 0x80) q--;
  return codePoint(q);
}

function within(value: u32, first: u32, last: u32): bool {
  return value - first <= last - first;
}

/** Scripts whose spelling uses ZWNJ and ZWJ: Arabic and its kin, the Brahmic scripts, Mongolian, Adlam. */
export function usesJoiners(c: u32): bool {
  if (c < 0x600) return false;
  if (c < 0x2000) {
    return (
      c < 0xe00 ||
      within(c, 0xf00, 0x109f) ||
      within(c, 0x1780, 0x18af) ||
      within(c, 0x1a20, 0x1b7f) ||
      within(c, 0x1cd0, 0x1cff)
    );
  }
  return (
    within(c, 0xa800, 0xa82f) ||
    within(c, 0xa840, 0xa8ff) ||
    within(c, 0xa980, 0xa9df) ||
    within(c, 0xabc0, 0xabff) ||
    within(c, 0xfb50, 0xfdcf) ||
    within(c, 0xfdf0, 0xfdff) ||
    within(c, 0xfe70, 0xfefc) ||
    within(c, 0x10d00, 0x10d3f) ||
    within(c, 0x11000, 0x11fff) ||
    within(c, 0x1e900, 0x1e95f)
  );
}

/** Scripts written without spaces, where ZWSP marks where a line may break. */
export function usesZeroWidthSpace(c: u32): bool {
  return (
    within(c, 0xe00, 0x109f) ||
    within(c, 0x1780, 0x17ff) ||
    within(c, 0x1950, 0x19ff) ||
    within(c, 0x1a20, 0x1aaf) ||
    within(c, 0xaa60, 0xaadf)
  );
}

/** Characters that may be an emoji: the blocks that hold Extended_Pictographic. */
export function mayBeEmoji(c: u32): bool {
  if (c < 0x2000) return c == 0xa9 || c == 0xae;
  return (
    within(c, 0x1f000, 0x1faff) ||
    within(c, 0x2190, 0x21ff) ||
    within(c, 0x2300, 0x23ff) ||
    within(c, 0x2460, 0x24ff) ||
    within(c, 0x25a0, 0x27bf) ||
    within(c, 0x2900, 0x297f) ||
    within(c, 0x2b00, 0x2bff) ||
    c == 0x203c ||
    c == 0x2049 ||
    c == 0x2122 ||
    c == 0x2139 ||
    c == 0x3030 ||
    c == 0x303d ||
    c == 0x3297 ||
    c == 0x3299
  );
}

/** Characters with an emoji and a text form: the above, and the bases of keycaps. */
export function hasEmojiForm(c: u32): bool {
  return mayBeEmoji(c) || within(c, 0x30, 0x39) || c == 0x23 || c == 0x2a;
}

export function isIdeograph(c: u32): bool {
  return within(c, 0x3400, 0x9fff) || within(c, 0xf900, 0xfaff) || within(c, 0x20000, 0x3ffff);
}

/** Bases of the standardized variation sequences with VS1 to VS7 (StandardizedVariants.txt, by block). */
export function hasStandardVariant(c: u32): bool {
  return (
    c == 0x30 ||
    isIdeograph(c) ||
    within(c, 0x2018, 0x201d) ||
    within(c, 0x2200, 0x22ff) ||
    within(c, 0x2a00, 0x2aff) ||
    within(c, 0x1000, 0x109f) ||
    within(c, 0x3000, 0x30ff) ||
    within(c, 0xa840, 0xa87f) ||
    within(c, 0xaa60, 0xaa7f) ||
    within(c, 0xff01, 0xff60) ||
    within(c, 0x10ac0, 0x10aff) ||
    within(c, 0x13000, 0x1345f)
  );
}

export function isMongolianLetter(c: u32): bool {
  return within(c, 0x1820, 0x18aa);
}

export function isHebrew(c: u32): bool {
  return within(c, 0x591, 0x5f4);
}

/** Whether a letter of a right-to-left script stands within 64 bytes of `p`. */
export function nearRightToLeft(p: u32): bool {
  const first = p - begin > 64 ? p - 64 : begin;
  const last = end - p > 64 ? p + 64 : end;
  for (let q = first; q + 1 < last; q++) {
    const lead: u32 = load<u8>(q);
    if (lead < 0xd6) continue;
    const next: u32 = load<u8>(q + 1);
    // Lead bytes of U+0590 to U+07FF, but for the Arabic letter mark itself.
    if (lead <= 0xdf) {
      if ((lead != 0xd6 || next >= 0x90) && (lead != 0xd8 || next != 0x9c)) return true;
    } else if (lead == 0xe0) {
      if (next >= 0xa0 && next <= 0xa3) return true;
    } else if (lead == 0xef) {
      if (next >= 0xac && next <= 0xb7) return true;
    } else if (lead == 0xf0) {
      if ((next == 0x90 || next == 0x9e) && q + 2 < last && load<u8>(q + 2) >= 0xa0) return true;
    }
  }
  return false;
}
