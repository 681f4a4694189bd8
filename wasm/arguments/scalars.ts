// The keywords for numbers and strings.

import {
  numberLength,
  numberPointer,
  numberValue,
  stringLength,
  stringPointer,
} from '../common/json';
import { search, searchSteps } from '../regex/regex';
import { exhaust, isExhausted, spend, stepsLeft } from './budget';
import { isMultiple } from './decimal';
import { violation, violationCount, violationNumber } from './report';
import { ABSENT, Schema } from './schema';

/**
 * The keywords for numbers. Bounds compare doubles, which is exact: of two different decimals that
 * survive a round trip through binary64, the larger has the larger double.
 */
export function checkNumber(schema: Schema, node: u32): bool {
  const value = numberValue(node);
  let valid = true;
  const minimum = schema.minimum;
  if (minimum != 0 && value < numberValue(minimum)) {
    violationNumber('minimum', 'must be at least ', minimum);
    valid = false;
  }
  const maximum = schema.maximum;
  if (maximum != 0 && value > numberValue(maximum)) {
    violationNumber('maximum', 'must be at most ', maximum);
    valid = false;
  }
  const above = schema.exclusiveMinimum;
  if (above != 0 && value <= numberValue(above)) {
    violationNumber('exclusiveMinimum', 'must be above ', above);
    valid = false;
  }
  const below = schema.exclusiveMaximum;
  if (below != 0 && value >= numberValue(below)) {
    violationNumber('exclusiveMaximum', 'must be below ', below);
    valid = false;
  }
  const step = schema.multipleOf;
  if (step != 0 && !isMultipleOf(node, step)) {
    violationNumber('multipleOf', 'must be a multiple of ', step);
    valid = false;
  }
  return valid;
}

function isMultipleOf(node: u32, step: u32): bool {
  return isMultiple(
    numberPointer(node),
    numberLength(node),
    numberPointer(step),
    numberLength(step),
  );
}

/** The number of code points in UTF-8 text, which is what the length of a string means (RFC 8259). */
function codePoints(pointer: u32, length: u32): u32 {
  let count: u32 = 0;
  for (let at = pointer; at < pointer + length; at++) {
    if ((load<u8>(at) & 0xc0) != 0x80) count++;
  }
  return count;
}

/** The keywords for strings. */
export function checkString(schema: Schema, node: u32): bool {
  let valid = true;
  if (schema.minLength > 0 || schema.maxLength != ABSENT) {
    spend(stringLength(node) >> 4);
    const length = codePoints(stringPointer(node), stringLength(node));
    if (length < schema.minLength) {
      violationCount('minLength', 'characters must be at least ', schema.minLength);
      valid = false;
    }
    if (length > schema.maxLength) {
      violationCount('maxLength', 'characters must be at most ', schema.maxLength);
      valid = false;
    }
  }
  if (schema.pattern != 0) {
    if (!isMatch(schema.pattern, stringPointer(node), stringLength(node))) {
      // Whether it matches is not known when the steps ran out.
      if (isExhausted()) return false;
      violation('pattern', 'must match the pattern');
      valid = false;
    }
  }
  return valid;
}

/** Whether a pattern matches anywhere in the text; false as well when the steps ran out. */
export function isMatch(program: u32, text: u32, length: u32): bool {
  const found = search(program, text, length, stepsLeft());
  spend(min(searchSteps(), stepsLeft()));
  if (found < 0) exhaust();
  return found == 1;
}
