// Writes text inside a JSON string with the escapes of RFC 8785 section 3.2.2.2 and no others.

/** Writes UTF-8 from `start` to `end`, escaped, at `out`; returns its end. At most six times as long. */
export function escapeText(start: u32, end: u32, out: u32): u32 {
  for (let p = start; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte < 0x20) {
      out = escapeControl(byte, out);
      continue;
    }
    if (byte == 0x22 || byte == 0x5c) store<u8>(out++, 0x5c);
    store<u8>(out++, byte);
  }
  return out;
}

function escapeControl(byte: u32, out: u32): u32 {
  store<u8>(out, 0x5c);
  const letter = shortLetter(byte);
  if (letter != 0) {
    store<u8>(out, letter, 1);
    return out + 2;
  }
  store<u8>(out, 0x75, 1);
  store<u16>(out, 0x3030, 2);
  store<u8>(out, 0x30 + (byte >> 4), 4);
  const low = byte & 15;
  store<u8>(out, low < 10 ? 0x30 + low : 0x57 + low, 5);
  return out + 6;
}

function shortLetter(byte: u32): u32 {
  if (byte == 10) return 0x6e;
  if (byte == 9) return 0x74;
  if (byte == 13) return 0x72;
  if (byte == 8) return 0x62;
  if (byte == 12) return 0x66;
  return 0;
}
