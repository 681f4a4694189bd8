// format_int: a number in base 2, 8, 10 or 16, cut off at the point (OPA's v1/topdown/strings.go).

import { digitCount, digitsFrom, digitsTo, negative, power, readDecimal } from '../decimal';
import { Failure, failed } from '../failure';
import {
  integerOf,
  isInteger,
  Kind,
  kindOf,
  lengthOf,
  NUMBER_LENGTH,
  NUMBER_TEXT,
  textOf,
} from '../value';
import { addInBase } from './big-digits';
import { addByte, addInteger, addRepeated, beginText, finishText } from './text-builder';

/** OPA takes no number of more digits. */
const DIGITS_MAX: i32 = 100000;

export function b_format_int(number: u32, base: u32): u32 {
  if (kindOf(number) != Kind.Number || !isInteger(base)) return failed(Failure.Type);
  const radix = integerOf(base);
  if (radix != 2 && radix != 8 && radix != 10 && radix != 16) return failed(Failure.Type);
  const digits = wholeDigits(number);
  if (digits == 0) return failed();
  const isNegative = load<u8>(textOf(digits)) == 0x2d;
  const sign: u32 = isNegative ? 1 : 0;
  beginText(lengthOf(digits));
  if (isNegative) addByte(0x2d);
  addInBase(textOf(digits) + sign, lengthOf(digits) - sign, <u32>radix, false);
  return finishText();
}

/** The digits before the point as a string; 0 when there are too many. */
function wholeDigits(number: u32): u32 {
  beginText();
  if (isInteger(number)) {
    addInteger(integerOf(number));
    return finishText();
  }
  readDecimal(number + NUMBER_TEXT, load<u32>(number, NUMBER_LENGTH));
  if (power > DIGITS_MAX) return 0;
  if (digitCount == 0 || power <= 0) {
    addByte(0x30);
    return finishText();
  }
  if (negative) addByte(0x2d);
  let left = power;
  for (let p = digitsFrom; p < digitsTo && left > 0; p++) {
    if (load<u8>(p) == 0x2e) continue;
    addByte(load<u8>(p));
    left--;
  }
  addRepeated(0x30, left);
  return finishText();
}
