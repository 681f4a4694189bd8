// Natural numbers of any size: a count of 32-bit limbs, then the limbs, the smallest first, none in vain.

import { alloc } from '../common/arena';
import { Failure, stop } from './failure';

/** The largest number that is computed with, in limbs: about a million bits, 300,000 digits. */
const LIMBS_MAX: u32 = 32768;

export function limbsOf(a: u32): u32 {
  return load<u32>(a);
}

export function limb(a: u32, index: u32): u32 {
  return load<u32>(a + (index << 2), 4);
}

function setLimb(a: u32, index: u32, value: u32): void {
  store<u32>(a + (index << 2), value, 4);
}

/** A number with so many limbs, all 0, for the caller to fill and `trim`. */
export function newNatural(limbs: u32): u32 {
  if (limbs > LIMBS_MAX) stop(Failure.Memory);
  const a = alloc(4 + (limbs << 2));
  memory.fill(a + 4, 0, limbs << 2);
  store<u32>(a, limbs);
  return a;
}

/** Drops the zeros in front. */
export function trim(a: u32): u32 {
  let count = limbsOf(a);
  while (count > 0 && limb(a, count - 1) == 0) count -= 1;
  store<u32>(a, count);
  return a;
}

export function naturalOf(value: u64): u32 {
  const a = newNatural(2);
  store<u64>(a, value, 4);
  return trim(a);
}

export function isZero(a: u32): bool {
  return limbsOf(a) == 0;
}

/** How many bits the number has, 0 for 0. */
export function bitsOf(a: u32): u32 {
  const count = limbsOf(a);
  return count == 0 ? 0 : (count << 5) - clz(limb(a, count - 1));
}

/** The bit of this weight. */
export function bitAt(a: u32, index: u32): bool {
  const at = index >> 5;
  return at < limbsOf(a) && ((limb(a, at) >> (index & 31)) & 1) != 0;
}

/** Whether one of the lowest `count` bits is set. */
export function anyBitBelow(a: u32, count: u32): bool {
  const whole = min(count >> 5, limbsOf(a));
  for (let i: u32 = 0; i < whole; i++) if (limb(a, i) != 0) return true;
  if (whole >= limbsOf(a) || (count & 31) == 0) return false;
  return (limb(a, whole) & ((1 << (count & 31)) - 1)) != 0;
}

