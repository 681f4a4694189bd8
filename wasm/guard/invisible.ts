// The InvisibleText scanner: characters a person does not see and a model reads, where nothing visible needs them.

import {
  codePoint,
  codePointBefore,
  hasEmojiForm,
  hasStandardVariant,
  isHebrew,
  isIdeograph,
  isMongolianLetter,
  lengthOf,
  mayBeEmoji,
  nearRightToLeft,
  usesJoiners,
  usesZeroWidthSpace,
} from './codepoint';
import { report } from './findings';
import * as Kind from './kinds';
import { INVISIBLE_TEXT } from './scanners';
import { begin, count, end } from './text';

const NONE: u32 = 0xff;

let runStart: u32 = 0;
let runEnd: u32 = 0;
let runKind: u32 = NONE;

/** Forgets the open run; call before a scan. */
export function resetInvisible(): void {
  runKind = NONE;
}

/** Reports the open run; call after a scan. */
export function finishInvisible(): void {
  if (runKind != NONE) report(runStart, runEnd, INVISIBLE_TEXT, runKind, 1000);
  runKind = NONE;
}

function flag(start: u32, stop: u32, kind: u32): void {
  if (runKind == kind && runEnd == start) {
    runEnd = stop;
    return;
  }
  finishInvisible();
  runStart = start;
  runEnd = stop;
  runKind = kind;
}

/**
 * The kind of an invisible code point, NONE for a visible one. It covers Default_Ignorable_Code_Point of
 * Unicode 16 (DerivedCoreProperties.txt), the bidirectional controls, private use and noncharacters.
 */
function kindOf(c: u32): u32 {
  if (c < 0x2000) return kindBelow2000(c);
  if (c <= 0x206f) return kindOfPunctuation(c);
  if (c < 0xe000) return c == 0x3164 ? Kind.INVISIBLE_FORMAT : NONE;
  if (c <= 0xf8ff) return Kind.PRIVATE_USE;
  if ((c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef)) return Kind.NONCHARACTER;
  if (c >= 0xfe00 && c <= 0xfe0f) return Kind.VARIATION_SELECTOR;
  if (c == 0xfeff) return Kind.ZERO_WIDTH;
  if (c == 0xffa0 || (c >= 0xfff0 && c <= 0xfffb)) return Kind.INVISIBLE_FORMAT;
  if (c >= 0x1bca0 && c <= 0x1bca3) return Kind.INVISIBLE_FORMAT;
  if (c >= 0x1d173 && c <= 0x1d17a) return Kind.INVISIBLE_FORMAT;
  if (c < 0xe0000) return NONE;
  if (c <= 0xe007f) return Kind.TAG_CHARACTERS;
  if (c >= 0xe0100 && c <= 0xe01ef) return Kind.VARIATION_SELECTOR;
  if (c <= 0xe0fff) return Kind.INVISIBLE_FORMAT;
  return c >= 0xf0000 ? Kind.PRIVATE_USE : NONE;
}

function kindBelow2000(c: u32): u32 {
  if (c == 0xad || c == 0x34f || c == 0x17b4 || c == 0x17b5) return Kind.INVISIBLE_FORMAT;
  if (c == 0x115f || c == 0x1160) return Kind.INVISIBLE_FORMAT;
  if (c == 0x61c) return Kind.DIRECTIONAL_MARK;
  if (c == 0x180e) return Kind.ZERO_WIDTH;
  return c >= 0x180b && c <= 0x180f ? Kind.VARIATION_SELECTOR : NONE;
}

function kindOfPunctuation(c: u32): u32 {
  if (c < 0x200b) return NONE;
  if (c <= 0x200d) return Kind.ZERO_WIDTH;
  if (c <= 0x200f) return Kind.DIRECTIONAL_MARK;
  if ((c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069)) return Kind.BIDI_CONTROL;
  if (c == 0x2060) return Kind.ZERO_WIDTH;
  return c >= 0x2061 ? Kind.INVISIBLE_FORMAT : NONE;
}

