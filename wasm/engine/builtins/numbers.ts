// Ranges of whole numbers of any size (OPA's v1/topdown/numbers.go).

import { Failure, failed } from '../failure';
import { addWholes, isMinus, sizeOf, valueOfWhole, wholeOfI64, wholeOfValue } from '../integers';
import { isZero } from '../natural';
import { integer, integerOf, isInteger, newArray, push } from '../value';

/** Bounds of i64 ranges whose last step cannot overflow. */
const NEAR: i64 = 0x3fffffffffffffff;

function isNear(value: u32): bool {
  return isInteger(value) && integerOf(value) <= NEAR && integerOf(value) >= -NEAR;
}

export function b_numbers_range(from: u32, to: u32): u32 {
  if (isNear(from) && isNear(to)) return nearRange(integerOf(from), integerOf(to), 1);
  return range(wholeOfValue(from), wholeOfValue(to), wholeOfI64(1));
}

/** The step is positive, also where the range goes down. */
export function b_numbers_range_step(from: u32, to: u32, step: u32): u32 {
  if (isNear(from) && isNear(to) && isNear(step)) {
    if (integerOf(step) <= 0) return failed();
    return nearRange(integerOf(from), integerOf(to), integerOf(step));
  }
  const by = wholeOfValue(step);
  if (by != 0 && wholeOfValue(from) != 0 && wholeOfValue(to) != 0) {
    if (isMinus(by) || isZero(sizeOf(by))) return failed();
  }
  return range(wholeOfValue(from), wholeOfValue(to), by);
}

function nearRange(from: i64, to: i64, step: i64): u32 {
  const array = newArray(0);
  if (from <= to) for (let i = from; i <= to; i += step) push(array, integer(i));
  else for (let i = from; i >= to; i -= step) push(array, integer(i));
  return array;
}

function range(from: u32, to: u32, step: u32): u32 {
  if (from == 0 || to == 0 || step == 0) return failed(Failure.Type);
  const array = newArray(0);
  const down = isMore(from, to);
  for (let i = from; down ? !isMore(to, i) : !isMore(i, to); i = addWholes(i, step, down)) {
    push(array, valueOfWhole(i));
  }
  return array;
}

function isMore(a: u32, b: u32): bool {
  const difference = addWholes(a, b, true);
  return !isMinus(difference) && !isZero(sizeOf(difference));
}
