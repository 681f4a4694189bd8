// JSON Schema's keywords about numbers and about the length of strings.

import { compare } from '../compare';
import { digitCount, digitsFrom, digitsTo, power } from '../decimal';
import { divideNatural, isZero, remainder } from '../natural';
import { naturalOfDigits } from '../natural-text';
import { codePoints } from '../text';
import { integerOf, Kind, kindOf, TRUE } from '../value';
import { matches, programOf } from './regex-program';
import { member } from './schema-references';
import { addError, count } from './schema-result';
import { readNumber, withInteger, withNumber, withText } from './schema-text';

/** Asks the keywords about a number. */
export function checkNumber(schema: u32, value: u32, place: u32): void {
  const multiple = member(schema, 'multipleOf');
  if (multiple != 0 && !isMultiple(value, multiple)) {
    addError('multiple_of', place, withNumber('Must be a multiple of ', multiple, ''));
  }
  const most = member(schema, 'maximum');
  const aboveMost = bound(most, member(schema, 'exclusiveMaximum'));
  if (most != 0 && most != aboveMost && compare(value, most) > 0) {
    addError('number_lte', place, withNumber('Must be less than or equal to ', most, ''));
  }
  if (aboveMost != 0 && compare(value, aboveMost) >= 0) {
    addError('number_lt', place, withNumber('Must be less than ', aboveMost, ''));
  }
  const least = member(schema, 'minimum');
  const belowLeast = bound(least, member(schema, 'exclusiveMinimum'));
  if (least != 0 && least != belowLeast && compare(value, least) < 0) {
    addError('number_gte', place, withNumber('Must be greater than or equal to ', least, ''));
  }
  if (belowLeast != 0 && compare(value, belowLeast) <= 0) {
    addError('number_gt', place, withNumber('Must be greater than ', belowLeast, ''));
  }
  count();
}

/** The bound that itself is not allowed: a number, or, by a boolean, the other bound; 0 for none. */
function bound(inclusive: u32, exclusive: u32): u32 {
  if (exclusive == 0) return 0;
  if (kindOf(exclusive) == Kind.Number) return exclusive;
  return exclusive == TRUE ? inclusive : 0;
}

/** Whether a number divides by another without a rest: both as whole numbers of the smaller unit. */
function isMultiple(value: u32, multiple: u32): bool {
  readNumber(value);
  if (digitCount == 0) return true;
  const from = digitsFrom;
  const to = digitsTo;
  const unit = power - <i32>digitCount;
  readNumber(multiple);
  const otherUnit = power - <i32>digitCount;
  const least = min(unit, otherUnit);
  const divisor = naturalOfDigits(digitsFrom, digitsTo, <u32>(otherUnit - least));
  divideNatural(naturalOfDigits(from, to, <u32>(unit - least)), divisor);
  return isZero(remainder);
}

/** Asks the keywords about a string. */
export function checkLengths(schema: u32, value: u32, place: u32): void {
  const length = <i64>codePoints(value);
  const least = member(schema, 'minLength');
  if (least != 0 && length < integerOf(least)) {
    const text = withInteger(
      'String length must be greater than or equal to ',
      integerOf(least),
      '',
    );
    addError('string_gte', place, text);
  }
  const most = member(schema, 'maxLength');
  if (most != 0 && length > integerOf(most)) {
    const text = withInteger('String length must be less than or equal to ', integerOf(most), '');
    addError('string_lte', place, text);
  }
  const pattern = member(schema, 'pattern');
  if (pattern != 0 && !matches(programOf(pattern), value)) {
    addError('pattern', place, withText("Does not match pattern '", pattern, "'"));
  }
  count();
}