/** Whether a visible neighbour needs the invisible `c` at `[p, stop)`. */
function inPlace(c: u32, kind: u32, p: u32, stop: u32): bool {
  const before = codePointBefore(p);
  const after = codePoint(stop);
  if (kind == Kind.VARIATION_SELECTOR) return selects(c, before);
  if (kind == Kind.ZERO_WIDTH) {
    if (c == 0xfeff) return p == begin;
    if (kindOf(after) != NONE) return false;
    if (c == 0x200d && joinsEmoji(before, p, after)) return true;
    if (kindOf(before) != NONE) return false;
    if (c == 0x200b) return usesZeroWidthSpace(before) || usesZeroWidthSpace(after);
    if (c == 0x180e) return isMongolianLetter(before);
    return c != 0x2060 && (usesJoiners(before) || usesJoiners(after));
  }
  if (kindOf(before) != NONE || kindOf(after) != NONE) return false;
  if (kind == Kind.DIRECTIONAL_MARK) {
    count(128);
    return nearRightToLeft(p);
  }
  if (c == 0x34f) return isHebrew(before) && isHebrew(after);
  if (c == 0x115f) return after >= 0x1161 && after <= 0x11a7;
  if (c == 0x1160)
    return (before >= 0x1100 && before <= 0x115e) || (before >= 0xa960 && before <= 0xa97c);
  return c >= 0x1bca0 && c <= 0x1bca3 && before >= 0x1bc00 && before <= 0x1bc9f;
}

/** A zero-width joiner between two emoji, the first perhaps with its VS16. */
function joinsEmoji(before: u32, p: u32, after: u32): bool {
  if (!mayBeEmoji(after)) return false;
  return before == 0xfe0f ? mayBeEmoji(codePointBefore(p - 3)) : mayBeEmoji(before);
}

function selects(c: u32, before: u32): bool {
  if (c == 0xfe0e || c == 0xfe0f) return hasEmojiForm(before);
  if (c >= 0x180b && c <= 0x180f) return isMongolianLetter(before);
  if (c >= 0xfe00 && c <= 0xfe06) return hasStandardVariant(before);
  // Registered ideographic sequences use the first selectors; the rest carry data, not glyphs.
  return c >= 0xe0100 && c <= 0xe011f && isIdeograph(before);
}

/** End of the run of tag characters at `p`; each is F3 A0 80 xx or F3 A0 81 xx. */
function tagsEnd(p: u32): u32 {
  let q = p;
  while (q + 4 <= end && load<u16>(q) == 0xa0f3 && load<u8>(q + 2) <= 0x81) q += 4;
  count(q - p);
  return q;
}

/** Whether the tags `[p, stop)` after a black flag spell England, Scotland or Wales and end properly. */
function spellsFlag(p: u32, stop: u32): bool {
  if (stop - p != 24 || codePointBefore(p) != 0x1f3f4) return false;
  let spelled: u64 = 0;
  for (let q = p; q < stop; q += 4) spelled = (spelled << 8) | <u64>(codePoint(q) & 0xff);
  // gbeng, gbsct and gbwls, each with U+E007F CANCEL TAG.
  return spelled == 0x6762656e677f || spelled == 0x67627363747f || spelled == 0x6762776c737f;
}

/** Looks at the non-ASCII code point at `p` and returns where the next one begins. */
export function invisibleAt(p: u32): u32 {
  const stop = min(end, p + lengthOf(load<u8>(p)));
  const c = codePoint(p);
  const kind = kindOf(c);
  if (kind == NONE) return stop;
  if (kind == Kind.TAG_CHARACTERS) {
    const last = max(stop, tagsEnd(p));
    if (!spellsFlag(p, last)) flag(p, last, kind);
    return last;
  }
  if (!inPlace(c, kind, p, stop)) flag(p, stop, kind);
  return stop;
}
