// Exact comparisons between decimals and binary64 values, for the few literals that digits alone do not settle.

// Little-endian 32-bit limbs. The longest number is 17 digits shifted by 1,080 bits: 36 limbs.
const power: u32 = <u32>memory.data(192, 8);
const left: u32 = <u32>memory.data(192, 8);
const right: u32 = <u32>memory.data(192, 8);

/** `power` holds 5 to this exponent, kept because neighbouring numbers often share it. */
let powerExponent: u32 = 0xffffffff;
let powerLimbs: u32 = 0;

const FIVE_13: u64 = 1220703125;

function loadPower(exponent: u32): void {
  if (exponent == powerExponent) return;
  powerExponent = exponent;
  store<u32>(power, 1);
  powerLimbs = 1;
  let rest = exponent;
  for (; rest >= 13; rest -= 13) powerLimbs = multiply(power, power, powerLimbs, FIVE_13);
  for (; rest > 0; rest--) powerLimbs = multiply(power, power, powerLimbs, 5);
}

/** to = from times a 32-bit factor; returns its limbs. `to` may be `from`. */
function multiply(to: u32, from: u32, limbs: u32, factor: u64): u32 {
  let carry: u64 = 0;
  for (let i: u32 = 0; i < limbs; i++) {
    carry += <u64>load<u32>(from + (i << 2)) * factor;
    store<u32>(to + (i << 2), <u32>carry);
    carry >>= 32;
  }
  if (carry == 0) return limbs;
  store<u32>(to + (limbs << 2), <u32>carry);
  return limbs + 1;
}

/** right = power times a 64-bit factor; returns its limbs. */
function multiplyPower(factor: u64): u32 {
  let carry: u64 = 0;
  const low = factor & 0xffffffff;
  const high = factor >> 32;
  let previous: u64 = 0;
  for (let i: u32 = 0; i < powerLimbs + 2; i++) {
    const limb: u64 = i < powerLimbs ? <u64>load<u32>(power + (i << 2)) : 0;
    // Two products of 32 bits and a carry can pass 64 bits, so that each product's halves are added apart.
    const a = limb * low;
    const b = previous * high;
    const sum = (a & 0xffffffff) + (b & 0xffffffff) + carry;
    store<u32>(right + (i << 2), <u32>sum);
    carry = (sum >> 32) + (a >> 32) + (b >> 32);
    previous = limb;
  }
  return trim(right, powerLimbs + 2);
}

function trim(pointer: u32, limbs: u32): u32 {
  while (limbs > 0 && load<u32>(pointer + ((limbs - 1) << 2)) == 0) limbs--;
  return limbs;
}

/** Shifts left in place; returns the new number of limbs. */
function shift(pointer: u32, limbs: u32, bits: u32): u32 {
  const whole = bits >> 5;
  const part = bits & 31;
  store<u32>(pointer + ((limbs + whole) << 2), 0);
  for (let i = limbs; i > 0; i--) {
    const wide = (<u64>load<u32>(pointer + ((i - 1) << 2))) << part;
    const above = pointer + ((i + whole) << 2);
    store<u32>(above, load<u32>(above) | <u32>(wide >> 32));
    store<u32>(pointer + ((i - 1 + whole) << 2), <u32>wide);
  }
  memory.fill(pointer, 0, whole << 2);
  return trim(pointer, limbs + whole + 1);
}

/** The sign of digits / 10^scale - mantissa * 2^exponent, exactly. */
function compare(digits: u64, scale: u32, mantissa: u64, exponent: i32): i32 {
  loadPower(scale);
  // Both sides times 10^scale; the twos of the ten go into the shift.
  const twos = exponent + <i32>scale;
  store<u64>(left, digits);
  let leftLimbs = trim(left, 2);
  let rightLimbs = multiplyPower(mantissa);
  if (twos < 0) leftLimbs = shift(left, leftLimbs, -twos);
  else rightLimbs = shift(right, rightLimbs, twos);
  if (leftLimbs != rightLimbs) return leftLimbs < rightLimbs ? -1 : 1;
  for (let i = leftLimbs; i > 0; i--) {
    const a = load<u32>(left + ((i - 1) << 2));
    const b = load<u32>(right + ((i - 1) << 2));
    if (a != b) return a < b ? -1 : 1;
  }
  return 0;
}

const HIDDEN: u64 = 0x10000000000000;

function mantissaOf(bits: u64): u64 {
  const fraction = bits & (HIDDEN - 1);
  return bits < HIDDEN ? fraction : fraction | HIDDEN;
}

function exponentOf(bits: u64): i32 {
  return bits < HIDDEN ? -1074 : <i32>(bits >> 52) - 1075;
}

/** Below 0, 0, above 0: the decimal rounds to a smaller double, to this one, to a larger one (ties to even). */
function rounds(digits: u64, scale: u32, bits: u64): i32 {
  const mantissa = mantissaOf(bits);
  const exponent = exponentOf(bits);
  const odd = (mantissa & 1) != 0;
  const high = compare(digits, scale, (mantissa << 1) + 1, exponent - 1);
  if (high > 0 || (high == 0 && odd)) return 1;
  if (mantissa == 0) return 0;
  // Below a power of two the doubles are twice as dense.
  const dense = (bits & (HIDDEN - 1)) == 0 && bits > HIDDEN;
  const low = dense
    ? compare(digits, scale, (mantissa << 2) - 1, exponent - 2)
    : compare(digits, scale, (mantissa << 1) - 1, exponent - 1);
  return low < 0 || (low == 0 && odd) ? -1 : 0;
}

/** The bits of the double nearest to digits / 10^scale (ties to even); digits below 10^17, scale below 350. */
export function nearestDouble(digits: u64, scale: u32): u64 {
  let guess = <f64>digits;
  let rest = scale;
  for (; rest >= 22; rest -= 22) guess /= 1e22;
  for (; rest > 0; rest--) guess /= 10;
  // Each division is off by half a unit at most, so that a few steps end at the exact answer.
  let bits = reinterpret<u64>(guess);
  while (true) {
    const side = rounds(digits, scale, bits);
    if (side == 0) return bits;
    bits += <u64>(<i64>side);
  }
}

/**
 * Whether digits / 10^scale, without trailing zeros, is the text that ECMA-262 Number::toString gives
 * for its own nearest double: no shorter text gives that double, and no other of its length is closer.
 */
export function isShortest(digits: u64, scale: u32): bool {
  const bits = nearestDouble(digits, scale);
  if (bits == 0) return false;
  const below = digits - (digits % 10);
  if (rounds(below, scale, bits) == 0 || rounds(below + 10, scale, bits) == 0) return false;
  const mantissa = mantissaOf(bits);
  const exponent = exponentOf(bits);
  const side = compare(digits, scale, mantissa, exponent);
  if (side == 0) return true;
  const other = side < 0 ? digits + 1 : digits - 1;
  const middle = compare(digits + other, scale, mantissa, exponent + 1);
  const closer = side < 0 ? middle < 0 : middle > 0;
  const tiedAndOdd = middle == 0 && (digits & 1) != 0;
  return !((closer || tiedAndOdd) && rounds(other, scale, bits) == 0);
}
