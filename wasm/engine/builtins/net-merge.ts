// Merges networks that touch or overlap into the fewest (OPA's evalNetCIDRMerge and internal/cidr/merge).

import { alloc } from '../../common/arena';
import { add, newSet } from '../object';
import {
  addAddress,
  addressHigh,
  addressLow,
  isMapped,
  maskHigh,
  maskLow,
  networkBits,
  networkHigh,
  networkLow,
  networkPrefix,
  readAddress,
  readNetwork,
} from './net-address';
import { addByte, addInteger, beginText, finishText } from './text-builder';

// A range: first address, last address, then the network that it is as it came: its address and the bits of its
// prefix as of an IPv6 address, MERGED for one that is no longer one network.
const LAST: u32 = 16;
const ADDRESS: u32 = 32;
const PREFIX: u32 = 48;
const RANGE_BYTES: u32 = 56;
const MERGED: u32 = 0xffff;

let ranges: u32 = 0;
let count: u32 = 0;

/** Begins with no networks; there will be at most so many. */
export function beginMerge(most: u32): void {
  ranges = alloc(most * RANGE_BYTES);
  count = 0;
}

/** Adds a network, or an IPv4 address with the prefix of its class (as OPA does); false when it is neither. */
export function addToMerge(start: u32, end: u32): bool {
  const range = ranges + count * RANGE_BYTES;
  let prefix: u32 = 0;
  if (readAddress(start, end)) {
    if (!isMapped(addressHigh, addressLow)) return false;
    const first = <u32>addressLow >> 24;
    prefix = 96 + (first < 0x80 ? 8 : first < 0xc0 ? 16 : 24);
    store<u64>(range, addressHigh, ADDRESS);
    store<u64>(range, addressLow, ADDRESS + 8);
  } else {
    if (!readNetwork(start, end)) return false;
    prefix = networkPrefix + 128 - networkBits;
    store<u64>(range, networkHigh, ADDRESS);
    store<u64>(range, networkLow, ADDRESS + 8);
  }
  const high = load<u64>(range, ADDRESS);
  const low = load<u64>(range, ADDRESS + 8);
  store<u64>(range, high & maskHigh(prefix));
  store<u64>(range, low & maskLow(prefix), 8);
  store<u64>(range, high | ~maskHigh(prefix), LAST);
  store<u64>(range, low | ~maskLow(prefix), LAST + 8);
  store<u32>(range, prefix, PREFIX);
  count++;
  return true;
}

/** Whether the address at `a` is above the one at `b`. */
function isAbove(a: u32, b: u32): bool {
  const high = load<u64>(a);
  const other = load<u64>(b);
  return high == other ? load<u64>(a, 8) > load<u64>(b, 8) : high > other;
}

/** Whether the range at `a` comes after the one at `b`: by their last addresses, then by their first. */
function isAfter(a: u32, b: u32): bool {
  if (isAbove(a + LAST, b + LAST)) return true;
  return !isAbove(b + LAST, a + LAST) && isAbove(a, b);
}

/** Sorts the ranges in place (a heap sort: no order makes it slow). */
function sort(): void {
  for (let root = count / 2; root > 0; root--) siftDown(root - 1, count);
  for (let end = count; end > 1; end--) {
    swap(ranges, ranges + (end - 1) * RANGE_BYTES);
    siftDown(0, end - 1);
  }
}

function siftDown(from: u32, end: u32): void {
  let root = from;
  while (root * 2 + 1 < end) {
    let child = ranges + (root * 2 + 1) * RANGE_BYTES;
    if (root * 2 + 2 < end && isAfter(child + RANGE_BYTES, child)) child += RANGE_BYTES;
    const parent = ranges + root * RANGE_BYTES;
    if (!isAfter(child, parent)) return;
    swap(parent, child);
    root = (child - ranges) / RANGE_BYTES;
  }
}

function swap(a: u32, b: u32): void {
  for (let offset: u32 = 0; offset < RANGE_BYTES; offset += 8) {
    const value = load<u64>(a + offset);
    store<u64>(a + offset, load<u64>(b + offset));
    store<u64>(b + offset, value);
  }
}

/** Whether the range at `b` begins in the one at `a` or right behind it. */
function touches(a: u32, b: u32): bool {
  const point = memory.data(16);
  let high = load<u64>(b);
  let low = load<u64>(b, 8);
  // Before the first address of IPv4 and of IPv6 comes none.
  const isFirst = high == 0 && (low == 0 || low == 0xffff00000000);
  if (!isFirst) {
    if (low == 0) high--;
    low--;
  }
  store<u64>(point, high);
  store<u64>(point, low, 8);
  return !isAbove(<u32>point, a + LAST);
}

/** The networks added, merged: a set of strings. */
export function merged(): u32 {
  const networks = newSet(count);
  if (count == 0) return networks;
  sort();
  let last = ranges + (count - 1) * RANGE_BYTES;
  for (let range = last; range > ranges; range -= RANGE_BYTES) {
    const before = range - RANGE_BYTES;
    if (touches(before, last)) {
      if (isAbove(before, last)) memory.copy(before, last, 16);
      memory.copy(before + LAST, last + LAST, 16);
      store<u32>(before, MERGED, PREFIX);
    } else {
      addRange(networks, last);
    }
    last = before;
  }
  addRange(networks, last);
  return networks;
}

/** Adds a range to the set: as it came, or as the fewest networks that make it up. */
function addRange(networks: u32, range: u32): void {
  if (load<u32>(range, PREFIX) != MERGED) {
    addNetwork(
      networks,
      load<u64>(range, ADDRESS),
      load<u64>(range, ADDRESS + 8),
      load<u32>(range, PREFIX),
    );
    return;
  }
  let high = load<u64>(range);
  let low = load<u64>(range, 8);
  const lastHigh = load<u64>(range, LAST);
  const lastLow = load<u64>(range, LAST + 8);
  while (true) {
    // The shortest prefix whose network begins here and ends in the range.
    let prefix: u32 = 128;
    while (prefix > 0) {
      const longer = prefix - 1;
      if ((high & ~maskHigh(longer)) != 0 || (low & ~maskLow(longer)) != 0) break;
      const endHigh = high | ~maskHigh(longer);
      const endLow = low | ~maskLow(longer);
      if (endHigh > lastHigh || (endHigh == lastHigh && endLow > lastLow)) break;
      prefix = longer;
    }
    addNetwork(networks, high, low, prefix);
    const endHigh = high | ~maskHigh(prefix);
    const endLow = low | ~maskLow(prefix);
    if (endHigh == lastHigh && endLow == lastLow) return;
    low = endLow + 1;
    high = low == 0 ? endHigh + 1 : endHigh;
  }
}

function addNetwork(networks: u32, high: u64, low: u64, prefix: u32): void {
  beginText();
  addAddress(high, low);
  addByte(0x2f);
  addInteger(isMapped(high, low) ? <i64>max<u32>(prefix, 96) - 96 : prefix);
  add(networks, finishText());
}
