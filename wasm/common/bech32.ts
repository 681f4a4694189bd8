// The alphabet and the checksum of Bech32 and Bech32m (BIP 173, BIP 350).

const LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** The five bits that a small letter or a digit stands for; 32 for none. */
export function bech32Value(byte: u32): u32 {
  for (let i: u32 = 0; i < 32; i++) {
    if (<u32>load<u16>(changetype<usize>(LETTERS) + (i << 1)) == byte) return i;
  }
  return 32;
}

/** One step of the code's polynomial over the 30 bits of the checksum. */
export function bech32Step(checksum: u32, value: u32): u32 {
  const top = checksum >>> 25;
  let next = ((checksum & 0x1ffffff) << 5) ^ value;
  if ((top & 1) != 0) next ^= 0x3b6a57b2;
  if ((top & 2) != 0) next ^= 0x26508e6d;
  if ((top & 4) != 0) next ^= 0x1ea119fa;
  if ((top & 8) != 0) next ^= 0x3d4233dd;
  if ((top & 16) != 0) next ^= 0x2a1462b3;
  return next;
}
