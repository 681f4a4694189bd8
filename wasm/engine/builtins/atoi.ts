// Go's view of a number as an int: OPA's util.Atoi64 on its text (v1/util/performance.go).

import { integerOf, isInteger, Kind, kindOf, NUMBER_LENGTH, NUMBER_TEXT } from '../value';

/** What the last successful `atoi64` or `isInt` read. */
export let parsed: i64 = 0;

/** Whether a value is a number that Go takes for an int: `1.00` is one, `1e2` is none. */
export function isInt(value: u32): bool {
  if (isInteger(value)) {
    parsed = integerOf(value);
    return true;
  }
  if (kindOf(value) != Kind.Number) return false;
  return atoi64(value + NUMBER_TEXT, load<u32>(value, NUMBER_LENGTH));
}

/** Whether a text is a whole number within 19 digits; zeros may follow a point. */
export function atoi64(pointer: u32, length: u32): bool {
  if (length == 0) return false;
  const first = <u32>load<u8>(pointer);
  const signed: u32 = first == 0x2d || first == 0x2b ? 1 : 0;
  const digits = length - signed;
  if (digits == 0 || digits > 19) return false;
  let value: i64 = 0;
  let behindPoint = false;
  for (let i = signed; i < length; i++) {
    const byte = <u32>load<u8>(pointer + i);
    if (byte == 0x2e) {
      if (behindPoint) return false;
      behindPoint = true;
      continue;
    }
    const digit = byte - 0x30;
    if (digit > 9 || (behindPoint && digit != 0)) return false;
    if (!behindPoint) value = value * 10 + <i64>digit;
  }
  if (first == 0x2d) {
    value = 0 - value;
    if (value > 0) return false;
  } else if (value < 0) return false;
  parsed = value;
  return true;
}
