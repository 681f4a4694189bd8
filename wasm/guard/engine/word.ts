// Whether a place is in the middle of a word, where no credential begins; see rules/README.md.

import { textStart } from './text';

function isAlnum(byte: u32): bool {
  return (byte | 0x20) - 0x61 < 26 || byte - 0x30 < 10;
}

function isHex(byte: u32): bool {
  return byte - 0x30 < 10 || (byte | 0x20) - 0x61 < 6;
}

/**
 * Whether letters or digits stand on both sides of the place. What ends an escape of JSON, such as `\n` or `\u0007`,
 * counts as no letter, so that what follows a line break is found in text that is itself JSON.
 */
export function isMidWord(at: usize): bool {
  if (at == textStart || !isAlnum(load<u8>(at))) return false;
  const before: u32 = load<u8>(at - 1);
  if (!isAlnum(before)) return false;
  if (textStart != 0 && at - textStart < 2) return true;
  const isLetter =
    before == 0x6e || before == 0x72 || before == 0x74 || before == 0x62 || before == 0x66;
  if (isLetter && load<u8>(at - 2) == 0x5c) return false;
  if (textStart != 0 && at - textStart < 6) return true;
  // `\u00` and two hexadecimal digits.
  return !(isHex(before) && isHex(load<u8>(at - 2)) && load<u32>(at - 6) == 0x3030755c);
}
