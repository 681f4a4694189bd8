// Names the code points that a person does not see.

import * as Kind from '../kinds';

/** The kind of a visible code point. */
export const NONE: u32 = 0xff;

/**
 * The kind of an invisible code point, NONE for a visible one. It covers Default_Ignorable_Code_Point of
 * Unicode 16 (DerivedCoreProperties.txt), the bidirectional controls, private use and noncharacters.
 */
export function invisibleKind(c: u32): u32 {
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
