// The keywords of a JSON Schema about numbers, lengths and counts, and their mistakes.

import { compare, equalStrings } from '../compare';
import { elementAt, integer, integerOf, isInteger, Kind, kindOf, lengthOf } from '../value';
import { programOf } from './regex-program';
import { draft, fail, HYBRID, invalidType, isBoolean, isText } from './schema-check';
import { member } from './schema-references';
import { plainText, threeTexts } from './schema-text';

/** The keywords that compare numbers, lengths and counts. */
export function checkLimits(schema: u32): bool {
  const multiple = member(schema, 'multipleOf');
  if (multiple != 0) {
    if (kindOf(multiple) != Kind.Number) return invalidType('Number', 'multipleOf');
    if (compare(multiple, integer(0)) <= 0) {
      return fail(plainText('multipleOf must be strictly greater than 0'));
    }
  }
  return (
    checkBound(schema, 'minimum', 'exclusiveMinimum') &&
    checkBound(schema, 'maximum', 'exclusiveMaximum') &&
    checkCount(schema, 'minLength') &&
    checkCount(schema, 'maxLength') &&
    checkOrder(schema, 'minLength', 'maxLength') &&
    checkPattern(member(schema, 'pattern')) &&
    isText(schema, 'format') &&
    checkCount(schema, 'minProperties') &&
    checkCount(schema, 'maxProperties') &&
    checkOrder(schema, 'minProperties', 'maxProperties') &&
    checkRequired(schema) &&
    checkCount(schema, 'minItems') &&
    checkCount(schema, 'maxItems')
  );
}

function checkBound(schema: u32, key: string, exclusiveKey: string): bool {
  const bound = member(schema, key);
  if (bound != 0 && kindOf(bound) != Kind.Number)
    return fail(threeTexts(key, ' must be of a ', 'Number'));
  const exclusive = member(schema, exclusiveKey);
  if (exclusive == 0) return true;
  const boolean = isBoolean(exclusive) && (draft == 4 || draft == HYBRID);
  if (boolean) {
    return bound != 0 || fail(threeTexts(exclusiveKey, ' cannot be used without ', key));
  }
  if (draft == 4) return invalidType('boolean', exclusiveKey);
  if (kindOf(exclusive) == Kind.Number) return true;
  return invalidType(draft == HYBRID ? 'boolean/number' : 'number', exclusiveKey);
}

/** Whether a member is an integer, written as one and not negative, or missing. */
function checkCount(schema: u32, key: string): bool {
  const value = member(schema, key);
  if (value == 0) return true;
  const whole = kindOf(value) == Kind.Number && isInteger(value);
  if (!whole) return fail(threeTexts(key, ' must be of an ', 'integer'));
  return integerOf(value) >= 0 || fail(threeTexts(key, ' must be greater than ', 'or equal to 0'));
}

function checkOrder(schema: u32, low: string, high: string): bool {
  const least = member(schema, low);
  const most = member(schema, high);
  if (least == 0 || most == 0 || integerOf(least) <= integerOf(most)) return true;
  return fail(threeTexts(low, ' cannot be greater than ', high));
}

function checkPattern(pattern: u32): bool {
  if (pattern == 0) return true;
  if (kindOf(pattern) != Kind.String) return invalidType('string', 'pattern');
  return programOf(pattern) != 0 || fail(plainText('pattern must be a valid regex'));
}

/** Whether a member is an array or missing. */
export function isList(schema: u32, key: string): bool {
  const value = member(schema, key);
  if (value == 0 || kindOf(value) == Kind.Array) return true;
  return fail(threeTexts(key, ' must be of an ', 'array'));
}

function checkRequired(schema: u32): bool {
  if (!isList(schema, 'required')) return false;
  const required = member(schema, 'required');
  for (let i: u32 = 0; required != 0 && i < lengthOf(required); i++) {
    const key = elementAt(required, i);
    if (kindOf(key) != Kind.String) return invalidType('string', 'required');
    for (let j: u32 = 0; j < i; j++) {
      if (equalStrings(elementAt(required, j), key))
        return fail(plainText('required items must be unique'));
    }
  }
  return true;
}
