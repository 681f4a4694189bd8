// Parts of keys and certificates as the values that Go's encoding/json makes of them.

import { alloc } from '../../common/arena';
import { number, skipNumber } from '../../crypto/der';
import { numberFromText } from '../number';
import { get, insert } from '../object';
import { asciiString, integer, NULL, newArray, push } from '../value';
import { encodeBase64 } from './encoding-base64';
import { addAddress } from './net-address';
import { addByte, beginText, finishText } from './text-builder';

/** The longest number that is written in decimal, in bytes: four times what any key has. */
const DECIMAL_BYTES_MAX: u32 = 4096;

/** Bytes in base64; null for none at all (`pointer` 0). */
export function bytesValue(pointer: u32, length: u32): u32 {
  return pointer == 0 ? NULL : encodeBase64(pointer, length, false, true);
}

/** A natural number of big-endian bytes; 0 when it is longer than any key's. */
export function naturalValue(pointer: u32, length: u32): u32 {
  if (length > DECIMAL_BYTES_MAX) return 0;
  // Limbs from the most significant one, divided by 10^9 until nothing is left.
  const limbs = ((length + 3) >> 2) + 1;
  const words = alloc(limbs << 2);
  memory.fill(words, 0, limbs << 2);
  for (let i: u32 = 0; i < length; i++) {
    const place = length - 1 - i;
    const word = words + ((limbs - 1 - (place >> 2)) << 2);
    store<u32>(word, load<u32>(word) | ((<u32>load<u8>(pointer + i)) << ((place & 3) << 3)));
  }
  const digits = length * 3 + 12;
  const text = alloc(digits);
  let at = text + digits;
  let first: u32 = 0;
  do {
    let part = divide(words, first, limbs);
    while (first < limbs && load<u32>(words + (first << 2)) == 0) first++;
    for (let i = 0; i < 9; i++) {
      store<u8>(--at, 0x30 + (part % 10));
      part /= 10;
    }
  } while (first < limbs);
  const end = text + digits;
  while (at < end - 1 && load<u8>(at) == 0x30) at++;
  return numberFromText(at, end - at);
}

/** Divides the words from `first` on by 10^9 in place; returns what remains. */
function divide(words: u32, first: u32, limbs: u32): u32 {
  let remainder: u64 = 0;
  for (let i = first; i < limbs; i++) {
    const value = (remainder << 32) | load<u32>(words + (i << 2));
    store<u32>(words + (i << 2), <u32>(value / 1000000000));
    remainder = value % 1000000000;
  }
  return <u32>remainder;
}

/** An object identifier's content as an array of its numbers; 0 when one is beyond 2^31. */
export function oidValue(pointer: u32, length: u32): u32 {
  const list = newArray(8);
  const end = pointer + length;
  for (let p = pointer; p < end; ) {
    const next = skipNumber(p, end);
    if (next == 0) return 0;
    if (p == pointer) {
      const root = min<u32>(number / 40, 2);
      push(list, integer(root));
      push(list, integer(number - root * 40));
    } else push(list, integer(number));
    p = next;
  }
  return list;
}

/** Seconds since 1970 as RFC 3339 text, at so many seconds east of Greenwich. */
export function timeValue(seconds: i64, offset: i32): u32 {
  const local = seconds + offset;
  let days = local / 86400;
  let rest = <i32>(local % 86400);
  if (rest < 0) {
    rest += 86400;
    days -= 1;
  }
  // Days to a date of the proleptic Gregorian calendar, from March on (Hinnant, civil_from_days).
  const shifted = days + 719468;
  const era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const day = <i32>(shifted - era * 146097);
  const year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  const ofYear = day - (365 * year + year / 4 - year / 100);
  const month = (5 * ofYear + 2) / 153;
  const from = month < 10 ? month + 3 : month - 9;
  beginText();
  addDigits(year + <i32>era * 400 + (from <= 2 ? 1 : 0), 4);
  addByte(0x2d);
  addDigits(from, 2);
  addByte(0x2d);
  addDigits(ofYear - (153 * month + 2) / 5 + 1, 2);
  addByte(0x54);
  addClock(rest, true);
  if (offset == 0) addByte(0x5a);
  else {
    addByte(offset < 0 ? 0x2d : 0x2b);
    addClock(abs(offset), false);
  }
  return finishText();
}

function addClock(seconds: i32, withSeconds: bool): void {
  addDigits(seconds / 3600, 2);
  addByte(0x3a);
  addDigits((seconds / 60) % 60, 2);
  if (!withSeconds) return;
  addByte(0x3a);
  addDigits(seconds % 60, 2);
}

function addDigits(value: i32, width: i32): void {
  let divisor = 1;
  for (let i = 1; i < width; i++) divisor *= 10;
  for (; divisor > 0; divisor /= 10) addByte(0x30 + ((value / divisor) % 10));
}

/** Adds a value to the list of this name in an object, where null stands for an empty one. */
export function addTo(object: u32, name: string, value: u32): void {
  const key = asciiString(name);
  let list = get(object, key);
  if (list == NULL) {
    list = newArray(2);
    insert(object, key, list);
  }
  push(list, value);
}

/** The text of an IP address of 4 or 16 bytes. */
export function addressValue(pointer: u32, length: u32): u32 {
  beginText(40);
  if (length == 4) addAddress(0, 0xffff00000000 | <u64>bswap<u32>(load<u32>(pointer)));
  else addAddress(bswap<u64>(load<u64>(pointer)), bswap<u64>(load<u64>(pointer, 8)));
  return finishText();
}
