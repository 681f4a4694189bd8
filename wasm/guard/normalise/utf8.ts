// Reads and writes code points of text that may be no valid UTF-8: what decoders bring to light is not checked.

/** How many bytes the last `decodePoint` took. */
export let pointBytes: u32 = 1;

/** The code point at `p`; a byte that begins none within `[p, end)` is U+FFFD, of one byte. */
export function decodePoint(p: usize, end: usize): u32 {
  const lead: u32 = load<u8>(p);
  pointBytes = 1;
  if (lead < 0x80) return lead;
  if (lead < 0xc2 || lead > 0xf4) return 0xfffd;
  const length: u32 = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (p + length > end) return 0xfffd;
  let value: u32 = lead & (0x7f >> length);
  for (let i: u32 = 1; i < length; i++) {
    const byte: u32 = load<u8>(p + i);
    if ((byte & 0xc0) != 0x80) return 0xfffd;
    value = (value << 6) | (byte & 0x3f);
  }
  pointBytes = length;
  return value;
}

/** Writes a code point at `q` and returns where the next one goes; surrogates and what is no code point become U+FFFD. */
export function encodePoint(q: usize, value: u32): usize {
  let point = value;
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) point = 0xfffd;
  if (point < 0x80) {
    store<u8>(q, point);
    return q + 1;
  }
  if (point < 0x800) {
    store<u8>(q, 0xc0 | (point >> 6));
    store<u8>(q, 0x80 | (point & 0x3f), 1);
    return q + 2;
  }
  if (point < 0x10000) {
    store<u8>(q, 0xe0 | (point >> 12));
    store<u8>(q, 0x80 | ((point >> 6) & 0x3f), 1);
    store<u8>(q, 0x80 | (point & 0x3f), 2);
    return q + 3;
  }
  store<u8>(q, 0xf0 | (point >> 18));
  store<u8>(q, 0x80 | ((point >> 12) & 0x3f), 1);
  store<u8>(q, 0x80 | ((point >> 6) & 0x3f), 2);
  store<u8>(q, 0x80 | (point & 0x3f), 3);
  return q + 4;
}
