// Whether a text is an IPv6 address, with a zone or without, as Go's net/netip says (RFC 4291 section 2.2).

import { hexDigit } from './encoding-base64';

const FIELDS: u32 = 8;

/** Whether the text is an IPv6 address. */
export function isIpv6(pointer: u32, length: u32): bool {
  const end = zoneAt(pointer, length);
  if (end == 0) return false;
  let p = pointer;
  let fields: u32 = 0;
  let gap = false;
  if (p + 2 <= end && load<u8>(p) == 0x3a && load<u8>(p, 1) == 0x3a) {
    gap = true;
    p += 2;
    if (p == end) return true;
  }
  while (fields < FIELDS) {
    const start = p;
    while (p < end && hexDigit(load<u8>(p)) < 16) p++;
    if (p == start || p - start > 4) return false;
    if (p < end && load<u8>(p) == 0x2e) {
      if (fields > 6 || (!gap && fields != 6)) return false;
      return isIpv4(start, end) && (gap ? fields < 6 : true);
    }
    fields++;
    if (p == end) break;
    if (load<u8>(p) != 0x3a || p + 1 == end) return false;
    p++;
    if (load<u8>(p) == 0x3a) {
      if (gap) return false;
      gap = true;
      p++;
      if (p == end) break;
    }
  }
  return p == end && (gap ? fields < FIELDS : fields == FIELDS);
}

/** Where the address ends: at the zone's `%`, or with the text; 0 when the zone is empty. */
function zoneAt(pointer: u32, length: u32): u32 {
  const end = pointer + length;
  for (let p = pointer; p < end; p++) {
    if (load<u8>(p) == 0x25) return p + 1 == end ? 0 : p;
  }
  return end;
}

/** Whether the text is four decimal numbers up to 255 without leading zeros. */
function isIpv4(start: u32, end: u32): bool {
  let value: u32 = 0;
  let digits: u32 = 0;
  let dots: u32 = 0;
  for (let p = start; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte == 0x2e) {
      if (digits == 0 || ++dots == 4) return false;
      value = 0;
      digits = 0;
      continue;
    }
    if (byte - 0x30 > 9 || (digits == 1 && value == 0)) return false;
    value = value * 10 + byte - 0x30;
    digits++;
    if (value > 255) return false;
  }
  return dots == 3 && digits > 0;
}
