// The checksum of Bech32 (BIP 173), which secret keys of age and Nostr end with.

import { bech32Step, bech32Value } from '../../../common/bech32';

const SEPARATOR: u32 = 0x31;

function lower(byte: u32): u32 {
  return byte - 0x41 < 26 ? byte + 32 : byte;
}

/** Whether `[start, end)` is Bech32 with a right checksum: a name, the last `1`, then values of five bits. */
export function isBech32(start: usize, end: usize): bool {
  let separator = end;
  while (separator > start && load<u8>(separator - 1) != SEPARATOR) separator--;
  if (separator <= start + 1 || end - separator < 6) return false;
  const name = separator - 1;
  let checksum: u32 = 1;
  for (let p = start; p < name; p++) checksum = bech32Step(checksum, lower(load<u8>(p)) >>> 5);
  checksum = bech32Step(checksum, 0);
  for (let p = start; p < name; p++) checksum = bech32Step(checksum, lower(load<u8>(p)) & 31);
  for (let p = separator; p < end; p++) {
    const value = bech32Value(lower(load<u8>(p)));
    if (value == 32) return false;
    checksum = bech32Step(checksum, value);
  }
  return checksum == 1;
}
