// The checksum of Bech32 (BIP 173), which secret keys of age and Nostr end with.

const SEPARATOR: u32 = 0x31;
const LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

function lower(byte: u32): u32 {
  return byte - 0x41 < 26 ? byte + 32 : byte;
}

function valueOf(byte: u32): u32 {
  for (let i: u32 = 0; i < 32; i++) {
    if (<u32>load<u16>(changetype<usize>(LETTERS) + (i << 1)) == byte) return i;
  }
  return 32;
}

/** One step of the code's polynomial over the 30 bits of the checksum. */
function step(checksum: u32, value: u32): u32 {
  const top = checksum >>> 25;
  let next = ((checksum & 0x1ffffff) << 5) ^ value;
  if ((top & 1) != 0) next ^= 0x3b6a57b2;
  if ((top & 2) != 0) next ^= 0x26508e6d;
  if ((top & 4) != 0) next ^= 0x1ea119fa;
  if ((top & 8) != 0) next ^= 0x3d4233dd;
  if ((top & 16) != 0) next ^= 0x2a1462b3;
  return next;
}

/** Whether `[start, end)` is Bech32 with a right checksum: a name, the last `1`, then values of five bits. */
export function isBech32(start: usize, end: usize): bool {
  let separator = end;
  while (separator > start && load<u8>(separator - 1) != SEPARATOR) separator--;
  if (separator <= start + 1 || end - separator < 6) return false;
  const name = separator - 1;
  let checksum: u32 = 1;
  for (let p = start; p < name; p++) checksum = step(checksum, lower(load<u8>(p)) >>> 5);
  checksum = step(checksum, 0);
  for (let p = start; p < name; p++) checksum = step(checksum, lower(load<u8>(p)) & 31);
  for (let p = separator; p < end; p++) {
    const value = valueOf(lower(load<u8>(p)));
    if (value == 32) return false;
    checksum = step(checksum, value);
  }
  return checksum == 1;
}
