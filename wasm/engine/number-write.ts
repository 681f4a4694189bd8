// Writes numbers: canonically (RFC 8785 section 3.2.2.3) where binary64 holds them, otherwise as they are.

import { NUMBER_BYTES_MAX, numberPlain, scanNumber, writeNumber } from '../common/number';
import { writeBytes } from '../common/writer';
import { writeI64 } from './number';
import { integerOf, isInteger, NUMBER_LENGTH, NUMBER_TEXT } from './value';

const buffer: u32 = <u32>memory.data(48);

/** Writes a number's own text. */
export function writeNumberText(value: u32): void {
  if (isInteger(value)) writeBytes(buffer, writeI64(integerOf(value), buffer) - buffer);
  else writeBytes(value + NUMBER_TEXT, load<u32>(value, NUMBER_LENGTH));
}

/** Writes a number canonically; one that is no binary64 keeps its text, which canonical JSON refuses. */
export function writeCanonicalNumber(value: u32): void {
  if (isInteger(value)) {
    writeNumberText(value);
    return;
  }
  const text = value + NUMBER_TEXT;
  const end = text + load<u32>(value, NUMBER_LENGTH);
  if (scanNumber(text, end) != end || numberPlain) {
    writeNumberText(value);
    return;
  }
  writeBytes(buffer, writeNumber(buffer) - buffer);
}
