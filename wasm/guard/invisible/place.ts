// Decides whether an invisible character stands where writing needs it.

import * as Kind from '../kinds';
import { count } from '../text';
import {
  codePoint,
  codePointBefore,
  hasEmojiForm,
  hasStandardVariant,
  isHebrew,
  isIdeograph,
  isMongolianLetter,
  mayBeEmoji,
  nearRightToLeft,
  usesJoiners,
  usesZeroWidthSpace,
} from './codepoint';
import { invisibleKind, NONE } from './kind';

/** How far behind its first byte a character is looked after, in bytes. */
export const LOOK_AHEAD: u32 = 72;
const FLAG_BYTES: u32 = 24;

/** Where the text begins; 0 when that is no longer in the buffer. */
let textBegin: u32 = 0;

/** Says where the text begins. */
export function setTextBegin(p: u32): void {
  textBegin = p;
}

/** Whether a visible neighbour needs the invisible `c` at `[p, stop)`. */
export function inPlace(c: u32, kind: u32, p: u32, stop: u32): bool {
  const before = codePointBefore(p);
  const after = codePoint(stop);
  if (kind == Kind.VARIATION_SELECTOR) return selects(c, before);
  if (kind == Kind.ZERO_WIDTH) {
    if (c == 0xfeff) return p == textBegin;
    if (invisibleKind(after) != NONE) return false;
    if (c == 0x200d && joinsEmoji(before, p, after)) return true;
    if (invisibleKind(before) != NONE) return false;
    if (c == 0x200b) return usesZeroWidthSpace(before) || usesZeroWidthSpace(after);
    if (c == 0x180e) return isMongolianLetter(before);
    return c != 0x2060 && (usesJoiners(before) || usesJoiners(after));
  }
  if (invisibleKind(before) != NONE || invisibleKind(after) != NONE) return false;
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

export function isTag(c: u32): bool {
  return c >= 0xe0000 && c <= 0xe007f;
}

/** Where the flag that ends with the tags from `p` on ends; 0 when they spell none of England, Scotland and Wales. */
export function flagEnd(p: u32): u32 {
  if (codePointBefore(p) != 0x1f3f4) return 0;
  let spelled: u64 = 0;
  let q = p;
  while (q < p + FLAG_BYTES) {
    const c = codePoint(q);
    if (!isTag(c)) return 0;
    spelled = (spelled << 8) | <u64>(c & 0xff);
    q += 4;
  }
  if (isTag(codePoint(q))) return 0;
  // gbeng, gbsct and gbwls, each with U+E007F CANCEL TAG.
  const isFlag =
    spelled == 0x6762656e677f || spelled == 0x67627363747f || spelled == 0x6762776c737f;
  return isFlag ? q : 0;
}
