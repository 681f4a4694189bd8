// format_int: a number in base 2, 8, 10 or 16, cut off at the point (OPA's v1/topdown/strings.go).

import { Failure, failed } from '../failure';
import { floatOfText, truncated } from '../float';
import { numberOfFloat } from '../float-text';
import { numberText } from '../number';
import { integerOf, isInteger, Kind, kindOf, lengthOf, textOf } from '../value';
import { addInBase } from './big-digits';
import { addByte, beginText, finishText } from './text-builder';

export function b_format_int(number: u32, base: u32): u32 {
  if (kindOf(number) != Kind.Number || !isInteger(base)) return failed(Failure.Type);
  const radix = integerOf(base);
  if (radix != 2 && radix != 8 && radix != 10 && radix != 16) return failed(Failure.Type);
  const digits = wholeDigits(number);
  const isNegative = load<u8>(textOf(digits)) == 0x2d;
  const sign: u32 = isNegative ? 1 : 0;
  beginText(lengthOf(digits));
  if (isNegative) addByte(0x2d);
  addInBase(textOf(digits) + sign, lengthOf(digits) - sign, <u32>radix, false);
  return finishText();
}

/** The digits of a number, cut off at the point; one that is not written as a whole one as Go's big.Float has it. */
function wholeDigits(number: u32): u32 {
  const text = numberText(number);
  for (let i: u32 = 0; i < lengthOf(text); i++) {
    const byte = <u32>load<u8>(textOf(text) + i);
    if (byte != 0x2e && (byte | 0x20) != 0x65) continue;
    return numberText(numberOfFloat(truncated(floatOfText(textOf(text), lengthOf(text)))));
  }
  return text;
}