export function compareNatural(a: u32, b: u32): i32 {
  if (limbsOf(a) != limbsOf(b)) return limbsOf(a) < limbsOf(b) ? -1 : 1;
  for (let i = limbsOf(a); i > 0; i--) {
    const x = limb(a, i - 1);
    const y = limb(b, i - 1);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

export function addNatural(a: u32, b: u32): u32 {
  const count = max(limbsOf(a), limbsOf(b));
  const sum = newNatural(count + 1);
  let carry: u64 = 0;
  for (let i: u32 = 0; i < count; i++) {
    if (i < limbsOf(a)) carry += limb(a, i);
    if (i < limbsOf(b)) carry += limb(b, i);
    setLimb(sum, i, <u32>carry);
    carry >>= 32;
  }
  setLimb(sum, count, <u32>carry);
  return trim(sum);
}

/** a - b, where b is not larger. */
export function subtractNatural(a: u32, b: u32): u32 {
  const count = limbsOf(a);
  const difference = newNatural(count);
  let borrow: i64 = 0;
  for (let i: u32 = 0; i < count; i++) {
    borrow += <i64>limb(a, i) - (i < limbsOf(b) ? <i64>limb(b, i) : 0);
    setLimb(difference, i, <u32>borrow);
    borrow >>= 32;
  }
  return trim(difference);
}

export function multiplyNatural(a: u32, b: u32): u32 {
  const product = newNatural(limbsOf(a) + limbsOf(b));
  for (let i: u32 = 0; i < limbsOf(a); i++) {
    const factor: u64 = limb(a, i);
    let carry: u64 = 0;
    for (let j: u32 = 0; j < limbsOf(b); j++) {
      carry += factor * limb(b, j) + limb(product, i + j);
      setLimb(product, i + j, <u32>carry);
      carry >>= 32;
    }
    setLimb(product, i + limbsOf(b), <u32>carry);
  }
  return trim(product);
}

/** a * 2^bits. */
export function shiftLeft(a: u32, bits: u32): u32 {
  const whole = bits >> 5;
  if (isZero(a)) return a;
  if (whole > LIMBS_MAX) stop(Failure.Memory);
  const shifted = newNatural(limbsOf(a) + whole + 1);
  let carry: u64 = 0;
  for (let i: u32 = 0; i < limbsOf(a); i++) {
    carry |= (<u64>limb(a, i)) << (bits & 31);
    setLimb(shifted, i + whole, <u32>carry);
    carry >>= 32;
  }
  setLimb(shifted, limbsOf(a) + whole, <u32>carry);
  return trim(shifted);
}

/** a / 2^bits, without what is behind the point. */
export function shiftRight(a: u32, bits: u32): u32 {
  const whole = bits >> 5;
  if (whole >= limbsOf(a)) return newNatural(0);
  const count = limbsOf(a) - whole;
  const shifted = newNatural(count);
  for (let i: u32 = 0; i < count; i++) {
    let wide: u64 = limb(a, i + whole);
    if (i + 1 < count) wide |= (<u64>limb(a, i + whole + 1)) << 32;
    setLimb(shifted, i, <u32>(wide >> (bits & 31)));
  }
  return trim(shifted);
}

/** What the last `divideNatural` left over. */
export let remainder: u32 = 0;

/** a / b, without what is behind the point; `remainder` is the rest. `b` is not 0. */
export function divideNatural(a: u32, b: u32): u32 {
  if (compareNatural(a, b) < 0) {
    remainder = a;
    return newNatural(0);
  }
  if (limbsOf(b) == 1) return divideShort(a, limb(b, 0));
  return divideLong(a, b);
}

function divideShort(a: u32, divisor: u64): u32 {
  const quotient = newNatural(limbsOf(a));
  let rest: u64 = 0;
  for (let i = limbsOf(a); i > 0; i--) {
    rest = (rest << 32) | limb(a, i - 1);
    setLimb(quotient, i - 1, <u32>(rest / divisor));
    rest %= divisor;
  }
  remainder = naturalOf(rest);
  return trim(quotient);
}

/** Algorithm D of Knuth, The Art of Computer Programming, volume 2, section 4.3.1. */
function divideLong(a: u32, b: u32): u32 {
  const n = limbsOf(b);
  const m = limbsOf(a) - n;
  const bits = clz(limb(b, n - 1));
  const v = shiftLeft(b, bits);
  const u = newNatural(limbsOf(a) + 1);
  const high = shiftLeft(a, bits);
  memory.copy(u + 4, high + 4, limbsOf(high) << 2);
  const quotient = newNatural(m + 1);
  const first: u64 = limb(v, n - 1);
  const second: u64 = limb(v, n - 2);
  for (let j = <i32>m; j >= 0; j--) {
    const top = ((<u64>limb(u, j + n)) << 32) | limb(u, j + n - 1);
    let digit = top / first;
    let rest = top % first;
    while (digit >> 32 != 0 || digit * second > ((rest << 32) | limb(u, j + n - 2))) {
      digit -= 1;
      rest += first;
      if (rest >> 32 != 0) break;
    }
    if (multiplySubtract(u, v, digit, j, n)) {
      digit -= 1;
      addBack(u, v, j, n);
    }
    setLimb(quotient, j, <u32>digit);
  }
  remainder = shiftRight(trim(u), bits);
  return trim(quotient);
}

/** Subtracts v * digit from u at limb j; whether that was too much. */
function multiplySubtract(u: u32, v: u32, digit: u64, j: u32, n: u32): bool {
  let carry: u64 = 0;
  let borrow: i64 = 0;
  for (let i: u32 = 0; i < n; i++) {
    carry += digit * limb(v, i);
    borrow += <i64>limb(u, i + j) - <i64>(carry & 0xffffffff);
    setLimb(u, i + j, <u32>borrow);
    carry >>= 32;
    borrow >>= 32;
  }
  borrow += <i64>limb(u, j + n) - <i64>carry;
  setLimb(u, j + n, <u32>borrow);
  return borrow < 0;
}

function addBack(u: u32, v: u32, j: u32, n: u32): void {
  let carry: u64 = 0;
  for (let i: u32 = 0; i < n; i++) {
    carry += <u64>limb(u, i + j) + limb(v, i);
    setLimb(u, i + j, <u32>carry);
    carry >>= 32;
  }
  setLimb(u, j + n, limb(u, j + n) + <u32>carry);
}
