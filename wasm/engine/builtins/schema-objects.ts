// JSON Schema's keywords about objects.

import { get, has, sorted } from '../object';
import { elementAt, FALSE, integerOf, keyAt, lengthOf, TRUE, valueAt } from '../value';
import { matches, programOf } from './regex-program';
import { draft } from './schema-check';
import { apart } from './schema-match';
import { member } from './schema-references';
import { addError, count, isValid, merge, placeOf } from './schema-result';
import { withInteger, withText } from './schema-text';

/** Asks the keywords about an object, but for `properties`. */
export function checkObject(schema: u32, value: u32, place: u32): void {
  const length = <i64>lengthOf(value);
  const least = member(schema, 'minProperties');
  if (least != 0 && length < integerOf(least)) {
    const text = withInteger('Must have at least ', integerOf(least), ' properties');
    addError('array_min_properties', place, text);
  }
  const most = member(schema, 'maxProperties');
  if (most != 0 && length > integerOf(most)) {
    const text = withInteger('Must have at most ', integerOf(most), ' properties');
    addError('array_max_properties', place, text);
  }
  checkRequired(member(schema, 'required'), value, place);
  sorted(value);
  for (let i: u32 = 0; i < lengthOf(value); i++) checkKey(schema, value, i, place);
  const names = draft >= 6 ? member(schema, 'propertyNames') : 0;
  for (let i: u32 = 0; names != 0 && i < lengthOf(value); i++) {
    const result = apart(names, keyAt(value, i), place);
    if (isValid(result)) continue;
    const text = withText('Property name of "', keyAt(value, i), '" does not match');
    addError('invalid_property_name', place, text);
    merge(result);
  }
  count();
}

function checkRequired(required: u32, value: u32, place: u32): void {
  for (let i: u32 = 0; required != 0 && i < lengthOf(required); i++) {
    const key = elementAt(required, i);
    if (has(value, key)) count();
    else addError('required', place, withText('', key, ' is required'));
  }
}

/** The patterns that a key matches, and what holds for keys that nothing else is about. */
function checkKey(schema: u32, value: u32, index: u32, place: u32): void {
  const key = keyAt(value, index);
  const properties = member(schema, 'properties');
  const described = properties != 0 && get(properties, key) != 0;
  if (checkPatterns(member(schema, 'patternProperties'), key, valueAt(value, index), place)) return;
  const rest = member(schema, 'additionalProperties');
  if (described || rest == 0 || rest == TRUE) return;
  if (rest == FALSE) {
    const text = withText('Additional property ', key, ' is not allowed');
    return addError('additional_property_not_allowed', place, text);
  }
  merge(apart(rest, valueAt(value, index), placeOf(key, place)));
}

function checkPatterns(patterns: u32, key: u32, value: u32, place: u32): bool {
  if (patterns == 0) return false;
  let matched = false;
  sorted(patterns);
  for (let i: u32 = 0; i < lengthOf(patterns); i++) {
    if (!matches(programOf(keyAt(patterns, i)), key)) continue;
    matched = true;
    merge(apart(valueAt(patterns, i), value, placeOf(key, place)));
  }
  if (matched) count();
  return matched;
}
