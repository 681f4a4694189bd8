// Compiles a schema of JSON Schema 2020-12 (and OpenAPI 3.0), refusing every keyword that is not implemented.

import {
  firstChild,
  Kind,
  keyLength,
  keyPointer,
  kindOf,
  nextSibling,
  stringLength,
  stringPointer,
} from '../common/json';
import { hasFailed, refuse, refuseValue } from './failure';
import { isKnownDialect, Keyword, keywordOf } from './keywords';
import { keyedNames, keyedSchemas, listedSchemas, patternSchemas } from './lists';
import { addReference, remember, resetMade } from './made';
import {
  readBoolean,
  readCount,
  readNames,
  readNumber,
  readPattern,
  readStep,
  readTypes,
  readValues,
} from './operands';
import { enterKey, leave, resetPath } from './path';
import { resolveReferences } from './references';
import {
  Always,
  builtTop,
  isFull,
  keepValue,
  keptSteps,
  newSchema,
  Schema,
  schemaAt,
  Type,
  unbuild,
} from './schema';

/** The schemas `true` and `false`, which need no memory of their own in any compiled schema. */
let alwaysTrue: u32 = 0;
let alwaysFalse: u32 = 0;
let root: u32 = 0;

/** Compiles the schema whose JSON is `node`, of `length` bytes; 0 when it is refused (see `failure`). */
export function compileSchema(node: u32, length: u32): u32 {
  resetPath();
  resetMade(length);
  root = node;
  alwaysTrue = newSchema(Always.True);
  alwaysFalse = newSchema(Always.False);
  const schema = subSchema(node, 0);
  if (!hasFailed() && !isFull()) resolveReferences(node);
  resetPath();
  if (isFull()) refuse('schema_too_large', 'is too large once its patterns are unfolded', 0);
  return hasFailed() ? 0 : schema;
}

/** Compiles one schema; `keyword` is the member that holds it, 0 at the root. */
export function subSchema(node: u32, keyword: u32): u32 {
  const kind = kindOf(node);
  let made: u32 = 0;
  if (kind == Kind.True) made = alwaysTrue;
  else if (kind == Kind.False) made = alwaysFalse;
  else if (kind == Kind.Object) made = objectSchema(node);
  else refuseValue('must be a schema: an object or a boolean', keyword);
  if (made != 0) remember(node, made);
  return made;
}

function objectSchema(node: u32): u32 {
  const made = newSchema(Always.Undecided);
  if (made == 0) return 0;
  const empty = builtTop();
  const schema = schemaAt(made);
  let asserts = false;
  let nullable = false;
  for (let item = firstChild(node); item != 0; item = nextSibling(item)) {
    const keyword = keywordOf(keyPointer(item), keyLength(item));
    enterKey(keyPointer(item), keyLength(item));
    if (keyword >= Keyword.Ref) asserts = true;
    if (keyword == Keyword.Nullable) nullable = readBoolean(item);
    else readKeyword(made, keyword, item, node);
    leave();
    if (hasFailed() || isFull()) return 0;
  }
  // OpenAPI 3.0.3: `nullable` adds null to the `type` beside it, and does nothing without one.
  if (nullable && schema.types != 0) schema.types |= Type.Null;
  checkExclusive(schema, node);
  // Annotations alone are the schema `true`, unless definitions were built behind it.
  if (!asserts && builtTop() == empty) {
    unbuild(made);
    return alwaysTrue;
  }
  return made;
}

function readKeyword(made: u32, keyword: Keyword, item: u32, owner: u32): void {
  const schema = schemaAt(made);
  switch (keyword) {
    case Keyword.Unsupported:
      refuse('schema_keyword_unsupported', 'is a keyword that is not implemented', item);
      break;
    case Keyword.SchemaDialect:
      readDialect(item);
      break;
    case Keyword.Id:
      // A base URI below the root would change what the references below it mean.
      if (owner != root)
        refuse('schema_keyword_unsupported', 'is implemented at the root only', item);
      break;
    case Keyword.Definitions:
      keyedSchemas(item);
      break;
    case Keyword.Ref:
      if (kindOf(item) != Kind.String) refuseValue('must be a string', item);
      schema.refNode = item;
      addReference(made);
      break;
    case Keyword.Type:
      schema.types = readTypes(item);
      break;
    case Keyword.Enum:
      schema.enumeration = readValues(item);
      break;
    case Keyword.Const:
      schema.constant = keepValue(item);
      schema.constantSteps = keptSteps();
      break;
    case Keyword.AllOf:
      schema.allOf = listedSchemas(item);
      break;
    case Keyword.AnyOf:
      schema.anyOf = listedSchemas(item);
      break;
    case Keyword.OneOf:
      schema.oneOf = listedSchemas(item);
      break;
    case Keyword.Not:
      schema.not = subSchema(item, item);
      break;
    case Keyword.If:
      schema.if = subSchema(item, item);
      break;
    case Keyword.Then:
      schema.then = subSchema(item, item);
      break;
    case Keyword.Else:
      schema.else = subSchema(item, item);
      break;
    default:
      if (keyword >= Keyword.MinItems) readContainerKeyword(schema, keyword, item);
      else readScalarKeyword(schema, keyword, item);
      break;
  }
}

