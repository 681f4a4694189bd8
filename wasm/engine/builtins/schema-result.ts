// What a validation by JSON Schema found: its errors, and a score by which the closest of several schemas is told.

import { alloc } from '../../common/arena';
import { insert, newObject } from '../object';
import { asciiString, elementAt, lengthOf, newArray, push } from '../value';
import { addByte, addText, beginText, finishText } from './text-builder';

/** The errors so far, an array of OPA's objects; 0 while there are none. */
let errors: u32 = 0;
let score: i32 = 0;

// A result that was put aside: its errors and its score.
const RESULT_BYTES: u32 = 8;

/** Begins a result; returns what was found before, for `resume`. */
export function begin(): u32 {
  const before = current();
  errors = 0;
  score = 0;
  return before;
}

/** Ends a result, which it returns, and goes on with the one before it. */
export function resume(before: u32): u32 {
  const result = current();
  errors = load<u32>(before);
  score = load<i32>(before, 4);
  return result;
}

function current(): u32 {
  const result = alloc(RESULT_BYTES);
  store<u32>(result, errors);
  store<i32>(result, score, 4);
  return result;
}

/** Whether a result has no errors. */
export function isValid(result: u32): bool {
  return load<u32>(result) == 0;
}

/** The score of a result. */
export function scoreOf(result: u32): i32 {
  return load<i32>(result, 4);
}

/** Takes the errors and the score of a result over. */
export function merge(result: u32): void {
  const found = load<u32>(result);
  score += scoreOf(result);
  if (found == 0) return;
  if (errors == 0) errors = newArray(4);
  for (let i: u32 = 0; i < lengthOf(found); i++) push(errors, elementAt(found, i));
}

/** Something was checked. */
export function count(): void {
  score += 1;
}

/** The errors of a result, an array. */
export function errorsOf(result: u32): u32 {
  return isValid(result) ? newArray(0) : load<u32>(result);
}

/** Adds an error of gojsonschema's type, with its description, at a place. */
export function addError(type: string, place: u32, description: u32): void {
  const field = fieldOf(place);
  beginText();
  addText(field);
  addByte(0x3a);
  addByte(0x20);
  addText(description);
  const error = newObject(4);
  insert(error, asciiString('error'), finishText());
  insert(error, asciiString('type'), asciiString(type));
  insert(error, asciiString('field'), field);
  insert(error, asciiString('desc'), description);
  if (errors == 0) errors = newArray(4);
  push(errors, error);
  score -= 2;
}

// A place in the document: its key, and the place that holds it, 0 for the document.

/** A key in a place; the place 0 is the document. */
export function placeOf(key: u32, outer: u32): u32 {
  const place = alloc(8);
  store<u32>(place, key);
  store<u32>(place, outer, 4);
  return place;
}

/** The keys on the way to a place, `(Root)` for the document. */
export function fieldOf(place: u32): u32 {
  if (place == 0) return asciiString('(Root)');
  const keys = newArray(8);
  for (let at = place; at != 0; at = load<u32>(at, 4)) push(keys, load<u32>(at));
  beginText();
  for (let i = lengthOf(keys); i > 0; i--) {
    if (i != lengthOf(keys)) addByte(0x2e);
    addText(elementAt(keys, i - 1));
  }
  return finishText();
}
