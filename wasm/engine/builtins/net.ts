// Rego's net.cidr_* (OPA's v1/topdown/cidr.go). net.lookup_ip_addr asks a name server, so that it is no built-in here.

import { Failure, failed, stop } from '../failure';
import { add, newSet, sorted } from '../object';
import {
  boolean,
  elementAt,
  integer,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newArray,
  push,
  textOf,
  valueAt,
} from '../value';
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
import { addToMerge, beginMerge, merged } from './net-merge';
import { beginText, finishText } from './text-builder';

/** Bits of the addresses that `net.cidr_expand` lists at most: a million. */
const EXPANDED_BITS_MAX: u32 = 20;

// The first operand's network.
let high: u64 = 0;
let low: u64 = 0;
let prefix: u32 = 0;
let bits: u32 = 0;

function isNetwork(text: u32): bool {
  return readNetwork(textOf(text), textOf(text) + lengthOf(text));
}

/** Keeps the network read last as the first operand's. */
function keepNetwork(): void {
  high = networkHigh;
  low = networkLow;
  prefix = networkPrefix;
  bits = networkBits;
}

/** Whether a network holds an address (Go's IPNet.Contains): both of IPv4, mapped or not, or both not. */
function holds(netHigh: u64, netLow: u64, ones: u32, size: u32, ipHigh: u64, ipLow: u64): bool {
  const mapped = isMapped(netHigh, netLow);
  if (mapped != isMapped(ipHigh, ipLow)) return false;
  const all = ones + 128 - size;
  // Of a network of IPv4 only the last four bytes count.
  const length = mapped ? max<u32>(all, 96) : all;
  return ((netHigh ^ ipHigh) & maskHigh(length)) == 0 && ((netLow ^ ipLow) & maskLow(length)) == 0;
}

/** The answers of `contains`. */
const NO: i32 = 0;
const YES: i32 = 1;
const WRONG: i32 = -1;
const WRONG_TYPE: i32 = -2;

/** Whether the first network holds all addresses of the second operand, an address or a network. */
function contains(a: u32, b: u32): i32 {
  if (kindOf(a) != Kind.String) return WRONG_TYPE;
  if (!isNetwork(a)) return WRONG;
  keepNetwork();
  if (kindOf(b) != Kind.String) return WRONG_TYPE;
  if (readAddress(textOf(b), textOf(b) + lengthOf(b))) {
    return holds(high, low, prefix, bits, addressHigh, addressLow) ? YES : NO;
  }
  if (!isNetwork(b)) return WRONG;
  const ones = networkPrefix + 128 - networkBits;
  if (
    bits == 128 &&
    networkBits == 128 &&
    !isMapped(high, low) &&
    !isMapped(networkHigh, networkLow)
  ) {
    if (prefix > networkPrefix) return NO;
    const sameHigh = (networkHigh & maskHigh(prefix)) == high;
    return sameHigh && (networkLow & maskLow(prefix)) == low ? YES : NO;
  }
  if (!holds(high, low, prefix, bits, networkHigh, networkLow)) return NO;
  const lastHigh = networkHigh | ~maskHigh(ones);
  const lastLow = networkLow | ~maskLow(ones);
  return holds(high, low, prefix, bits, lastHigh, lastLow) ? YES : NO;
}

function answer(result: i32): u32 {
  if (result == WRONG_TYPE) return failed(Failure.Type);
  return result == WRONG ? failed() : boolean(result == YES);
}

export function b_net_cidr_contains(network: u32, addresses: u32): u32 {
  return answer(contains(network, addresses));
}

/** The old name of `net.cidr_contains`. */
export function b_net_cidr_overlap(network: u32, addresses: u32): u32 {
  return answer(contains(network, addresses));
}

export function b_net_cidr_intersects(a: u32, b: u32): u32 {
  if (kindOf(a) != Kind.String) return failed(Failure.Type);
  if (!isNetwork(a)) return failed();
  keepNetwork();
  if (kindOf(b) != Kind.String) return failed(Failure.Type);
  if (!isNetwork(b)) return failed();
  return boolean(
    holds(high, low, prefix, bits, networkHigh, networkLow) ||
      holds(networkHigh, networkLow, networkPrefix, networkBits, high, low),
  );
}

export function b_net_cidr_is_valid(network: u32): u32 {
  return boolean(kindOf(network) == Kind.String && isNetwork(network));
}

export function b_net_cidr_expand(network: u32): u32 {
  if (kindOf(network) != Kind.String) return failed(Failure.Type);
  if (!isNetwork(network)) return failed();
  const hostBits = networkBits - networkPrefix;
  if (hostBits > EXPANDED_BITS_MAX) stop(Failure.Memory);
  const addresses = newSet(1 << hostBits);
  for (let i: u64 = 0; i < (<u64>1) << hostBits; i++) {
    beginText();
    addAddress(networkHigh, networkLow + i);
    add(addresses, finishText());
  }
  return addresses;
}

export function b_net_cidr_merge(networks: u32): u32 {
  const kind = kindOf(networks);
  if (kind != Kind.Array && kind != Kind.Set) return failed();
  const count = lengthOf(networks);
  beginMerge(count);
  for (let i: u32 = 0; i < count; i++) {
    const text = kind == Kind.Array ? elementAt(networks, i) : keyAt(networks, i);
    if (kindOf(text) != Kind.String) return failed();
    if (!addToMerge(textOf(text), textOf(text) + lengthOf(text))) return failed();
  }
  return merged();
}

/** How many networks an operand of `net.cidr_contains_matches` lists. */
function countOf(operand: u32): u32 {
  const kind = kindOf(operand);
  if (kind == Kind.String) return 1;
  return kind >= <u32>Kind.Array ? lengthOf(operand) : 0;
}

/** The entry with this number, a network or an array that begins with one; 0 when it is neither. */
function networkOf(operand: u32, index: u32): u32 {
  let entry = operand;
  if (kindOf(operand) == Kind.Array) entry = elementAt(operand, index);
  else if (kindOf(operand) == Kind.Set) entry = keyAt(operand, index);
  else if (kindOf(operand) == Kind.Object) entry = valueAt(operand, index);
  if (kindOf(entry) == Kind.String) return entry;
  if (kindOf(entry) != Kind.Array || lengthOf(entry) == 0) return 0;
  return elementAt(entry, 0);
}

/** What names the entry with this number in the result. */
function nameOf(operand: u32, index: u32): u32 {
  if (kindOf(operand) == Kind.String) return operand;
  return kindOf(operand) == Kind.Array ? integer(index) : keyAt(operand, index);
}

export function b_net_cidr_contains_matches(networks: u32, addresses: u32): u32 {
  const found = newSet(0);
  if (kindOf(networks) >= <u32>Kind.Object) sorted(networks);
  if (kindOf(addresses) >= <u32>Kind.Object) sorted(addresses);
  for (let i: u32 = 0; i < countOf(networks); i++) {
    const network = networkOf(networks, i);
    if (network == 0) return failed();
    for (let j: u32 = 0; j < countOf(addresses); j++) {
      const address = networkOf(addresses, j);
      if (address == 0) return failed();
      const result = contains(network, address);
      if (result < 0) return answer(result);
      if (result == NO) continue;
      const pair = newArray(2);
      push(pair, nameOf(networks, i));
      push(pair, nameOf(addresses, j));
      add(found, pair);
    }
  }
  return found;
}
