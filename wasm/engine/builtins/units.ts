// Rego's units.parse and units.parse_bytes (OPA's v1/topdown/parse_units.go and parse_bytes.go).

import { Failure, failed, stop } from '../failure';
import { numberFromText } from '../number';
import { integer, Kind, kindOf, lengthOf, textOf } from '../value';
import { b_lower } from './strings-case';
import { addByte, addBytes, addRepeated, beginText, finishText } from './text-builder';
import {
  amountDigits,
  amountExponent,
  amountIsNegative,
  amountLength,
  readAmount,
  splitAmount,
  unitStart,
} from './units-amount';
import { exponent, mantissa, multiplyBy, setToAmount } from './units-float';
import {
  add,
  DIGITS_MAX,
  digitCount,
  digitsOf,
  isZero,
  multiply,
  multiplyByPower,
  naturalOf,
  newNatural,
  shiftLeft,
} from './units-natural';

/** Go refuses an exponent beyond this, counted from the last digit. */
const RATIONAL_EXPONENT_MAX: i32 = 1_000_000;
/** Most digits of a result. */
const WHOLE_DIGITS_MAX: u32 = 20_000;
/** The binary64 0.001 is this divided by 2 ** 60. */
const NUMERATOR: u64 = 1152921504606847;
/** Digits behind the point of what is no whole number. */
const FRACTION_DIGITS: i32 = 10;
/** An amount of fewer digits before the point than this below 0 is less than one of the largest unit. */
const VANISHING_DIGITS: i32 = -25;

/** The text without quotation marks. */
function unquoted(text: u32): u32 {
  beginText(lengthOf(text));
  for (let i: u32 = 0; i < lengthOf(text); i++) {
    const byte = <u32>load<u8>(textOf(text) + i);
    if (byte != 0x22) addByte(byte);
  }
  return finishText();
}

function hasSpace(text: u32): bool {
  for (let i: u32 = 0; i < lengthOf(text); i++) {
    if (load<u8>(textOf(text) + i) == 0x20) return true;
  }
  return false;
}

/** The power of 1000 or 1024 that a letter stands for, 0 for none. */
function powerOf(letter: u32): u32 {
  switch (letter) {
    case 0x6b:
      return 1;
    case 0x6d:
      return 2;
    case 0x67:
      return 3;
    case 0x74:
      return 4;
    case 0x70:
      return 5;
    case 0x65:
      return 6;
    default:
      return 0;
  }
}

/** Finds amount and unit of a text; false when it has no amount. */
function split(text: u32): bool {
  const start = textOf(text);
  if (hasSpace(text) || !splitAmount(start, start + lengthOf(text))) return false;
  return unitStart > start;
}

export function b_units_parse(value: u32): u32 {
  if (kindOf(value) != Kind.String) return failed(Failure.Type);
  const text = unquoted(value);
  if (!split(text)) return failed();
  const letters = textOf(text) + lengthOf(text) - unitStart;
  const letter = letters > 0 ? <u32>load<u8>(unitStart) : 0;
  const power = powerOf(letter | 0x20);
  const binary = letters == 2 && (load<u8>(unitStart, 1) | 0x20) == 0x69;
  if (letters > 0 && (power == 0 || (letters != 1 && !binary))) return failed();
  if (!readAmount(textOf(text), unitStart)) return failed();
  if (amountLength == 0) return integer(0);
  if (abs(amountExponent) > RATIONAL_EXPONENT_MAX) return failed();
  if (letters == 1 && letter == 0x6d) return decimal(thousandth(), amountExponent - 60);
  const natural = naturalOf(amountDigits, amountLength);
  if (binary) shiftLeft(natural, power * 10);
  return decimal(natural, amountExponent + (binary ? 0 : <i32>power * 3));
}

/** The amount's digits times 10 ** 60 times the binary64 0.001, which is 1152921504606847 / 2 ** 60. */
function thousandth(): u32 {
  const low = naturalOf(amountDigits, amountLength);
  const high = naturalOf(amountDigits, amountLength);
  multiply(low, <u32>NUMERATOR, 0);
  multiply(high, <u32>(NUMERATOR >> 32), 0);
  shiftLeft(high, 32);
  add(high, low);
  for (let power = 0; power < 60; power++) multiply(high, 5, 0);
  return high;
}

