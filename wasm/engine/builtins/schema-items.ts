// JSON Schema's keywords about arrays.

import { get, insert, newObject } from '../object';
import { elementAt, FALSE, integer, integerOf, Kind, kindOf, lengthOf, TRUE } from '../value';
import { draft } from './schema-check';
import { apart, better } from './schema-match';
import { member } from './schema-references';
import { addError, count, isValid, merge, placeOf } from './schema-result';
import { comparable, describe, plainText, withInteger } from './schema-text';
import { addAscii, addInteger, finishText } from './text-builder';

/** Asks the keywords about an array. */
export function checkItems(schema: u32, value: u32, place: u32): void {
  const items = member(schema, 'items');
  const length = lengthOf(value);
  if (items != 0 && kindOf(items) != Kind.Array) each(items, value, 0, length, place);
  else if (items != 0 && lengthOf(items) > 0) checkTuple(schema, items, value, place);
  const least = member(schema, 'minItems');
  if (least != 0 && <i64>length < integerOf(least)) {
    const text = withInteger('Array must have at least ', integerOf(least), ' items');
    addError('array_min_items', place, text);
  }
  const most = member(schema, 'maxItems');
  if (most != 0 && <i64>length > integerOf(most)) {
    const text = withInteger('Array must have at most ', integerOf(most), ' items');
    addError('array_max_items', place, text);
  }
  if (member(schema, 'uniqueItems') == TRUE) checkUnique(value, place);
  const contains = draft >= 6 ? member(schema, 'contains') : 0;
  if (contains != 0) checkContains(contains, value, place);
  count();
}

/** A place in an array. */
function at(index: u32, place: u32): u32 {
  describe('');
  addInteger(index);
  return placeOf(finishText(), place);
}

function each(schema: u32, value: u32, from: u32, to: u32, place: u32): void {
  for (let i = from; i < to; i++) merge(apart(schema, elementAt(value, i), at(i, place)));
}

/** One schema for each element, and another one or none for the rest. */
function checkTuple(schema: u32, items: u32, value: u32, place: u32): void {
  const length = lengthOf(value);
  const schemas = lengthOf(items);
  for (let i: u32 = 0; i < schemas && i < length; i++) {
    merge(apart(elementAt(items, i), elementAt(value, i), at(i, place)));
  }
  if (schemas >= length) return;
  const rest = member(schema, 'additionalItems');
  if (rest == FALSE) {
    const text = plainText('No additional items allowed on array');
    addError('array_no_additional_items', place, text);
  } else if (rest != 0 && rest != TRUE) each(rest, value, schemas, length, place);
}

function checkUnique(value: u32, place: u32): void {
  const seen = newObject(8);
  for (let i: u32 = 0; i < lengthOf(value); i++) {
    const text = comparable(elementAt(value, i));
    const before = get(seen, text);
    if (before != 0) {
      describe('array items[');
      addInteger(integerOf(before));
      addAscii(',');
      addInteger(i);
      addAscii('] must be unique');
      addError('unique', place, finishText());
    }
    insert(seen, text, integer(i));
  }
}

function checkContains(schema: u32, value: u32, place: u32): void {
  let best: u32 = 0;
  for (let i: u32 = 0; i < lengthOf(value); i++) {
    const result = apart(schema, elementAt(value, i), at(i, place));
    if (isValid(result)) return;
    best = better(best, result);
  }
  addError('contains', place, plainText('At least one of the items must match'));
  if (best != 0) merge(best);
}
