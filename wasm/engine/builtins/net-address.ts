// IP addresses and networks: reads and writes their text as Go's packages net and netip do.
//
// An address is two u64, the first 8 bytes and the last; one of IPv4 is mapped into IPv6 (::ffff:a.b.c.d).

import { addAscii, addByte, addInteger } from './text-builder';

/** The last 8 bytes of every mapped IPv4 address begin with these 4. */
const MAPPED: u64 = 0xffff00000000;

/** The address read last. */
export let addressHigh: u64 = 0;
export let addressLow: u64 = 0;
/** Whether it was written as one of IPv4. */
let addressIs4: bool = false;

/** The network read last: its first address, and bits of its prefix counted as of an IPv6 address or of IPv4. */
export let networkHigh: u64 = 0;
export let networkLow: u64 = 0;
export let networkPrefix: u32 = 0;
/** 32 or 128. */
export let networkBits: u32 = 0;

/** Whether an address is one of IPv4 (Go's To4). */
export function isMapped(high: u64, low: u64): bool {
  return high == 0 && low >> 32 == MAPPED >> 32;
}

/** A mask of 64 bits with the first `ones` set. */
function mask64(ones: i32): u64 {
  if (ones <= 0) return 0;
  return ones >= 64 ? u64.MAX_VALUE : ~(u64.MAX_VALUE >> ones);
}

/** The first 8 bytes of the mask of a prefix of an IPv6 address. */
export function maskHigh(prefix: u32): u64 {
  return mask64(<i32>prefix);
}

/** The last 8 bytes of it. */
export function maskLow(prefix: u32): u64 {
  return mask64(<i32>prefix - 64);
}

/** Reads four decimal numbers with dots between; false when they are none. */
function read4(start: u32, end: u32): bool {
  let value: u32 = 0;
  let p = start;
  for (let field: u32 = 0; field < 4; field++) {
    if (field > 0) {
      if (p >= end || load<u8>(p) != 0x2e) return false;
      p++;
    }
    const first = p;
    let number: u32 = 0;
    while (p < end && load<u8>(p) >= 0x30 && load<u8>(p) <= 0x39) {
      // No leading zero: some read such a number as octal.
      if (p > first && number == 0) return false;
      number = number * 10 + load<u8>(p) - 0x30;
      if (number > 255) return false;
      p++;
    }
    if (p == first) return false;
    value = (value << 8) | number;
  }
  addressHigh = 0;
  addressLow = MAPPED | value;
  return p == end;
}

/** The value of a hexadecimal digit, or -1. */
function hexDigit(byte: u32): i32 {
  if (byte >= 0x30 && byte <= 0x39) return <i32>byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? <i32>lower - 0x57 : -1;
}

const GROUPS: usize = memory.data(32);

/** Reads an IPv6 address without a zone (netip, parseIPv6); false when it is none. */
function read6(start: u32, end: u32): bool {
  let p = start;
  let gap: i32 = -1;
  let count: i32 = 0;
  if (p + 2 <= end && load<u16>(p) == 0x3a3a) {
    gap = 0;
    p += 2;
  }
  if (p == end) return gap == 0 && expand(0, 0);
  while (true) {
    if (count == 8) return false;
    const first = p;
    let group: u32 = 0;
    for (let digit: i32 = 0; p < end; p++) {
      digit = hexDigit(load<u8>(p));
      if (digit < 0) break;
      if (p - first > 3) return false;
      group = (group << 4) | <u32>digit;
    }
    if (p == first) return false;
    if (p < end && load<u8>(p) == 0x2e) {
      if ((gap < 0 && count != 6) || count > 6 || !read4(first, end)) return false;
      store<u32>(GROUPS + count * 4, <u32>(addressLow >> 16) & 0xffff);
      store<u32>(GROUPS + count * 4, <u32>addressLow & 0xffff, 4);
      count += 2;
      break;
    }
    store<u32>(GROUPS + count * 4, group);
    count++;
    if (p == end) break;
    if (load<u8>(p) != 0x3a || p + 1 == end) return false;
    p++;
    if (load<u8>(p) == 0x3a) {
      if (gap >= 0) return false;
      gap = count;
      p++;
      if (p == end) break;
    }
  }
  return expand(gap, count);
}