/** The number natural * 10 ** scale with the amount's sign: whole, or with ten digits behind the point. */
function decimal(natural: u32, scale: i32): u32 {
  const digits = digitsOf(natural);
  let count = digitCount;
  let exponent = scale;
  while (load<u8>(digits + count - 1) == 0) {
    count--;
    exponent++;
  }
  beginText(count + 16);
  if (amountIsNegative) addByte(0x2d);
  if (exponent >= 0) {
    if (<u32>exponent + count > WHOLE_DIGITS_MAX) stop(Failure.Memory);
    addDigits(digits, count);
    addRepeated(0x30, exponent);
  } else {
    addRounded(digits, count, exponent);
  }
  const text = finishText();
  return numberFromText(textOf(text), lengthOf(text));
}

function addDigits(digits: u32, count: u32): void {
  for (let i: u32 = 0; i < count; i++) addByte(0x30 + load<u8>(digits + i));
}

/** Writes digits * 10 ** exponent with ten digits behind the point, a half rounded up. */
function addRounded(digits: u32, count: u32, exponent: i32): void {
  // Digits that stay: those before the tenth behind the point.
  const kept = <i32>count + exponent + FRACTION_DIGITS;
  const up = kept >= 0 && kept < <i32>count && load<u8>(digits + kept) >= 5;
  const rounded = newNatural(0);
  for (let i: i32 = 0; i < min(kept, <i32>count); i++) multiply(rounded, 10, load<u8>(digits + i));
  if (kept > <i32>count) multiplyByPower(rounded, kept - count);
  if (up) add(rounded, newNatural(1));
  const written = digitsOf(rounded);
  const length = <i32>digitCount;
  const whole = length - FRACTION_DIGITS;
  if (whole <= 0) addByte(0x30);
  else addDigits(written, whole);
  addByte(0x2e);
  if (whole < 0) addRepeated(0x30, -whole);
  if (whole <= 0) addDigits(written, length);
  else addDigits(written + whole, FRACTION_DIGITS);
}

/** The factor of a unit of bytes (lower case); 0 when it is none. */
function bytesFactor(unit: u32, length: u32): u64 {
  if (length == 0) return 1;
  const power = powerOf(load<u8>(unit));
  if (power == 0 || length > 3) return 0;
  const binary = length > 1 && load<u8>(unit, 1) == 0x69;
  const letters: u32 = binary ? 2 : 1;
  if (length > letters && (length != letters + 1 || load<u8>(unit + letters) != 0x62)) return 0;
  if (binary) return (<u64>1) << (power * 10);
  let factor: u64 = 1;
  for (let i: u32 = 0; i < power; i++) factor *= 1000;
  return factor;
}

export function b_units_parse_bytes(value: u32): u32 {
  if (kindOf(value) != Kind.String) return failed(Failure.Type);
  const text = unquoted(b_lower(value));
  if (!split(text)) return failed();
  const end = textOf(text) + lengthOf(text);
  const factor = bytesFactor(unitStart, end - unitStart);
  if (factor == 0 || !readAmount(textOf(text), unitStart)) return failed();
  const digits = <i32>amountLength + amountExponent;
  if (amountLength == 0 || digits < VANISHING_DIGITS) return integer(0);
  if (digits > <i32>DIGITS_MAX - VANISHING_DIGITS) stop(Failure.Memory);
  setToAmount();
  multiplyBy(factor);
  return truncated();
}

/** The number of units-float.ts without its fraction, with the amount's sign. */
function truncated(): u32 {
  const natural = newNatural(exponent >= 0 ? mantissa : exponent > -64 ? mantissa >> -exponent : 0);
  if (isZero(natural)) return integer(0);
  if (exponent > 0) shiftLeft(natural, exponent);
  const digits = digitsOf(natural);
  beginText(digitCount + 1);
  if (amountIsNegative) addByte(0x2d);
  addDigits(digits, digitCount);
  const written = finishText();
  return numberFromText(textOf(written), lengthOf(written));
}
