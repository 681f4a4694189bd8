// Natural numbers of some thousand digits for units.*: limbs of 32 bits, the least first, in memory of fixed room.

import { alloc } from '../../common/arena';
import { Failure, stop } from '../failure';

/** Most decimal digits of a number that is read or written. */
export const DIGITS_MAX: u32 = 4800;
const LIMBS_MAX: u32 = 1024;

/** A natural number: how many limbs, then the limbs. */
export function newNatural(value: u64): u32 {
  const natural = alloc((LIMBS_MAX + 2) * 4);
  store<u32>(natural, 0);
  if (value != 0) {
    store<u64>(natural, value, 4);
    store<u32>(natural, value >> 32 == 0 ? 1 : 2);
  }
  return natural;
}

function limb(natural: u32, index: u32): u32 {
  return index < load<u32>(natural) ? load<u32>(natural + index * 4, 4) : 0;
}

function pushLimb(natural: u32, value: u32): void {
  const count = load<u32>(natural);
  if (count == LIMBS_MAX) stop(Failure.Memory);
  store<u32>(natural + count * 4, value, 4);
  store<u32>(natural, count + 1);
}

/** natural = natural * factor + add */
export function multiply(natural: u32, factor: u32, add: u32): void {
  let carry: u64 = add;
  const count = load<u32>(natural);
  for (let i: u32 = 0; i < count; i++) {
    carry += <u64>load<u32>(natural + i * 4, 4) * factor;
    store<u32>(natural + i * 4, <u32>carry, 4);
    carry >>= 32;
  }
  if (carry != 0) pushLimb(natural, <u32>carry);
}

/** The number of so many decimal digits (values 0 to 9), the first not 0. */
export function naturalOf(digits: u32, length: u32): u32 {
  const natural = newNatural(0);
  if (length > DIGITS_MAX) stop(Failure.Memory);
  for (let i: u32 = 0; i < length; i++) multiply(natural, 10, load<u8>(digits + i));
  return natural;
}

/** natural = natural * 10 ** exponent */
export function multiplyByPower(natural: u32, exponent: u32): void {
  let left = exponent;
  for (; left >= 9; left -= 9) multiply(natural, 1_000_000_000, 0);
  for (; left > 0; left--) multiply(natural, 10, 0);
}

/** natural = natural * 2 ** bits */
export function shiftLeft(natural: u32, bits: u32): void {
  const small = bits & 31;
  if (small != 0) multiply(natural, 1 << small, 0);
  const limbs = bits >> 5;
  const count = load<u32>(natural);
  if (limbs == 0 || count == 0) return;
  if (count + limbs > LIMBS_MAX) stop(Failure.Memory);
  memory.copy(natural + 4 + limbs * 4, natural + 4, count * 4);
  memory.fill(natural + 4, 0, limbs * 4);
  store<u32>(natural, count + limbs);
}

/** Bits without leading zeros. */
export function bitLength(natural: u32): u32 {
  const count = load<u32>(natural);
  return count == 0 ? 0 : count * 32 - clz(limb(natural, count - 1));
}

/** Whether a is at least b. */
export function isAtLeast(a: u32, b: u32): bool {
  for (let i = max(load<u32>(a), load<u32>(b)); i > 0; i--) {
    if (limb(a, i - 1) != limb(b, i - 1)) return limb(a, i - 1) > limb(b, i - 1);
  }
  return true;
}

/** a = a - b, where a is at least b. */
export function subtract(a: u32, b: u32): void {
  let borrow: i64 = 0;
  const count = load<u32>(a);
  for (let i: u32 = 0; i < count; i++) {
    borrow += <i64>limb(a, i) - <i64>limb(b, i);
    store<u32>(a + i * 4, <u32>borrow, 4);
    borrow >>= 32;
  }
  let left = count;
  while (left > 0 && limb(a, left - 1) == 0) left--;
  store<u32>(a, left);
}

/** a = a + b */
export function add(a: u32, b: u32): void {
  const count = max(load<u32>(a), load<u32>(b));
  let carry: u64 = 0;
  for (let i: u32 = 0; i < count; i++) {
    carry += <u64>limb(a, i) + limb(b, i);
    if (i == load<u32>(a)) pushLimb(a, <u32>carry);
    else store<u32>(a + i * 4, <u32>carry, 4);
    carry >>= 32;
  }
  if (carry != 0) pushLimb(a, <u32>carry);
}

/** natural = natural / 10 ** 9; returns the remainder. */
function divideBy1e9(natural: u32): u32 {
  let remainder: u64 = 0;
  const count = load<u32>(natural);
  for (let i = count; i > 0; i--) {
    const value = (remainder << 32) | limb(natural, i - 1);
    store<u32>(natural + (i - 1) * 4, <u32>(value / 1_000_000_000), 4);
    remainder = value % 1_000_000_000;
  }
  if (count > 0 && limb(natural, count - 1) == 0) store<u32>(natural, count - 1);
  return <u32>remainder;
}

/** Whether it is 0. */
export function isZero(natural: u32): bool {
  return load<u32>(natural) == 0;
}

/** The number's decimal digits, as values 0 to 9, of which `digitCount` are there; the number is 0 then. */
export function digitsOf(natural: u32): u32 {
  const room = (load<u32>(natural) + 1) * 10;
  const digits = alloc(room);
  let at = digits + room;
  while (!isZero(natural)) {
    let nine = divideBy1e9(natural);
    for (let i = 0; i < 9; i++) {
      at--;
      store<u8>(at, nine % 10);
      nine /= 10;
    }
  }
  const end = digits + room;
  while (at < end && load<u8>(at) == 0) at++;
  digitCount = end - at;
  return at;
}

/** How many digits `digitsOf` gave. */
export let digitCount: u32 = 0;