function readDialect(item: u32): void {
  if (kindOf(item) != Kind.String) refuseValue('must be a string', item);
  else if (!isKnownDialect(stringPointer(item), stringLength(item))) {
    refuse('schema_keyword_unsupported', 'names a dialect that is not implemented', item);
  }
}

function readScalarKeyword(schema: Schema, keyword: Keyword, item: u32): void {
  switch (keyword) {
    case Keyword.Minimum:
      schema.minimum = readNumber(item);
      break;
    case Keyword.Maximum:
      schema.maximum = readNumber(item);
      break;
    case Keyword.ExclusiveMinimum:
      // OpenAPI 3.0 has a boolean here; `checkExclusive` deals with it when the bound is known.
      if (kindOf(item) == Kind.Number) schema.exclusiveMinimum = readNumber(item);
      else readBoolean(item);
      break;
    case Keyword.ExclusiveMaximum:
      if (kindOf(item) == Kind.Number) schema.exclusiveMaximum = readNumber(item);
      else readBoolean(item);
      break;
    case Keyword.MultipleOf:
      schema.multipleOf = readStep(item);
      break;
    case Keyword.MinLength:
      schema.minLength = readCount(item);
      break;
    case Keyword.MaxLength:
      schema.maxLength = readCount(item);
      break;
    case Keyword.Pattern:
      if (kindOf(item) != Kind.String) refuseValue('must be a string', item);
      else schema.pattern = readPattern(stringPointer(item), stringLength(item), item);
      break;
    default:
      break;
  }
}

function readContainerKeyword(schema: Schema, keyword: Keyword, item: u32): void {
  switch (keyword) {
    case Keyword.MinItems:
      schema.minItems = readCount(item);
      break;
    case Keyword.MaxItems:
      schema.maxItems = readCount(item);
      break;
    case Keyword.UniqueItems:
      schema.uniqueItems = readBoolean(item) ? 1 : 0;
      break;
    case Keyword.PrefixItems:
      schema.prefixItems = listedSchemas(item);
      break;
    case Keyword.Items:
      schema.items = subSchema(item, item);
      break;
    case Keyword.Contains:
      schema.contains = subSchema(item, item);
      break;
    case Keyword.MinContains:
      schema.minContains = readCount(item);
      break;
    case Keyword.MaxContains:
      schema.maxContains = readCount(item);
      break;
    case Keyword.MinProperties:
      schema.minProperties = readCount(item);
      break;
    case Keyword.MaxProperties:
      schema.maxProperties = readCount(item);
      break;
    case Keyword.Required:
      schema.required = readNames(item, item);
      break;
    case Keyword.Properties:
      schema.properties = keyedSchemas(item);
      break;
    case Keyword.PatternProperties:
      schema.patternProperties = patternSchemas(item);
      break;
    case Keyword.AdditionalProperties:
      schema.additionalProperties = subSchema(item, item);
      break;
    case Keyword.PropertyNames:
      schema.propertyNames = subSchema(item, item);
      break;
    case Keyword.DependentRequired:
      schema.dependentRequired = keyedNames(item);
      break;
    case Keyword.DependentSchemas:
      schema.dependentSchemas = keyedSchemas(item);
      break;
    default:
      break;
  }
}

/** `exclusiveMinimum: true` (OpenAPI 3.0, draft 4) makes the `minimum` beside it exclusive. */
function checkExclusive(schema: Schema, node: u32): void {
  for (let item = firstChild(node); item != 0; item = nextSibling(item)) {
    if (kindOf(item) != Kind.True) continue;
    const keyword = keywordOf(keyPointer(item), keyLength(item));
    if (keyword == Keyword.ExclusiveMinimum) {
      schema.exclusiveMinimum = boundBeside(schema.minimum, item);
    } else if (keyword == Keyword.ExclusiveMaximum) {
      schema.exclusiveMaximum = boundBeside(schema.maximum, item);
    }
  }
}

/** The bound that a boolean `item` makes exclusive. */
function boundBeside(bound: u32, item: u32): u32 {
  enterKey(keyPointer(item), keyLength(item));
  if (bound == 0) refuseValue('needs the bound beside it', item);
  leave();
  return bound;
}
