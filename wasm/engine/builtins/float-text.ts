// Writes binary64 numbers as Go's strconv.AppendFloat does, in all its formats.

import { digitCount, digitPoint, digits, readDouble, roundShortest, roundTo } from './float-digits';
import { addHexDigit } from './quote';
import { addAscii, addByte, addBytes, addInteger, addRepeated } from './text-builder';

/** Adds a number without its sign in the format of a verb: e E f g G b x X; precision -1 for what is needed. */
export function addDouble(number: f64, verb: u32, precision: i32): void {
  const value = abs(number);
  if (value != value) return addAscii('NaN');
  if (value == Infinity) return addAscii('Inf');
  const kind = verb | 0x20;
  if (kind == 0x62) return addBinary(value);
  if (kind == 0x78) return addHexadecimal(value, precision, verb == 0x58);
  readDouble(value);
  const shortest = precision < 0;
  let digitsWanted = precision;
  if (shortest) {
    roundShortest();
    if (kind == 0x65) digitsWanted = digitCount() - 1;
    else if (kind == 0x66) digitsWanted = max(digitCount() - digitPoint(), 0);
    else digitsWanted = digitCount();
  } else if (kind == 0x65) roundTo(precision + 1);
  else if (kind == 0x66) roundTo(digitPoint() + precision);
  else {
    if (digitsWanted == 0) digitsWanted = 1;
    roundTo(digitsWanted);
  }
  if (kind == 0x65) addScientific(max(digitsWanted, 0), verb);
  else if (kind == 0x66) addPlain(digitsWanted);
  else addGeneral(digitsWanted, shortest, verb);
}

/** Whichever of the two is shorter, by Go's rule. */
function addGeneral(precision: i32, shortest: bool, verb: u32): void {
  const count = digitCount();
  const point = digitPoint();
  let limit = precision;
  if (limit > count && count >= point) limit = count;
  if (shortest) limit = 6;
  if (point - 1 < -4 || point - 1 >= limit) {
    addScientific(max(min(precision, count) - 1, 0), verb - 2);
  } else addPlain(max(count - point, 0));
}

/** `d.ddde±dd` with so many digits behind the point. */
function addScientific(precision: i32, verb: u32): void {
  const count = digitCount();
  addByte(count == 0 ? 0x30 : load<u8>(digits));
  if (precision > 0) {
    addByte(0x2e);
    const have = max(min(count - 1, precision), 0);
    addBytes(digits + 1, have);
    addRepeated(0x30, precision - have);
  }
  addByte(verb);
  addExponent(count == 0 ? 0 : digitPoint() - 1);
}

/** A sign and at least two digits. */
function addExponent(power: i32): void {
  addByte(power < 0 ? 0x2d : 0x2b);
  const size = abs(power);
  if (size < 10) addByte(0x30);
  addInteger(size);
}

/** `ddd.ddd` with so many digits behind the point. */
function addPlain(precision: i32): void {
  const count = digitCount();
  const point = digitPoint();
  if (point > 0) {
    const have = min(count, point);
    addBytes(digits, have);
    addRepeated(0x30, point - have);
  } else addByte(0x30);
  if (precision <= 0) return;
  addByte(0x2e);
  const zeros = min(max(-point, 0), precision);
  addRepeated(0x30, zeros);
  const from = max(point, 0);
  const have = min(max(count - from, 0), precision - zeros);
  addBytes(digits + from, have);
  addRepeated(0x30, precision - zeros - have);
}

function mantissaOf(value: f64): u64 {
  const bits = reinterpret<u64>(value);
  return (bits & 0xfffffffffffff) | (bits >> 52 == 0 ? 0 : (<u64>1) << 52);
}

/** The power of two of the mantissa's lowest bit. */
function powerOf(value: f64): i32 {
  return max(<i32>(reinterpret<u64>(value) >> 52), 1) - 1075;
}

function addBinary(value: f64): void {
  addInteger(mantissaOf(value));
  addByte(0x70);
  const power = powerOf(value);
  if (power >= 0) addByte(0x2b);
  addInteger(power);
}

function addHexadecimal(value: f64, precision: i32, upper: bool): void {
  let mantissa = mantissaOf(value) << 8;
  let power = mantissa == 0 ? 0 : powerOf(value) + 52;
  for (; mantissa != 0 && mantissa >> 60 == 0; mantissa <<= 1) power--;
  if (precision >= 0 && precision < 15) {
    const shift = <u64>precision * 4;
    const extra = (mantissa << shift) & (((<u64>1) << 60) - 1);
    mantissa >>= 60 - shift;
    if ((extra | (mantissa & 1)) > (<u64>1) << 59) mantissa++;
    mantissa <<= 60 - shift;
    if (mantissa >> 61 != 0) {
      mantissa >>= 1;
      power++;
    }
  }
  addAscii(upper ? '0X' : '0x');
  addByte(0x30 + <u32>((mantissa >> 60) & 1));
  mantissa <<= 4;
  if (precision > 0 || (precision < 0 && mantissa != 0)) addByte(0x2e);
  for (let i = 0; precision < 0 ? mantissa != 0 : i < precision; i++) {
    addHexDigit(<u32>(mantissa >> 60), upper);
    mantissa <<= 4;
  }
  addByte(upper ? 0x50 : 0x70);
  addExponent(power);
}
