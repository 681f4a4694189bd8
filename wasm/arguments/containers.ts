// The keywords for arrays and objects, and going on to their parts.

import { alloc, mark, release } from '../common/arena';
import {
  childCount,
  firstChild,
  Kind,
  keyLength,
  keyPointer,
  member,
  nextSibling,
} from '../common/json';
import { LENGTH, NODE_BYTES, POINTER } from '../common/node';
import { compareUtf16 } from '../common/text';
import { isExhausted, spend } from './budget';
import { enterIndex, enterKey, enterUnnamed, leave } from './path';
import { isQuiet, isReportFull, violation, violationCount, violationName } from './report';
import { isMatch } from './scalars';
import { ABSENT, Always, Schema, schemaAt } from './schema';
import { hasUniqueItems } from './unique';
import { matches, validate } from './validate';

/** Whether to stop looking at further parts. */
function isSettled(valid: bool): bool {
  return isExhausted() || isReportFull() || (!valid && isQuiet());
}

/** The keywords for arrays. */
export function checkArray(schema: Schema, node: u32): bool {
  const count = childCount(node);
  let valid = true;
  if (count < schema.minItems) {
    violationCount('minItems', 'items must be at least ', schema.minItems);
    valid = false;
  }
  if (count > schema.maxItems) {
    violationCount('maxItems', 'items must be at most ', schema.maxItems);
    valid = false;
  }
  if (isSettled(valid)) return false;
  if (schema.uniqueItems != 0 && !hasUniqueItems(node)) {
    violation('uniqueItems', 'items must all be different');
    valid = false;
  }
  if (isSettled(valid)) return false;
  if (!checkItems(schema, node)) valid = false;
  if (isSettled(valid) || schema.contains == 0) return valid;
  return checkContains(schema, node) && valid;
}

function checkItems(schema: Schema, node: u32): bool {
  const prefix: u32 = schema.prefixItems == 0 ? 0 : load<u32>(schema.prefixItems);
  if (prefix == 0 && schema.items == 0) return true;
  let valid = true;
  let index: u32 = 0;
  for (let item = firstChild(node); item != 0; item = nextSibling(item)) {
    const made = index < prefix ? load<u32>(schema.prefixItems + 4 + index * 4) : schema.items;
    if (made == 0) break;
    enterIndex(index);
    if (!validate(made, item)) valid = false;
    leave();
    if (isSettled(valid)) return false;
    index++;
  }
  return valid;
}

function checkContains(schema: Schema, node: u32): bool {
  const least: u32 = schema.minContains == ABSENT ? 1 : schema.minContains;
  let found: u32 = 0;
  for (let item = firstChild(node); item != 0; item = nextSibling(item)) {
    if (matches(schema.contains, item)) found++;
    if (isExhausted()) return false;
  }
  if (found < least) {
    violationCount('contains', 'items of the wanted form must be at least ', least);
    return false;
  }
  if (found > schema.maxContains && schema.maxContains != ABSENT) {
    violationCount('maxContains', 'items of the wanted form must be at most ', schema.maxContains);
    return false;
  }
  return true;
}

/** The keywords for objects. */
export function checkObject(schema: Schema, node: u32): bool {
  const count = childCount(node);
  let valid = true;
  if (count < schema.minProperties) {
    violationCount('minProperties', 'properties must be at least ', schema.minProperties);
    valid = false;
  }
  if (count > schema.maxProperties) {
    violationCount('maxProperties', 'properties must be at most ', schema.maxProperties);
    valid = false;
  }
  if (isSettled(valid)) return false;
  if (schema.required != 0 && !checkRequired('required', schema.required, node)) valid = false;
  if (isSettled(valid)) return false;
  if (!checkDependent(schema, node)) valid = false;
  if (isSettled(valid)) return false;
  return checkMembers(schema, node) && valid;
}

function checkRequired(keyword: string, names: u32, node: u32): bool {
  let valid = true;
  const count = load<u32>(names);
  for (let index: u32 = 0; index < count; index++) {
    const name = load<u32>(names + 4 + index * 8);
    const length = load<u32>(names + 8 + index * 8);
    // Small objects are searched member by member, large ones by halves.
    if (!spend(4)) return false;
    if (member(node, name, length) != 0) continue;
    violationName(keyword, 'must have the property ', name, length);
    valid = false;
    if (isSettled(valid)) return false;
  }
  return valid;
}

