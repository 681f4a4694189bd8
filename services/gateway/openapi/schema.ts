// Turns schemas of OpenAPI 3.0 and 3.1 into JSON Schema 2020-12 with every reference in `$defs`.

import { createHash } from 'node:crypto';
import { PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import type { OpenApiDocument } from './document.ts';
import { invalid, member, resolvePointer } from './document.ts';

const DEPTH_MAX = 64;
const DEFINITIONS_MAX = 1024;

const schemaKeywords = new Set([
  ...['additionalProperties', 'items', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
]);
const schemaListKeywords = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const schemaMapKeywords = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
]);
/** Keywords that only describe, and that no validator of arguments needs. */
const droppedKeywords = new Set(['example', 'examples', 'xml', 'externalDocs', 'discriminator']);
/** Keywords that move what a reference means; rewriting references under them would be wrong. */
const movingKeywords = new Set([
  '$id',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
]);

/** A converted schema and the references it holds, each a pointer of the document. */
interface Converted {
  schema: JsonValue;
  references: Set<string>;
}

/** Converts the schemas of one document; what is shared between operations is converted once. */
export class SchemaConverter {
  readonly #document: OpenApiDocument;
  readonly #definitions = new Map<string, Converted>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /**
   * Converts one schema; the pointers that it refers to are added to `references`. Throws
   * `openapi_invalid` for what is no schema or too deep and `schema_keyword_unsupported` for `$id` and
   * its kin.
   */
  convert(schema: JsonValue, references: Set<string>, depth = 0): JsonValue {
    if (typeof schema === 'boolean') return schema;
    if (!isJsonObject(schema)) throw invalid('a schema is no object');
    if (depth > DEPTH_MAX) throw invalid(`a schema is nested deeper than ${DEPTH_MAX}`);
    const reference = member(schema, '$ref');
    if (typeof reference === 'string' && this.#document.version === '3.0') {
      // OpenAPI 3.0 ignores what stands beside a reference.
      return { $ref: this.#refer(reference, references) };
    }
    const entries: [string, JsonValue][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === '__proto__') throw reservedName();
      if (movingKeywords.has(keyword)) throw unsupportedKeyword(keyword);
      if (droppedKeywords.has(keyword) || keyword.startsWith('x-')) continue;
      entries.push([keyword, this.#convertKeyword(keyword, value, references, depth)]);
    }
    const converted: JsonObject = Object.fromEntries(entries);
    if (this.#document.version === '3.0') translate30(converted);
    dropReadOnly(converted);
    return converted;
  }

  #convertKeyword(
    keyword: string,
    value: JsonValue,
    references: Set<string>,
    depth: number,
  ): JsonValue {
    if (keyword === '$ref') return this.#refer(String(value), references);
    if (schemaKeywords.has(keyword)) return this.convert(value, references, depth + 1);
    if (schemaListKeywords.has(keyword) && Array.isArray(value)) {
      return value.map((entry) => this.convert(entry, references, depth + 1));
    }
    if (schemaMapKeywords.has(keyword) && isJsonObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, entry]) => {
          if (key === '__proto__') throw reservedName();
          return [key, this.convert(entry, references, depth + 1)];
        }),
      );
    }
    return value;
  }

  #refer(reference: string, references: Set<string>): string {
    references.add(reference);
    return `#/$defs/${definitionName(reference)}`;
  }

  /**
   * The `$defs` for these references and for all that they reach, sorted by name. Throws
   * `schema_too_large` when they are over a thousand.
   */
  definitions(references: Set<string>): JsonObject {
    const reached = new Map<string, JsonValue>();
    const waiting = [...references];
    const seen = new Set(references);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { schema, references: inner } = this.#definition(next);
      reached.set(definitionName(next), schema);
      if (reached.size > DEFINITIONS_MAX) {
        throw new PlatformError('schema_too_large', 'the schema reaches too many definitions');
      }
      for (const reference of inner) {
        if (!seen.has(reference)) waiting.push(reference);
        seen.add(reference);
      }
    }
    return Object.fromEntries([...reached].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #definition(reference: string): Converted {
    const known = this.#definitions.get(reference);
    if (known !== undefined) return known;
    const references = new Set<string>();
    const schema = this.convert(resolvePointer(this.#document, reference), references);
    const converted = { schema, references };
    this.#definitions.set(reference, converted);
    return converted;
  }
}

/** The name in `$defs`: a component's own, or one made of the pointer's digest. */
function definitionName(reference: string): string {
  const own = /^#\/components\/schemas\/([A-Za-z0-9._-]{1,96})$/.exec(reference)?.[1];
  return own ?? `ref.${createHash('sha256').update(reference).digest('hex').slice(0, 16)}`;
}

/**
 * OpenAPI 3.0 to 2020-12, in place: `nullable` adds null to `type` if the same schema has one and means
 * nothing otherwise (3.0.3 section 4.7.24.1); boolean exclusive bounds become numbers.
 */
function translate30(schema: JsonObject): void {
  if (schema.nullable === true && typeof schema.type === 'string' && schema.type !== 'null') {
    schema.type = [schema.type, 'null'];
  }
  delete schema.nullable;
  exclusive(schema, 'exclusiveMinimum', 'minimum');
  exclusive(schema, 'exclusiveMaximum', 'maximum');
}

function exclusive(schema: JsonObject, keyword: string, bound: string): void {
  const value = schema[keyword];
  if (typeof value !== 'boolean') return;
  delete schema[keyword];
  const limit = schema[bound];
  if (!value || limit === undefined) return;
  schema[keyword] = limit;
  delete schema[bound];
}

/** A read-only property belongs to responses; it is neither taken nor required in a request. */
function dropReadOnly(schema: JsonObject): void {
  const properties = schema.properties;
  if (!isJsonObject(properties)) return;
  const dropped = new Set<JsonValue>();
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property) || property.readOnly !== true) continue;
    dropped.add(name);
    delete properties[name];
  }
  if (dropped.size === 0 || !Array.isArray(schema.required)) return;
  const required = schema.required.filter((name) => !dropped.has(name));
  if (required.length > 0) schema.required = required;
  else delete schema.required;
}

/** The error for a name that JavaScript objects treat as their prototype. */
export function reservedName(): PlatformError {
  return invalid('a name is __proto__');
}

function unsupportedKeyword(keyword: string): PlatformError {
  return new PlatformError(
    'schema_keyword_unsupported',
    `the keyword ${keyword} is not supported`,
    {
      data: { keyword },
    },
  );
}
