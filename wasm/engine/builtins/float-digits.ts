// The decimal digits of a binary64: all of them, or as few as tell it from its neighbours (Go's strconv/ftoa.go).

/** Base of the limbs: nine digits each. */
const LIMB: u64 = 1000000000;

const limbs: u32 = <u32>memory.data(512);
let limbCount: u32 = 0;

// A decimal: how many digits, the power of ten of 0.digits, then the digits as ASCII; none has more than 770.
const COUNT: u32 = 0;
const POINT: u32 = 4;
const TEXT: u32 = 8;

/** The number itself, and the middles between it and its neighbours. */
const number: u32 = <u32>memory.data(832);
const lower: u32 = <u32>memory.data(832);
const upper: u32 = <u32>memory.data(832);

let mantissa: u64 = 0;
let exponent: i32 = 0;

/** The first of the digits of the last call, as ASCII. */
export const digits: u32 = number + TEXT;

/** How many digits there are, none for zero; the last is not 0. */
export function digitCount(): i32 {
  return load<i32>(number, COUNT);
}

/** The number is 0.digits times ten to this power. */
export function digitPoint(): i32 {
  return load<i32>(number, POINT);
}

function multiply(factor: u64): void {
  let carry: u64 = 0;
  for (let i: u32 = 0; i < limbCount; i++) {
    const product = <u64>load<u32>(limbs + (i << 2)) * factor + carry;
    store<u32>(limbs + (i << 2), <u32>(product % LIMB));
    carry = product / LIMB;
  }
  if (carry != 0) store<u32>(limbs + (limbCount++ << 2), <u32>carry);
}

/** Writes all digits of `value` times two to `power`. */
function expand(decimal: u32, value: u64, power: i32): void {
  limbCount = 0;
  for (let rest = value; rest != 0; rest /= LIMB) {
    store<u32>(limbs + (limbCount++ << 2), <u32>(rest % LIMB));
  }
  // A division by 2^n is a multiplication with 5^n and a shift of the point.
  for (let left = power; left > 0; left -= 29) multiply((<u64>1) << min(left, 29));
  for (let left = -power; left > 0; left -= 12) multiply(left >= 12 ? 244140625 : fives(left));
  let count: u32 = 0;
  for (let i = limbCount; i > 0; i--) {
    let limb = load<u32>(limbs + ((i - 1) << 2));
    for (let divisor: u32 = 100000000; divisor > 0; divisor /= 10) {
      const digit = limb / divisor;
      limb %= divisor;
      if (count > 0 || digit > 0) store<u8>(decimal + TEXT + count++, 0x30 + digit);
    }
  }
  store<i32>(decimal, <i32>count + min(power, 0), POINT);
  cut(decimal, count);
}

function fives(count: i32): u64 {
  let value: u64 = 1;
  for (let i = 0; i < count; i++) value *= 5;
  return value;
}

/** Leaves so many digits, without zeros at the end. */
function cut(decimal: u32, count: i32): void {
  let left = count;
  while (left > 0 && load<u8>(decimal + TEXT + left - 1) == 0x30) left--;
  store<i32>(decimal, left, COUNT);
  if (left == 0) store<i32>(decimal, 0, POINT);
}

/** Reads a finite number's size; its digits are those of its exact value. */
export function readDouble(double: f64): void {
  const bits = reinterpret<u64>(double);
  exponent = <i32>((bits >> 52) & 0x7ff);
  mantissa = bits & 0xfffffffffffff;
  if (exponent != 0) mantissa |= 1 << 52;
  else exponent = 1;
  exponent -= 1075;
  expand(number, mantissa, exponent);
}

/** Rounds to so many digits, half to even; fewer than none gives zero. */
export function roundTo(count: i32): void {
  const have = digitCount();
  if (count >= have) return;
  if (count < 0) return cut(number, 0);
  const next = load<u8>(digits + count);
  let up = next >= 0x35;
  if (next == 0x35 && count + 1 == have) up = count > 0 && (load<u8>(digits + count - 1) & 1) == 1;
  if (up) roundUp(count);
  else cut(number, count);
}

/** Leaves so many digits and adds one to the last. */
function roundUp(count: i32): void {
  let last = count - 1;
  while (last >= 0 && load<u8>(digits + last) == 0x39) last--;
  if (last < 0) {
    store<u8>(digits, 0x31);
    store<i32>(number, 1, COUNT);
    store<i32>(number, digitPoint() + 1, POINT);
    return;
  }
  store<u8>(digits + last, load<u8>(digits + last) + 1);
  store<i32>(number, last + 1, COUNT);
}

function digitAt(decimal: u32, index: i32): u32 {
  if (index < 0 || index >= load<i32>(decimal, COUNT)) return 0x30;
  return load<u8>(decimal + TEXT + index);
}

/** Rounds to as few digits as are read back as the same number: Go's roundShortest. */
export function roundShortest(): void {
  if (mantissa == 0) return;
  expand(upper, (mantissa << 1) + 1, exponent - 1);
  // Below a power of two the neighbour is half as far.
  if (mantissa > 1 << 52 || exponent == -1074) expand(lower, (mantissa << 1) - 1, exponent - 1);
  else expand(lower, (mantissa << 2) - 1, exponent - 2);
  const inclusive = (mantissa & 1) == 0;
  const top = load<i32>(upper, POINT);
  // How far the upper bound is above the digits so far, in units of the last: 2 for two or more.
  let above = 0;
  for (let ui = 0; ; ui++) {
    const mi = ui - top + digitPoint();
    if (mi >= digitCount()) return;
    const li = ui - top + load<i32>(lower, POINT);
    const l = digitAt(lower, li);
    const m = digitAt(number, mi);
    const u = digitAt(upper, ui);
    const down = l != m || (inclusive && li + 1 == load<i32>(lower, COUNT));
    if (above == 0 && m != u) above = m + 1 < u ? 2 : 1;
    else if (above == 1 && (m != 0x39 || u != 0x30)) above = 2;
    const up = above > 0 && (inclusive || above > 1 || ui + 1 < load<i32>(upper, COUNT));
    if (down && up) return roundTo(mi + 1);
    if (down) return cut(number, mi + 1);
    if (up) return roundUp(mi + 1);
  }
}
