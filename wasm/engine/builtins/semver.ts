// Rego's semver.*: versions of Semantic Versioning 2.0.0 and their order (OPA's internal/semver/semver.go).

import { Failure, failed } from '../failure';
import { boolean, integer, Kind, kindOf, lengthOf, textOf } from '../value';

// The version that `parse` read last.
let major: i64 = 0;
let minor: i64 = 0;
let patch: i64 = 0;
let preRelease: u32 = 0;
let preReleaseEnd: u32 = 0;

/** Where a byte stands first from `start` on, or `end`. */
function indexOf(byte: u32, start: u32, end: u32): u32 {
  let p = start;
  while (p < end && load<u8>(p) != byte) p++;
  return p;
}

function isDigit(byte: u32): bool {
  return byte >= 0x30 && byte <= 0x39;
}

/** Whether all of it are digits, at least one. */
function isDecimal(start: u32, end: u32): bool {
  for (let p = start; p < end; p++) if (!isDigit(load<u8>(p))) return false;
  return end > start;
}

/** Whether this is a list of identifiers with dots between; `strict` forbids leading zeros of numbers. */
function areIdentifiers(start: u32, end: u32, strict: bool): bool {
  let identifier = start;
  while (true) {
    const stop = indexOf(0x2e, identifier, end);
    if (stop == identifier) return false;
    for (let p = identifier; p < stop; p++) {
      const byte = <u32>load<u8>(p);
      const lower = byte | 0x20;
      if (!isDigit(byte) && byte != 0x2d && (lower < 0x61 || lower > 0x7a)) return false;
    }
    const zero = stop > identifier + 1 && load<u8>(identifier) == 0x30;
    if (strict && zero && isDecimal(identifier, stop)) return false;
    if (stop == end) return true;
    identifier = stop + 1;
  }
}

/** Reads a number without a leading zero that an i64 holds; -1 when it is none. */
function readNumber(start: u32, end: u32): i64 {
  if (!isDecimal(start, end) || (load<u8>(start) == 0x30 && end > start + 1)) return -1;
  if (end - start > 19) return -1;
  let value: u64 = 0;
  for (let p = start; p < end; p++) value = value * 10 + load<u8>(p) - 0x30;
  return value > <u64>i64.MAX_VALUE ? -1 : <i64>value;
}

/** Reads a version; false when it is none. */
function parse(text: u32): bool {
  let start = textOf(text);
  let end = start + lengthOf(text);
  if (start < end && load<u8>(start) == 0x76) start++;
  const plus = indexOf(0x2b, start, end);
  if (plus < end && !areIdentifiers(plus + 1, end, false)) return false;
  end = plus;
  const hyphen = indexOf(0x2d, start, end);
  preRelease = min(hyphen + 1, end);
  preReleaseEnd = end;
  if (hyphen < end && !areIdentifiers(preRelease, end, true)) return false;
  end = hyphen;
  const first = indexOf(0x2e, start, end);
  if (first == end) return false;
  const second = indexOf(0x2e, first + 1, end);
  if (second == end) return false;
  major = readNumber(start, first);
  minor = readNumber(first + 1, second);
  patch = readNumber(second + 1, end);
  return major >= 0 && minor >= 0 && patch >= 0;
}

function order(a: i64, b: i64): i32 {
  return a == b ? 0 : a < b ? -1 : 1;
}

function orderBytes(a: u32, aEnd: u32, b: u32, bEnd: u32): i32 {
  const shorter = min(aEnd - a, bEnd - b);
  const first = memory.compare(a, b, shorter);
  return first != 0 ? first : order(aEnd - a, bEnd - b);
}

/** As Go's Atoi, whose error OPA ignores: a number too large is the largest. */
function clamped(start: u32, end: u32): i64 {
  let value: u64 = 0;
  for (let p = start; p < end; p++) {
    value = value * 10 + load<u8>(p) - 0x30;
    if (value > <u64>i64.MAX_VALUE / 10 && p + 1 < end) return i64.MAX_VALUE;
  }
  return value > <u64>i64.MAX_VALUE ? i64.MAX_VALUE : <i64>value;
}

/** The order of two identifiers of pre-releases. */
function compareIdentifiers(a: u32, aEnd: u32, b: u32, bEnd: u32): i32 {
  const aNumber = isDecimal(a, aEnd);
  const bNumber = isDecimal(b, bEnd);
  if (aNumber != bNumber) return aNumber ? -1 : 1;
  if (aNumber) return order(clamped(a, aEnd), clamped(b, bEnd));
  return orderBytes(a, aEnd, b, bEnd);
}

/** The order of two pre-releases that are not empty. */
function comparePreReleases(aStart: u32, aEnd: u32, bStart: u32, bEnd: u32): i32 {
  if (orderBytes(aStart, aEnd, bStart, bEnd) == 0) return 0;
  let a = aStart;
  let b = bStart;
  while (true) {
    const aStop = indexOf(0x2e, a, aEnd);
    const bStop = indexOf(0x2e, b, bEnd);
    const first = compareIdentifiers(a, aStop, b, bStop);
    if (first != 0) return first;
    // Equal so far: the longer list comes later. Two that end here differ in numbers beyond the largest.
    if (aStop == aEnd || bStop == bEnd) return order(aStop == aEnd ? 0 : 1, bStop == bEnd ? 0 : 1);
    a = aStop + 1;
    b = bStop + 1;
  }
}

export function b_semver_compare(a: u32, b: u32): u32 {
  if (kindOf(a) != Kind.String || kindOf(b) != Kind.String) return failed(Failure.Type);
  if (!parse(a)) return failed();
  const aMajor = major;
  const aMinor = minor;
  const aPatch = patch;
  const aPre = preRelease;
  const aPreEnd = preReleaseEnd;
  if (!parse(b)) return failed();
  let result = order(aMajor, major);
  if (result == 0) result = order(aMinor, minor);
  if (result == 0) result = order(aPatch, patch);
  if (result != 0) return integer(result);
  const aRelease = aPre == aPreEnd;
  const bRelease = preRelease == preReleaseEnd;
  // A release comes after its pre-releases.
  if (aRelease || bRelease) return integer(order(aRelease ? 1 : 0, bRelease ? 1 : 0));
  result = comparePreReleases(aPre, aPreEnd, preRelease, preReleaseEnd);
  return integer(result < 0 ? -1 : result > 0 ? 1 : 0);
}

export function b_semver_is_valid(version: u32): u32 {
  return boolean(kindOf(version) == Kind.String && parse(version));
}
