// Which kinds of characters a finding has.

export const DIGIT: u32 = 1;
export const UPPER: u32 = 2;
export const LOWER: u32 = 4;
export const OTHER: u32 = 8;

/** The fewest characters of base64 in the body of a private key: that of Ed25519 has 64. */
const KEY_BODY_MIN: u32 = 40;
const DASH: u32 = 0x2d;

/** The kind of a byte: a digit, a letter, or another. */
export function kindOf(byte: u32): u32 {
  if (byte - 0x30 < 10) return DIGIT;
  if (byte - 0x41 < 26) return UPPER;
  return byte - 0x61 < 26 ? LOWER : OTHER;
}

/** The kinds of all bytes of `[start, end)`, one bit each. */
export function kindsWithin(start: usize, end: usize): u32 {
  let kinds: u32 = 0;
  for (let p = start; p < end; p++) kinds |= kindOf(load<u8>(p));
  return kinds;
}

/**
 * Whether capitals and small letters are mixed as chance mixes them: with a digit among them, or changing so often that
 * they are no words joined to a name such as `clientSecretOfApp`.
 */
export function isMixedCase(start: usize, end: usize): bool {
  const kinds = kindsWithin(start, end);
  if ((kinds & (UPPER | LOWER)) != (UPPER | LOWER)) return false;
  if ((kinds & DIGIT) != 0) return true;
  let changes: u32 = 0;
  for (let p = start + 1; p < end; p++) {
    if ((kindOf(load<u8>(p)) | kindOf(load<u8>(p - 1))) == (UPPER | LOWER)) changes++;
  }
  return changes * 4 >= <u32>(end - start);
}

/** Whether enough base64 stands between the first and the last line of the PEM block (RFC 7468). */
export function hasKeyBody(start: usize, end: usize): bool {
  let p = start;
  // The first line ends with the second run of five dashes.
  for (let dashes = 0; p < end && dashes < 10; p++) if (load<u8>(p) == DASH) dashes++;
  let letters: u32 = 0;
  let dashes: u32 = 0;
  for (; p < end && dashes < 5; p++) {
    const byte: u32 = load<u8>(p);
    if (byte == DASH) {
      dashes++;
      continue;
    }
    dashes = 0;
    if (kindOf(byte) != OTHER || byte == 0x2b || byte == 0x2f) letters++;
  }
  return letters >= KEY_BODY_MIN;
}
