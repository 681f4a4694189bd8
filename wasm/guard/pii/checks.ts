// Check digits and dates of identity numbers, on the digits that numbers.ts read.

import { digit, value } from './numbers';

/** Whether every one of the `length` digits is the same. */
export function isRepeated(length: u32): bool {
  for (let i: u32 = 1; i < length; i++) if (digit(i) != digit(0)) return false;
  return true;
}

/** Whether the Luhn sum of the digits `[from, to)` is a multiple of ten (ISO/IEC 7812-1). */
export function luhn(from: u32, to: u32): bool {
  let sum: u32 = 0;
  for (let i = from; i < to; i++) {
    let add = digit(i);
    if (((to - i) & 1) == 0) {
      add *= 2;
      if (add > 9) add -= 9;
    }
    sum += add;
  }
  return sum % 10 == 0;
}

/** Sum of the digits from `from`, each times its weight; a character of `weights` is a weight, from `0` on. */
export function weigh(from: u32, weights: string): u32 {
  const source = <u32>changetype<usize>(weights);
  const length = <u32>weights.length;
  let sum: u32 = 0;
  for (let i: u32 = 0; i < length; i++) {
    sum += digit(from + i) * (<u32>load<u16>(source + (i << 1)) - 48);
  }
  return sum;
}

/** The number that the digits `[from, to)` write, modulo `modulus`. */
export function modulo(from: u32, to: u32, modulus: u32): u32 {
  let remainder: u32 = 0;
  for (let i = from; i < to; i++) remainder = (remainder * 10 + digit(i)) % modulus;
  return remainder;
}

/** A check digit by modulus 11 as Brazil, Portugal and others take it: 10 and 11 become 0. */
export function eleven(sum: u32): u32 {
  const rest = (11 - (sum % 11)) % 11;
  return rest == 10 ? 0 : rest;
}

function isLeap(year: u32): bool {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/** Whether there is such a day in the Gregorian calendar. */
export function isDay(year: u32, month: u32, day: u32): bool {
  if (month < 1 || month > 12 || day < 1) return false;
  if (month == 2) return day <= (isLeap(year) ? 29 : 28);
  return day <= (month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31);
}

/** Whether the six digits from `from` are year, month and day, in any century. */
export function isBirthday(from: u32): bool {
  // 2000 is a leap year, 1900 is not: what holds in one of them is accepted.
  return isDay(2000 + value(from, from + 2), value(from + 2, from + 4), value(from + 4, from + 6));
}

/** One step of the Verhoeff checksum, which is the group of the symmetries of a pentagon. */
function join(a: u32, b: u32): u32 {
  if (a < 5) return b < 5 ? (a + b) % 5 : 5 + ((a + b) % 5);
  return b < 5 ? 5 + ((a + 5 - b) % 5) : (a + 5 - b) % 5;
}

function permute(times: u32, digit: u32): u32 {
  const order = <u32>changetype<usize>('1576283094');
  let result = digit;
  for (let i: u32 = 0; i < times; i++) result = <u32>load<u16>(order + (result << 1)) - 48;
  return result;
}

/** Whether the Verhoeff checksum of the first `length` digits is 0. */
export function verhoeff(length: u32): bool {
  let check: u32 = 0;
  for (let i: u32 = 0; i < length; i++) check = join(check, permute(i % 8, digit(length - 1 - i)));
  return check == 0;
}
