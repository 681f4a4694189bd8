// Whether a JSON Schema is one, as OPA's gojsonschema compiles it (drafts 4, 6 and 7), and why not.

import { equalStrings } from '../compare';
import { Failure, stop } from '../failure';
import { sorted } from '../object';
import {
  asciiString,
  elementAt,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newArray,
  push,
  valueAt,
} from '../value';
import { programOf } from './regex-program';
import { checkLimits, isList } from './schema-check-limits';
import { checkTypes } from './schema-check-types';
import { broken, collect, member, named, referenceOf, repeated, target } from './schema-references';
import { comparable, plainText, threeTexts, withText } from './schema-text';

/** Drafts by their numbers; one that a schema does not say takes the keywords of all of them. */
export const HYBRID: u32 = 255;

/** How deep schemas may nest. */
const DEPTH: u32 = 256;

/** The draft of the last schema that was checked, and why it is none. */
export let draft: u32 = HYBRID;
export let problem: u32 = 0;

let seen: u32 = 0;
let depth: u32 = 0;

/** Whether a value (of JSON) is a schema; otherwise `problem` says why not. */
export function checkSchema(schema: u32): bool {
  problem = 0;
  depth = 0;
  seen = newArray(4);
  if (!collect(schema)) return fail(withText('Reference already exists: "', repeated, '"'));
  return findDraft(schema) && check(schema);
}

/** Notes why the schema is none, unless something was noted before. */
export function fail(why: u32): bool {
  if (problem == 0) problem = why;
  return false;
}

export function isBoolean(value: u32): bool {
  return kindOf(value) == Kind.True || kindOf(value) == Kind.False;
}

function isSchema(value: u32): bool {
  return isBoolean(value) || kindOf(value) == Kind.Object;
}

function findDraft(schema: u32): bool {
  draft = HYBRID;
  if (isBoolean(schema)) return true;
  if (kindOf(schema) != Kind.Object) return fail(plainText('schema is invalid'));
  const url = member(schema, '$schema');
  if (url == 0) return true;
  if (kindOf(url) != Kind.String) return fail(plainText('$schema must be of type string'));
  if (isUrl(url, 'http://json-schema.org/draft-04/schema')) draft = 4;
  if (isUrl(url, 'http://json-schema.org/draft-06/schema')) draft = 6;
  if (isUrl(url, 'http://json-schema.org/draft-07/schema')) draft = 7;
  return true;
}

/** Whether a text is this URL, perhaps with an empty fragment. */
function isUrl(text: u32, url: string): bool {
  if (named(text, url)) return true;
  const bare = asciiString(url);
  return equalStrings(text, withText('', bare, '#'));
}

function check(schema: u32): bool {
  if (++depth > DEPTH) stop(Failure.Depth);
  const fine = (isBoolean(schema) && draft >= 6) || checkObject(schema);
  depth--;
  return fine;
}

function checkObject(schema: u32): bool {
  if (kindOf(schema) != Kind.Object)
    return fail(plainText('Expected: Valid Schema, given: Invalid JSON'));
  const id = draft == 4 || (draft == HYBRID && member(schema, 'id') != 0) ? 'id' : '$id';
  if (!isText(schema, id) || !checkDefinitions(schema)) return false;
  if (!isText(schema, 'title') || !isText(schema, 'description') || !isText(schema, '$ref'))
    return false;
  if (member(schema, '$ref') != 0) {
    const reference = referenceOf(schema);
    // What stands beside a reference is only looked at when it leads to a part that was checked before.
    if (!wasSeen(reference)) return checkReference(reference);
  }
  return checkTypes(schema) && checkParts(schema) && checkLimits(schema) && checkRest(schema);
}

function wasSeen(reference: u32): bool {
  for (let i: u32 = 0; i < lengthOf(seen); i++) {
    if (equalStrings(elementAt(seen, i), reference)) return true;
  }
  return false;
}

function checkReference(reference: u32): bool {
  push(seen, reference);
  const part = target(reference);
  if (part == 0) return fail(broken);
  if (!isSchema(part)) return fail(plainText('Valid Schema must be of type object'));
  return check(part);
}

/** Whether a member is a string or missing. */
export function isText(schema: u32, key: string): bool {
  const value = member(schema, key);
  return value == 0 || kindOf(value) == Kind.String || invalidType('string', key);
}

/** The keyword `given` has another type than it must. */
export function invalidType(expected: string, given: string): bool {
  const start = withText('Invalid type. Expected: ', asciiString(expected), ', given: ');
  return fail(withText('', start, given));
}

function checkDefinitions(schema: u32): bool {
  const definitions = member(schema, 'definitions');
  if (definitions == 0) return true;
  if (kindOf(definitions) != Kind.Object) return invalidType('Array Of Schemas', 'definitions');
  sorted(definitions);
  for (let i: u32 = 0; i < lengthOf(definitions); i++) {
    const part = valueAt(definitions, i);
    if (!isSchema(part)) return invalidType('Array Of Schemas', 'definitions');
    if (!check(part)) return false;
  }
  return true;
}

