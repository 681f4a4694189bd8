// The text of IP addresses, as Go writes them (RFC 5952).

import { addByte, addInteger, beginText, finishText } from './text-builder';

/** The text of 4 or 16 bytes; an IPv4 address within IPv6 is written as IPv4. */
export function ipText(pointer: u32, length: u32): u32 {
  if (length == 4) return ipv4Text(pointer);
  const mapped =
    load<u64>(pointer) == 0 && load<u16>(pointer, 8) == 0 && load<u16>(pointer, 10) == 0xffff;
  return mapped ? ipv4Text(pointer + 12) : ipv6Text(pointer);
}

function ipv4Text(pointer: u32): u32 {
  beginText(16);
  for (let i: u32 = 0; i < 4; i++) {
    if (i > 0) addByte(0x2e);
    addInteger(load<u8>(pointer + i));
  }
  return finishText();
}

function fieldAt(pointer: u32, index: u32): u32 {
  return <u32>bswap<u16>(load<u16>(pointer + (index << 1)));
}

function ipv6Text(pointer: u32): u32 {
  // The first of the longest runs of at least two zeros is left out.
  let start: u32 = 8;
  let longest: u32 = 1;
  for (let i: u32 = 0; i < 8; i++) {
    let run: u32 = 0;
    while (i + run < 8 && fieldAt(pointer, i + run) == 0) run++;
    if (run > longest) {
      longest = run;
      start = i;
    }
  }
  beginText(40);
  for (let i: u32 = 0; i < 8; i++) {
    if (i == start) {
      addByte(0x3a);
      addByte(0x3a);
      i += longest - 1;
      continue;
    }
    if (i > 0 && i != start + longest) addByte(0x3a);
    addHex(fieldAt(pointer, i));
  }
  return finishText();
}

function addHex(field: u32): void {
  let shift: u32 = 12;
  while (shift > 0 && field >> shift == 0) shift -= 4;
  for (; ; shift -= 4) {
    const digit = (field >> shift) & 15;
    addByte(digit < 10 ? 0x30 + digit : 0x57 + digit);
    if (shift == 0) break;
  }
}
