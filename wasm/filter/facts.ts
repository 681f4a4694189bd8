// The facts of a request that its first enforcement point fixes, and later ones take over: id, time and salt.

import { alloc } from '../common/arena';
import { proxy_get_current_time_nanoseconds } from './env';
import { hex } from './text';
import { random_get } from './wasi_snapshot_preview1';

export const REQUEST_ID_BYTES: u32 = 36;
export const TIME_BYTES: u32 = 24;
export const SALT_BYTES: u32 = 64;

/** UUID version 4 (RFC 9562 section 5.4). */
export let requestId: u32 = 0;
/** RFC 3339 in UTC with milliseconds. */
export let time: u32 = 0;
/** 32 random bytes in hexadecimal. */
export let salt: u32 = 0;

let requestIdIsGiven: bool = false;
let timeIsGiven: bool = false;
let saltIsGiven: bool = false;

/** Takes over the id that a service says; false when it says two, or what is no UUID in lower case. */
export function adoptRequestId(value: u32, length: u32): bool {
  if (requestIdIsGiven || !hasShape(value, length, 'hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh')) {
    return false;
  }
  requestIdIsGiven = true;
  requestId = value;
  return true;
}

/** Takes over the time that a service says; false when it says two, or one of another form. */
export function adoptTime(value: u32, length: u32): bool {
  if (timeIsGiven || !hasShape(value, length, 'dddd-dd-ddTdd:dd:dd.dddZ')) return false;
  timeIsGiven = true;
  time = value;
  return true;
}

/** Takes over the salt that a service says; false when it says two, or one of another form. */
export function adoptSalt(value: u32, length: u32): bool {
  const half = 'hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh';
  const isSalt =
    length == SALT_BYTES && hasShape(value, 32, half) && hasShape(value + 32, 32, half);
  if (saltIsGiven || !isSalt) return false;
  saltIsGiven = true;
  salt = value;
  return true;
}

/** Takes up a request again whose facts were fixed before. */
export function resumeFacts(id: u32, at: u32, secret: u32): void {
  requestId = id;
  time = at;
  salt = secret;
}

/** `h` stands for a lower-case hexadecimal digit, `d` for a decimal one, all else for itself. */
function hasShape(value: u32, length: u32, shape: string): bool {
  if (length != <u32>shape.length) return false;
  for (let i: u32 = 0; i < length; i++) {
    const byte = <u32>load<u8>(value + i);
    const wanted = <u32>shape.charCodeAt(i);
    const isDigit = byte >= 0x30 && byte <= 0x39;
    if (wanted == 0x68) {
      if (!isDigit && !(byte >= 0x61 && byte <= 0x66)) return false;
    } else if (wanted == 0x64) {
      if (!isDigit) return false;
    } else if (byte != wanted) return false;
  }
  return true;
}

/** Fixes the facts; traps when the proxy has no clock or no randomness, since nothing can be decided then. */
export function fixFacts(): void {
  requestIdIsGiven = false;
  timeIsGiven = false;
  saltIsGiven = false;
  const random = alloc(48);
  if (random_get(random, 48) != 0) unreachable();
  requestId = uuid(random);
  salt = hex(random + 16, 32);
  const now = alloc(8);
  if (proxy_get_current_time_nanoseconds(now) != 0) unreachable();
  time = rfc3339(load<u64>(now) / 1000000);
}

function uuid(random: u32): u32 {
  store<u8>(random, (load<u8>(random, 6) & 0x0f) | 0x40, 6);
  store<u8>(random, (load<u8>(random, 8) & 0x3f) | 0x80, 8);
  const digits = hex(random, 16);
  const out = alloc(REQUEST_ID_BYTES);
  let to = out;
  for (let i: u32 = 0; i < 32; i++) {
    if (i == 8 || i == 12 || i == 16 || i == 20) store<u8>(to++, 0x2d);
    store<u8>(to++, load<u8>(digits + i));
  }
  return out;
}

/** Days since 1970 to a date of the proleptic Gregorian calendar, in years that begin in March. */
function rfc3339(milliseconds: u64): u32 {
  const days = <u32>(milliseconds / 86400000) + 719468;
  const ofDay = <u32>(milliseconds % 86400000);
  const era = days / 146097;
  const ofEra = days % 146097;
  const yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146096) / 365;
  const ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const shifted = (5 * ofYear + 2) / 153;
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  // Four digits are all that RFC 3339 has.
  if (year > 9999) unreachable();
  const out = alloc(TIME_BYTES);
  digits(out, year, 4, 0x2d);
  digits(out + 5, month, 2, 0x2d);
  digits(out + 8, ofYear - (153 * shifted + 2) / 5 + 1, 2, 0x54);
  digits(out + 11, ofDay / 3600000, 2, 0x3a);
  digits(out + 14, (ofDay / 60000) % 60, 2, 0x3a);
  digits(out + 17, (ofDay / 1000) % 60, 2, 0x2e);
  digits(out + 20, ofDay % 1000, 3, 0x5a);
  return out;
}

function digits(to: u32, value: u32, count: u32, separator: u32): void {
  for (let i = count; i > 0; i--) {
    store<u8>(to + i - 1, 0x30 + (value % 10));
    value /= 10;
  }
  store<u8>(to + count, separator);
}
