// Validates a value against a JSON Schema that schema-check.ts took, as OPA's gojsonschema does, errors and all.
//
// Where Go goes through maps in any order, keys go in theirs here.

import { Failure, stop } from '../failure';
import { get, has, sorted } from '../object';
import {
  asciiString,
  elementAt,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newString,
  textOf,
  valueAt,
} from '../value';
import { draft } from './schema-check';
import { checkItems } from './schema-items';
import { checkLengths, checkNumber } from './schema-limits';
import { checkObject } from './schema-objects';
import { member, named, referenceOf, target } from './schema-references';
import { addError, begin, count, isValid, merge, placeOf, resume, scoreOf } from './schema-result';
import { isWhole, plainText, withText } from './schema-text';
import { checkValue } from './schema-values';

/** How deep validation may nest, references included. */
const DEPTH: u32 = 512;

let depth: u32 = 0;

/** Validates a document; returns the result. */
export function validateDocument(schema: u32, document: u32): u32 {
  depth = 0;
  return apart(schema, document, 0);
}

/** Validates with a result of its own, which it returns. */
export function apart(schema: u32, value: u32, place: u32): u32 {
  const before = begin();
  validate(schema, value, place);
  return resume(before);
}

/** Validates a value at a place; what is found goes to the present result. */
export function validate(schema: u32, value: u32, place: u32): void {
  if (kindOf(schema) == Kind.True) return;
  if (kindOf(schema) == Kind.False) {
    return addError('false', place, plainText('False always fails validation'));
  }
  if (++depth > DEPTH) stop(Failure.Depth);
  const reference = member(schema, '$ref') == 0 ? 0 : referenceOf(schema);
  if (reference != 0) validate(target(reference), value, place);
  else if (checkType(schema, value, place)) {
    checkCombined(schema, value, place);
    const kind = kindOf(value);
    if (kind == Kind.Number) checkNumber(schema, value, place);
    if (kind == Kind.Array) checkItems(schema, value, place);
    if (kind == Kind.Object) checkObject(schema, value, place);
    checkValue(schema, value, place);
    if (kind == Kind.Object) checkProperties(schema, value, place);
    if (kind == Kind.String) checkLengths(schema, value, place);
    count();
  }
  depth--;
}

/** The name of a value's type. */
function typeName(value: u32): string {
  switch (kindOf(value)) {
    case Kind.Null:
      return 'null';
    case Kind.Number:
      return isWhole(value) ? 'integer' : 'number';
    case Kind.String:
      return 'string';
    case Kind.Array:
      return 'array';
    case Kind.Object:
      return 'object';
  }
  return 'boolean';
}

function checkType(schema: u32, value: u32, place: u32): bool {
  const type = member(schema, 'type');
  if (type == 0) return true;
  const name = typeName(value);
  const list = kindOf(type) == Kind.Array;
  const length: u32 = list ? lengthOf(type) : 1;
  if (length == 0) return true;
  for (let i: u32 = 0; i < length; i++) {
    const allowed = list ? elementAt(type, i) : type;
    if (named(allowed, name)) return true;
    if (kindOf(value) == Kind.Number && named(allowed, 'number')) return true;
  }
  let expected = list ? elementAt(type, 0) : type;
  for (let i: u32 = 1; i < length; i++) {
    expected = withText('', expected, ',');
    expected = joined(expected, elementAt(type, i));
  }
  if (length > 1) expected = withText('[', expected, ']');
  const start = withText('Invalid type. Expected: ', expected, ', given: ');
  addError('invalid_type', place, joined(start, asciiString(name)));
  return false;
}

/** One text behind another. */
export function joined(a: u32, b: u32): u32 {
  const text = newString(lengthOf(a) + lengthOf(b));
  memory.copy(textOf(text), textOf(a), lengthOf(a));
  memory.copy(textOf(text) + lengthOf(a), textOf(b), lengthOf(b));
  return text;
}