/** `dependentRequired` and `dependentSchemas`: what the presence of a property asks of the object. */
function checkDependent(schema: Schema, node: u32): bool {
  let valid = true;
  const names = schema.dependentRequired;
  for (let index: u32 = 0; names != 0 && index < load<u32>(names); index++) {
    const entry = names + 4 + index * 12;
    if (!spend(4) || member(node, load<u32>(entry), load<u32>(entry, 4)) == 0) continue;
    if (!checkRequired('dependentRequired', load<u32>(entry, 8), node)) valid = false;
    if (isSettled(valid)) return false;
  }
  const schemas = schema.dependentSchemas;
  for (let index: u32 = 0; schemas != 0 && index < load<u32>(schemas); index++) {
    const entry = schemas + 4 + index * 12;
    if (!spend(4) || member(node, load<u32>(entry), load<u32>(entry, 4)) == 0) continue;
    if (!validate(load<u32>(entry, 8), node)) valid = false;
    if (isSettled(valid)) return false;
  }
  return valid;
}

function checkMembers(schema: Schema, node: u32): bool {
  if ((schema.properties | schema.patternProperties | schema.additionalProperties) == 0) {
    if (schema.propertyNames == 0) return true;
  }
  let valid = true;
  let index: u32 = 0;
  for (let item = firstChild(node); item != 0; item = nextSibling(item)) {
    const made = propertySchema(schema.properties, item);
    if (made == 0) enterUnnamed(index);
    else enterKey(keyPointer(item), keyLength(item));
    if (!checkMember(schema, item, made)) valid = false;
    leave();
    if (isSettled(valid)) return false;
    index++;
  }
  return valid;
}

/** `made` is the schema of `properties` for the member, or 0. */
function checkMember(schema: Schema, item: u32, made: u32): bool {
  if (!spend(1 + (keyLength(item) >> 4))) return false;
  let valid = true;
  if (schema.propertyNames != 0 && !isNameAllowed(schema.propertyNames, item)) {
    violation('propertyNames', 'is no allowed name for a property');
    valid = false;
  }
  let named = false;
  if (made != 0) {
    named = true;
    if (!validate(made, item)) valid = false;
  }
  const patterns = schema.patternProperties;
  for (let index: u32 = 0; patterns != 0 && index < load<u32>(patterns); index++) {
    const entry = patterns + 4 + index * 8;
    if (isSettled(valid)) return false;
    if (!isMatch(load<u32>(entry), keyPointer(item), keyLength(item))) continue;
    named = true;
    if (!validate(load<u32>(entry, 4), item)) valid = false;
  }
  const additional = schema.additionalProperties;
  if (named || additional == 0 || isSettled(valid)) return valid;
  if (schemaAt(additional).always != Always.False) return validate(additional, item) && valid;
  violation('additionalProperties', 'is no property of the schema');
  return false;
}

/** The schema of `properties` for a member; 0 when it is not named there. */
function propertySchema(properties: u32, item: u32): u32 {
  let low: u32 = 0;
  let high: u32 = properties == 0 ? 0 : load<u32>(properties);
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = properties + 4 + middle * 12;
    const order = compareUtf16(
      load<u32>(entry),
      load<u32>(entry, 4),
      keyPointer(item),
      keyLength(item),
    );
    if (order == 0) return load<u32>(entry, 8);
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return 0;
}

/** Whether the schema of `propertyNames` fits the member's name, taken as a string. */
function isNameAllowed(made: u32, item: u32): bool {
  const point = mark();
  const name = alloc(NODE_BYTES);
  memory.fill(name, 0, NODE_BYTES);
  store<u32>(name, Kind.String);
  store<u32>(name, keyPointer(item), POINTER);
  store<u32>(name, keyLength(item), LENGTH);
  const allowed = matches(made, name);
  release(point);
  return allowed;
}
