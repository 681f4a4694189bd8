// json.verify_schema and json.match_schema, as OPA's v1/topdown/jsonschema.go has them.

import { VALUE_DEPTH_MAX } from '../compare';
import { failed } from '../failure';
import { parseLenient } from '../json-parse';
import { boolean, Kind, kindOf, lengthOf, NULL, newArray, push, textOf } from '../value';
import { withTextKeys } from './json-text';
import { checkSchema, problem } from './schema-check';
import { validateDocument } from './schema-match';
import { errorsOf, isValid } from './schema-result';
import { plainText, withText } from './schema-text';

/** The JSON value of an argument: the text of a string, or an object or array; 0 for others and for no JSON. */
function jsonOf(value: u32): u32 {
  const kind = kindOf(value);
  if (kind == Kind.String) return parseLenient(textOf(value), lengthOf(value), VALUE_DEPTH_MAX);
  return kind == Kind.Object || kind == Kind.Array ? withTextKeys(value, 0) : 0;
}

function pair(truth: bool, second: u32): u32 {
  const answer = newArray(2);
  push(answer, boolean(truth));
  push(answer, second);
  return answer;
}

/** json.verify_schema: whether a schema is one, and why not. */
export function b_json_verify_schema(schema: u32): u32 {
  const json = jsonOf(schema);
  if (json != 0) {
    if (checkSchema(json)) return pair(true, NULL);
    return pair(false, withText('jsonschema: ', problem, ''));
  }
  if (kindOf(schema) == Kind.String)
    return pair(false, plainText('jsonschema: invalid JSON string'));
  return pair(false, plainText('jsonschema: wrong type, expected string or object'));
}

/** json.match_schema: whether a document is valid against a schema, and what is wrong with it. */
export function b_json_match_schema(document: u32, schema: u32): u32 {
  const value = jsonOf(document);
  if (value == 0) return failed();
  const json = jsonOf(schema);
  if (json == 0 || !checkSchema(json)) return failed();
  const result = validateDocument(json, value);
  return pair(isValid(result), errorsOf(result));
}
