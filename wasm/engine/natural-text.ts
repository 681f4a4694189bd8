// Natural numbers as decimal digits and back, and powers of five and ten.

import { alloc } from '../common/arena';
import { Failure, stop } from './failure';
import { limb, limbsOf, multiplyNatural, naturalOf, newNatural, trim } from './natural';

/** Digits that fit in one limb, and ten to their number. */
const CHUNK: u32 = 9;
const CHUNK_BASE: u64 = 1000000000;
/** The longest number that is computed with; the work grows with the square of it. */
const DIGITS_MAX: u32 = 40000;

/** The number of the digits in a text, where other characters (a point) do not count, and zeros behind them. */
export function naturalOfDigits(from: u32, to: u32, zeros: u32): u32 {
  if (to - from > DIGITS_MAX || zeros > DIGITS_MAX) stop(Failure.Memory);
  // A limb holds more than nine digits.
  const limbs = (to - from + zeros) / CHUNK + 2;
  const a = newNatural(limbs);
  store<u32>(a, 0);
  let chunk: u64 = 0;
  let base: u64 = 1;
  for (let p = from; p < to; p++) {
    const digit = <u32>load<u8>(p) - 0x30;
    if (digit > 9) continue;
    chunk = chunk * 10 + digit;
    base *= 10;
    if (base < CHUNK_BASE) continue;
    multiplyAdd(a, base, chunk);
    chunk = 0;
    base = 1;
  }
  multiplyAdd(a, base, chunk);
  let rest = zeros;
  for (; rest >= CHUNK; rest -= CHUNK) multiplyAdd(a, CHUNK_BASE, 0);
  for (; rest > 0; rest--) multiplyAdd(a, 10, 0);
  return a;
}

/** a = a * factor + add, in place; the memory has room. */
function multiplyAdd(a: u32, factor: u64, add: u64): void {
  const count = limbsOf(a);
  let carry = add;
  for (let i: u32 = 0; i < count; i++) {
    carry += factor * limb(a, i);
    store<u32>(a + (i << 2), <u32>carry, 4);
    carry >>= 32;
  }
  if (carry == 0) return;
  store<u32>(a + (count << 2), <u32>carry, 4);
  store<u32>(a, count + 1);
}

/** Five to this power. */
export function powerOfFive(exponent: u32): u32 {
  let result = naturalOf(1);
  let square = naturalOf(5);
  for (let rest = exponent; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) result = multiplyNatural(result, square);
    if (rest > 1) square = multiplyNatural(square, square);
  }
  return result;
}

/** How many digits the last `digitsOfNatural` gave. */
export let digitsLength: u32 = 0;

/** The decimal digits of a number, none for 0; see `digitsLength`. */
export function digitsOfNatural(a: u32): u32 {
  const count = limbsOf(a);
  if (count > DIGITS_MAX / CHUNK) stop(Failure.Memory);
  const rest = newNatural(count);
  memory.copy(rest, a, 4 + (count << 2));
  // 32 bits are less than ten digits.
  const room = count * 10 + CHUNK;
  const buffer = alloc(room);
  let p = buffer + room;
  while (limbsOf(rest) > 0) {
    let chunk = divideInPlace(rest);
    for (let i: u32 = 0; i < CHUNK; i++) {
      store<u8>(--p, 0x30 + (chunk % 10));
      chunk /= 10;
    }
  }
  while (p < buffer + room && load<u8>(p) == 0x30) p += 1;
  digitsLength = buffer + room - p;
  return p;
}

function divideInPlace(a: u32): u32 {
  let rest: u64 = 0;
  for (let i = limbsOf(a); i > 0; i--) {
    rest = (rest << 32) | limb(a, i - 1);
    store<u32>(a + ((i - 1) << 2), <u32>(rest / CHUNK_BASE), 4);
    rest %= CHUNK_BASE;
  }
  trim(a);
  return <u32>rest;
}