function checkProperties(schema: u32, value: u32, place: u32): void {
  const properties = member(schema, 'properties');
  if (properties == 0) return;
  sorted(properties);
  for (let i: u32 = 0; i < lengthOf(properties); i++) {
    const key = keyAt(properties, i);
    const found = get(value, key);
    if (found != 0) validate(valueAt(properties, i), found, placeOf(key, place));
  }
}

/** The keywords that combine schemas. */
function checkCombined(schema: u32, value: u32, place: u32): void {
  checkAny(member(schema, 'anyOf'), value, place);
  checkOne(member(schema, 'oneOf'), value, place);
  checkAll(member(schema, 'allOf'), value, place);
  const not = member(schema, 'not');
  if (not != 0 && isValid(apart(not, value, place))) {
    addError('number_not', place, plainText('Must not validate the schema (not)'));
  }
  checkDependencies(member(schema, 'dependencies'), value, place);
  if (draft >= 7) checkCondition(schema, value, place);
  count();
}

/** The better of two results, of which the first may be missing. */
export function better(best: u32, result: u32): u32 {
  return best == 0 || scoreOf(result) > scoreOf(best) ? result : best;
}

function checkAny(schemas: u32, value: u32, place: u32): void {
  if (schemas == 0 || lengthOf(schemas) == 0) return;
  let best: u32 = 0;
  for (let i: u32 = 0; i < lengthOf(schemas); i++) {
    const result = apart(elementAt(schemas, i), value, place);
    if (isValid(result)) return;
    best = better(best, result);
  }
  addError('number_any_of', place, plainText('Must validate at least one schema (anyOf)'));
  merge(best);
}

function checkOne(schemas: u32, value: u32, place: u32): void {
  if (schemas == 0 || lengthOf(schemas) == 0) return;
  let best: u32 = 0;
  let valid: u32 = 0;
  for (let i: u32 = 0; i < lengthOf(schemas); i++) {
    const result = apart(elementAt(schemas, i), value, place);
    if (isValid(result)) valid++;
    else if (valid == 0) best = better(best, result);
  }
  if (valid == 1) return;
  addError('number_one_of', place, plainText('Must validate one and only one schema (oneOf)'));
  if (valid == 0) merge(best);
}

function checkAll(schemas: u32, value: u32, place: u32): void {
  if (schemas == 0) return;
  let valid: u32 = 0;
  for (let i: u32 = 0; i < lengthOf(schemas); i++) {
    const result = apart(elementAt(schemas, i), value, place);
    if (isValid(result)) valid++;
    merge(result);
  }
  if (valid == lengthOf(schemas)) return;
  addError('number_all_of', place, plainText('Must validate all the schemas (allOf)'));
}

function checkDependencies(dependencies: u32, value: u32, place: u32): void {
  if (dependencies == 0 || kindOf(value) != Kind.Object) return;
  sorted(value);
  for (let i: u32 = 0; i < lengthOf(value); i++) {
    const dependency = get(dependencies, keyAt(value, i));
    if (dependency == 0) continue;
    if (kindOf(dependency) != Kind.Array) {
      validate(dependency, value, place);
      continue;
    }
    for (let j: u32 = 0; j < lengthOf(dependency); j++) {
      const needed = elementAt(dependency, j);
      if (has(value, needed)) continue;
      addError('missing_dependency', place, withText('Has a dependency on ', needed, ''));
    }
  }
}

function checkCondition(schema: u32, value: u32, place: u32): void {
  const condition = member(schema, 'if');
  if (condition == 0) return;
  const holds = isValid(apart(condition, value, place));
  const branch = member(schema, holds ? 'then' : 'else');
  if (branch == 0) return;
  const result = apart(branch, value, place);
  if (isValid(result)) return;
  if (holds) addError('condition_then', place, plainText('Must validate "then" as "if" was valid'));
  else addError('condition_else', place, plainText('Must validate "else" as "if" was not valid'));
  merge(result);
}
