// Makes numbers of other values (OPA's v1/topdown/casts.go, to_number).

import { Failure, failed } from '../failure';
import { floatOfText } from '../float';
import { numberOfFloat } from '../float-text';
import { nearest } from '../nearest';
import { numberOfScanned, scanJsonNumber } from '../number';
import { FALSE, integer, Kind, kindOf, lengthOf, NULL, TRUE, textOf } from '../value';

export function b_to_number(value: u32): u32 {
  if (value == NULL || value == FALSE) return integer(0);
  if (value == TRUE) return integer(1);
  const kind = kindOf(value);
  if (kind == Kind.Number) return value;
  return kind == Kind.String ? parsed(textOf(value), lengthOf(value)) : failed(Failure.Type);
}

function digitsEnd(start: u32, end: u32): u32 {
  let p = start;
  while (p < end && <u32>load<u8>(p) - 0x30 <= 9) p += 1;
  return p;
}

function isSign(p: u32, end: u32): bool {
  return p < end && (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d);
}

/** What Go's strconv.ParseFloat takes, but for hexadecimal: also `+1`, `.5` and `5.`, none beyond binary64. */
function parsed(text: u32, length: u32): u32 {
  const end = text + length;
  const start = text + <u32>isSign(text, end);
  let p = digitsEnd(start, end);
  let digits = p - start;
  if (p < end && load<u8>(p) == 0x2e) {
    const fraction = digitsEnd(p + 1, end);
    digits += fraction - p - 1;
    p = fraction;
  }
  if (digits == 0) return failed(isWord(start, end) ? Failure.Type : Failure.Builtin);
  if (p < end && (load<u8>(p) | 0x20) == 0x65) {
    const exponent = p + 1 + <u32>isSign(p + 1, end);
    p = digitsEnd(exponent, end);
    if (p == exponent) return failed();
  }
  const value = nearest(text, length);
  if (p != end || value - value != 0) return failed();
  const from = load<u8>(text) == 0x2b ? start : text;
  if (scanJsonNumber(from, end) == end) return numberOfScanned(from, end - from);
  return numberOfFloat(floatOfText(from, end - from));
}

/** Whether this may be one of Go's names of no number: inf, infinity, nan. */
function isWord(start: u32, end: u32): bool {
  const letter: u32 = start < end ? load<u8>(start) | 0x20 : 0;
  return letter == 0x69 || letter == 0x6e;
}
