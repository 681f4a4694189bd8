// Arithmetic (OPA's v1/topdown/arithmetic.go): exact on whole numbers of any size, 64 bits of mantissa otherwise.

import { Failure, failed } from '../failure';
import {
  addFloats,
  divideFloats,
  exponentOf,
  floatOf,
  floatOfText,
  isNegative,
  mantissaOf,
  multiplyFloats,
  precisionOf,
  truncated,
} from '../float';
import { numberOfFloat } from '../float-text';
import {
  addWholes,
  multiplyWholes,
  remainderOfWholes,
  sizeOf,
  valueOfWhole,
  wholeOfValue,
} from '../integers';
import { isZero, naturalOf } from '../natural';
import { numberText } from '../number';
import { append, has, newSet } from '../object';
import {
  integer,
  integerOf,
  isInteger,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  NUMBER_LENGTH,
  NUMBER_TEXT,
  textOf,
} from '../value';

/** Sums and products of integers below this size are integers again. */
const SMALL: i64 = 0x7fffffff;

function areNumbers(a: u32, b: u32): bool {
  return kindOf(a) == Kind.Number && kindOf(b) == Kind.Number;
}

function isSmall(value: u32): bool {
  return isInteger(value) && integerOf(value) <= SMALL && integerOf(value) >= -SMALL - 1;
}

/** The number as OPA computes with it where it is not whole. */
function float(value: u32): u32 {
  if (!isInteger(value)) {
    return floatOfText(value + NUMBER_TEXT, load<u32>(value, NUMBER_LENGTH));
  }
  const text = numberText(value);
  return floatOfText(textOf(text), lengthOf(text));
}

function sum(a: u32, b: u32, minus: bool): u32 {
  if (isInteger(a) && isInteger(b)) {
    const x = integerOf(a);
    const y = integerOf(b);
    const result = minus ? x - y : x + y;
    // The sign is wrong exactly when the result does not fit.
    const other = minus ? ~y : y;
    if (((x ^ result) & (other ^ result)) >= 0) return integer(result);
  }
  const x = wholeOfValue(a);
  const y = x == 0 ? 0 : wholeOfValue(b);
  if (y != 0) return valueOfWhole(addWholes(x, y, minus));
  return numberOfFloat(addFloats(float(a), float(b), minus));
}

export function b_plus(a: u32, b: u32): u32 {
  return areNumbers(a, b) ? sum(a, b, false) : failed(Failure.Type);
}

/** The difference of numbers or of sets. */
export function b_minus(a: u32, b: u32): u32 {
  if (areNumbers(a, b)) return sum(a, b, true);
  if (kindOf(a) != Kind.Set || kindOf(b) != Kind.Set) return failed(Failure.Type);
  const set = newSet(lengthOf(a));
  for (let i: u32 = 0; i < lengthOf(a); i++) {
    const element = keyAt(a, i);
    if (!has(b, element)) append(set, element, element);
  }
  return set;
}

export function b_mul(a: u32, b: u32): u32 {
  if (!areNumbers(a, b)) return failed(Failure.Type);
  if (isSmall(a) && isSmall(b)) return integer(integerOf(a) * integerOf(b));
  const x = wholeOfValue(a);
  const y = x == 0 ? 0 : wholeOfValue(b);
  if (y != 0) return valueOfWhole(multiplyWholes(x, y));
  return numberOfFloat(multiplyFloats(float(a), float(b)));
}

export function b_div(a: u32, b: u32): u32 {
  if (!areNumbers(a, b)) return failed(Failure.Type);
  if (isSmall(a) && isSmall(b)) {
    const x = integerOf(a);
    const y = integerOf(b);
    if (y == 0) return failed();
    if (x != 0 && x % y == 0) return integer(x / y);
  }
  const divisor = float(b);
  if (isZero(mantissaOf(divisor))) return failed();
  return numberOfFloat(divideFloats(float(a), divisor));
}

export function b_rem(a: u32, b: u32): u32 {
  if (!areNumbers(a, b)) return failed(Failure.Type);
  if (isSmall(a) && isSmall(b)) {
    return integerOf(b) == 0 ? failed() : integer(integerOf(a) % integerOf(b));
  }
  const x = wholeOfValue(a);
  const y = x == 0 ? 0 : wholeOfValue(b);
  if (y == 0 || isZero(sizeOf(y))) return failed();
  return valueOfWhole(remainderOfWholes(x, y));
}

export function b_abs(a: u32): u32 {
  if (kindOf(a) != Kind.Number) return failed(Failure.Type);
  if (isSmall(a)) return integerOf(a) < 0 ? integer(-integerOf(a)) : a;
  const number = float(a);
  return numberOfFloat(floatOf(false, mantissaOf(number), exponentOf(number), precisionOf(number)));
}

/** Halves are rounded away from zero. */
export function b_round(a: u32): u32 {
  if (kindOf(a) != Kind.Number) return failed(Failure.Type);
  if (isSmall(a)) return a;
  const number = float(a);
  const half = floatOf(false, naturalOf(1), -1, 53);
  return numberOfFloat(truncated(addFloats(number, half, isNegative(number))));
}

export function b_ceil(a: u32): u32 {
  return rounded(a, false);
}

export function b_floor(a: u32): u32 {
  return rounded(a, true);
}

function rounded(a: u32, down: bool): u32 {
  if (kindOf(a) != Kind.Number) return failed(Failure.Type);
  if (isSmall(a)) return a;
  const number = float(a);
  const whole = truncated(number);
  // OPA looks at the sign of the truncated number, which -0.5 has lost: its floor is 0 and its ceiling 1.
  const exact = isZero(mantissaOf(addFloats(number, whole, true)));
  if (exact || isNegative(whole) != down) return numberOfFloat(whole);
  return numberOfFloat(addFloats(whole, floatOf(false, naturalOf(1), 0, 53), down));
}