/** The keywords that hold schemas of properties and items. */
function checkParts(schema: u32): bool {
  return (
    checkProperties(member(schema, 'properties')) &&
    checkAdditional(schema, 'additionalProperties') &&
    checkPatterns(member(schema, 'patternProperties')) &&
    checkNames(schema) &&
    checkDependencies(member(schema, 'dependencies')) &&
    checkItems(member(schema, 'items')) &&
    checkAdditional(schema, 'additionalItems')
  );
}

function checkProperties(properties: u32): bool {
  if (properties == 0) return true;
  if (kindOf(properties) != Kind.Object)
    return fail(plainText('Properties must be of type object'));
  sorted(properties);
  for (let i: u32 = 0; i < lengthOf(properties); i++) {
    if (!check(valueAt(properties, i))) return false;
  }
  return true;
}

function checkAdditional(schema: u32, key: string): bool {
  const value = member(schema, key);
  if (value == 0 || isBoolean(value)) return true;
  if (kindOf(value) != Kind.Object) return invalidType('boolean/Valid Schema', key);
  return check(value);
}

function checkPatterns(patterns: u32): bool {
  if (patterns == 0) return true;
  if (kindOf(patterns) != Kind.Object) return invalidType('Valid Schema', 'patternProperties');
  sorted(patterns);
  for (let i: u32 = 0; i < lengthOf(patterns); i++) {
    const pattern = keyAt(patterns, i);
    if (programOf(pattern) == 0) return fail(withText("Invalid regex pattern '", pattern, "'"));
    if (!check(valueAt(patterns, i))) return false;
  }
  return true;
}

function checkNames(schema: u32): bool {
  const names = draft >= 6 ? member(schema, 'propertyNames') : 0;
  if (names == 0) return true;
  return isSchema(names) ? check(names) : invalidType('Valid Schema', 'patternProperties');
}

function checkDependencies(dependencies: u32): bool {
  if (dependencies == 0) return true;
  if (kindOf(dependencies) != Kind.Object)
    return fail(plainText('dependencies must be of type object'));
  sorted(dependencies);
  for (let i: u32 = 0; i < lengthOf(dependencies); i++) {
    const dependency = valueAt(dependencies, i);
    if (isSchema(dependency)) {
      if (!check(dependency)) return false;
    } else if (!isListOfTexts(dependency)) {
      return fail(plainText('Dependency must be of type Schema Or Array Of Strings'));
    }
  }
  return true;
}

function isListOfTexts(value: u32): bool {
  if (kindOf(value) != Kind.Array) return false;
  for (let i: u32 = 0; i < lengthOf(value); i++) {
    if (kindOf(elementAt(value, i)) != Kind.String) return false;
  }
  return true;
}

function checkItems(items: u32): bool {
  if (items == 0) return true;
  if (isSchema(items)) return check(items);
  if (kindOf(items) != Kind.Array) return invalidType('Valid Schema/Array Of Schemas', 'items');
  for (let i: u32 = 0; i < lengthOf(items); i++) {
    if (!isSchema(elementAt(items, i)))
      return invalidType('Valid Schema/Array Of Schemas', 'items');
    if (!check(elementAt(items, i))) return false;
  }
  return true;
}

/** The keywords that hold values and schemas for the whole instance. */
function checkRest(schema: u32): bool {
  const unique = member(schema, 'uniqueItems');
  if (unique != 0 && !isBoolean(unique)) return fail(plainText('uniqueItems must be of a boolean'));
  const contains = draft >= 6 ? member(schema, 'contains') : 0;
  if (contains != 0 && !check(contains)) return false;
  return (
    checkEnum(schema) &&
    checkAll(schema, 'oneOf') &&
    checkAll(schema, 'anyOf') &&
    checkAll(schema, 'allOf') &&
    checkOne(schema, 'not') &&
    (draft < 7 || (checkOne(schema, 'if') && checkOne(schema, 'then') && checkOne(schema, 'else')))
  );
}

function checkEnum(schema: u32): bool {
  if (!isList(schema, 'enum')) return false;
  const values = member(schema, 'enum');
  const texts = newArray(4);
  for (let i: u32 = 0; values != 0 && i < lengthOf(values); i++) {
    const text = comparable(elementAt(values, i));
    for (let j: u32 = 0; j < i; j++) {
      if (equalStrings(elementAt(texts, j), text))
        return fail(plainText('enum items must be unique'));
    }
    push(texts, text);
  }
  return true;
}

function checkAll(schema: u32, key: string): bool {
  if (!isList(schema, key)) return false;
  const list = member(schema, key);
  for (let i: u32 = 0; list != 0 && i < lengthOf(list); i++) {
    if (!check(elementAt(list, i))) return false;
  }
  return true;
}

function checkOne(schema: u32, key: string): bool {
  const value = member(schema, key);
  if (value == 0) return true;
  return isSchema(value) ? check(value) : fail(threeTexts(key, ' must be of an ', 'object'));
}
