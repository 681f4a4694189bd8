// Applies a compiled schema to a value: first what holds for any value, then what holds for its kind.

import { equalNodes, Kind, kindOf, numberValue } from '../common/json';
import { enterSchema, isExhausted, leaveSchema, spend } from './budget';
import { checkArray, checkObject } from './containers';
import { hush, isQuiet, isReportFull, unhush, violation, violationType } from './report';
import { checkNumber, checkString } from './scalars';
import { Always, Schema, schemaAt, Type } from './schema';

/**
 * Whether the value fits the schema; violations go to the report. When the value is only tried, the
 * first violation ends the work. The answer is meaningless once steps ran out.
 */
export function validate(made: u32, node: u32): bool {
  const schema = schemaAt(made);
  if (schema.always == Always.True) return true;
  if (schema.always == Always.False) {
    violation('false', 'is not allowed here');
    return false;
  }
  if (isReportFull() || !enterSchema()) return false;
  const valid = checkAll(schema, node);
  leaveSchema();
  return valid;
}

/** Whether the value fits, without reporting. */
export function matches(made: u32, node: u32): bool {
  hush();
  const valid = validate(made, node);
  unhush();
  return valid;
}

function checkAll(schema: Schema, node: u32): bool {
  if (schema.types != 0 && (schema.types & typesOf(node)) == 0) {
    violationType(schema.types);
    // What else is wrong with a value of the wrong type would only be noise.
    return false;
  }
  let valid = checkValue(schema, node);
  if (!valid && isQuiet()) return false;
  if (!checkKind(schema, node)) valid = false;
  if (!valid && isQuiet()) return false;
  if (schema.ref != 0 && !validate(schema.ref, node)) valid = false;
  if (!valid && isQuiet()) return false;
  return checkCombined(schema, node) && valid;
}

/** Bits of every type that the value has: 1 and 1.0 are integers and numbers. */
function typesOf(node: u32): u32 {
  switch (kindOf(node)) {
    case Kind.Null:
      return Type.Null;
    case Kind.False:
    case Kind.True:
      return Type.Boolean;
    case Kind.Number: {
      const value = numberValue(node);
      return trunc(value) == value ? Type.Number | Type.Integer : Type.Number;
    }
    case Kind.String:
      return Type.String;
    case Kind.Array:
      return Type.Array;
    default:
      return Type.Object;
  }
}

function checkValue(schema: Schema, node: u32): bool {
  let valid = true;
  if (schema.enumeration != 0 && !isListed(schema.enumeration, node)) {
    violation('enum', 'must be one of the allowed values');
    valid = false;
  }
  if (schema.constant != 0) {
    spend(schema.constantSteps);
    if (!equalNodes(schema.constant, node)) {
      violation('const', 'must be the allowed value');
      valid = false;
    }
  }
  return valid;
}

/** Whether one of the values of `enum` equals this one. */
function isListed(list: u32, node: u32): bool {
  const count = load<u32>(list);
  for (let index: u32 = 0; index < count; index++) {
    const entry = list + 4 + index * 8;
    if (!spend(load<u32>(entry, 4))) return false;
    if (equalNodes(load<u32>(entry), node)) return true;
  }
  return false;
}

function checkKind(schema: Schema, node: u32): bool {
  const kind = kindOf(node);
  if (kind == Kind.Object) return checkObject(schema, node);
  if (kind == Kind.Array) return checkArray(schema, node);
  if (kind == Kind.String) return checkString(schema, node);
  return kind == Kind.Number ? checkNumber(schema, node) : true;
}

function checkCombined(schema: Schema, node: u32): bool {
  let valid = true;
  if (schema.allOf != 0) valid = checkAllOf(schema.allOf, node);
  if (!valid && isQuiet()) return false;
  if (schema.anyOf != 0 && !checkAnyOf(schema.anyOf, node)) valid = false;
  if (!valid && isQuiet()) return false;
  if (schema.oneOf != 0 && !checkOneOf(schema.oneOf, node)) valid = false;
  if (!valid && isQuiet()) return false;
  if (schema.not != 0 && matches(schema.not, node)) {
    violation('not', 'must not have the excluded form');
    valid = false;
  }
  if (schema.if == 0) return valid;
  const branch = matches(schema.if, node) ? schema.then : schema.else;
  if (branch != 0 && !validate(branch, node)) valid = false;
  return valid;
}

function checkAllOf(list: u32, node: u32): bool {
  let valid = true;
  const count = load<u32>(list);
  for (let index: u32 = 1; index <= count; index++) {
    if (!validate(load<u32>(list + index * 4), node)) valid = false;
    if (isExhausted() || (!valid && isQuiet())) return false;
  }
  return valid;
}

function checkAnyOf(list: u32, node: u32): bool {
  const count = load<u32>(list);
  for (let index: u32 = 1; index <= count; index++) {
    if (matches(load<u32>(list + index * 4), node)) return true;
    if (isExhausted()) return false;
  }
  explain('anyOf', list, node);
  return false;
}

function checkOneOf(list: u32, node: u32): bool {
  const count = load<u32>(list);
  let found: u32 = 0;
  for (let index: u32 = 1; index <= count && found < 2; index++) {
    if (matches(load<u32>(list + index * 4), node)) found++;
    if (isExhausted()) return false;
  }
  if (found == 1) return true;
  if (found == 0) explain('oneOf', list, node);
  else violation('oneOf', 'fits more than one of the forms of which it must fit one');
  return false;
}

/**
 * Reports a value that fits none of the listed schemas. When its type leaves a single one possible,
 * as with "an object or null", the caller is told what that one misses.
 */
function explain(keyword: string, list: u32, node: u32): void {
  if (isQuiet()) return;
  const types = typesOf(node);
  const count = load<u32>(list);
  let candidate: u32 = 0;
  let candidates: u32 = 0;
  for (let index: u32 = 1; index <= count; index++) {
    const made = load<u32>(list + index * 4);
    if (!admits(made, types)) continue;
    candidate = made;
    candidates++;
  }
  if (candidates == 1) validate(candidate, node);
  else violation(keyword, 'must fit one of the allowed forms');
}

/** Whether a schema's own `type`, or that of the one it refers to, leaves these types possible. */
function admits(made: u32, types: u32): bool {
  let at = made;
  // References do not go in circles: registration has refused those.
  while (schemaAt(at).ref != 0 && schemaAt(at).types == 0) at = schemaAt(at).ref;
  const schema = schemaAt(at);
  if (schema.always == Always.False) return false;
  return schema.types == 0 || (schema.types & types) != 0;
}