/** Makes the address of the groups read, with zeros where the gap is. */
function expand(gap: i32, count: i32): bool {
  if (gap < 0 ? count != 8 : count == 8) return false;
  const behind = gap < 0 ? 8 : gap;
  let high: u64 = 0;
  let low: u64 = 0;
  for (let i: i32 = 0; i < 8; i++) {
    const from = i < behind ? i : i - (8 - count);
    const group: u64 = i >= behind && from < behind ? 0 : load<u32>(GROUPS + from * 4);
    if (i < 4) high = (high << 16) | group;
    else low = (low << 16) | group;
  }
  addressHigh = high;
  addressLow = low;
  return true;
}

/** Reads an address of IPv4 or IPv6, without a zone (Go's net.ParseIP); false when it is none. */
export function readAddress(start: u32, end: u32): bool {
  for (let p = start; p < end; p++) {
    const byte = load<u8>(p);
    addressIs4 = byte == 0x2e;
    if (addressIs4) return read4(start, end);
    if (byte == 0x3a) return read6(start, end);
  }
  return false;
}

/** Reads an address, a slash and the bits of a prefix (Go's net.ParseCIDR); false when it is none. */
export function readNetwork(start: u32, end: u32): bool {
  let slash = start;
  while (slash < end && load<u8>(slash) != 0x2f) slash++;
  if (slash + 1 >= end || !readAddress(start, slash)) return false;
  let prefix: u32 = 0;
  for (let p = slash + 1; p < end; p++) {
    const digit = <u32>load<u8>(p) - 0x30;
    if (digit > 9) return false;
    prefix = prefix * 10 + digit;
    if (prefix >= 0xffffff) return false;
  }
  networkBits = addressIs4 ? 32 : 128;
  if (prefix > networkBits) return false;
  networkPrefix = prefix;
  const ones = prefix + 128 - networkBits;
  networkHigh = addressHigh & maskHigh(ones);
  networkLow = addressLow & maskLow(ones);
  return true;
}

function add4(address: u32): void {
  for (let shift: i32 = 24; shift >= 0; shift -= 8) {
    addInteger((address >> shift) & 255);
    if (shift > 0) addByte(0x2e);
  }
}

function groupOf(high: u64, low: u64, index: i32): u32 {
  return <u32>((index < 4 ? high : low) >> (48 - ((index & 3) << 4))) & 0xffff;
}

function addHex(group: u32): void {
  let shift: i32 = 12;
  while (shift > 0 && group >> shift == 0) shift -= 4;
  for (; shift >= 0; shift -= 4) {
    const digit = (group >> shift) & 15;
    addByte(digit < 10 ? 0x30 + digit : 0x57 + digit);
  }
}

/** Adds an address as Go writes it: dotted for IPv4, otherwise the form of RFC 5952. */
export function addAddress(high: u64, low: u64): void {
  if (isMapped(high, low)) {
    add4(<u32>low);
    return;
  }
  // The longest run of at least two groups of zeros, the first of equals.
  let gap: i32 = -1;
  let gapEnd: i32 = -1;
  for (let i: i32 = 0; i < 8; i++) {
    let stop = i;
    while (stop < 8 && groupOf(high, low, stop) == 0) stop++;
    if (stop - i >= 2 && stop - i > gapEnd - gap) {
      gap = i;
      gapEnd = stop;
    }
    if (stop > i) i = stop;
  }
  for (let i: i32 = 0; i < 8; i++) {
    if (i == gap) {
      addAscii('::');
      i = gapEnd;
      if (i >= 8) return;
    } else if (i > 0) {
      addByte(0x3a);
    }
    addHex(groupOf(high, low, i));
  }
}
