// Reads an untrusted OpenAPI document: own members only, local references only, chains and depths bounded.

import { PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';

const REFERENCE_HOPS_MAX = 32;
const POINTER_LENGTH_MAX = 1024;

/** A document whose version was checked. */
export interface OpenApiDocument {
  root: JsonObject;
  version: '3.0' | '3.1';
}

const dialects = [
  'https://spec.openapis.org/oas/3.1/dialect/base',
  'https://json-schema.org/draft/2020-12/schema',
];

/** Checks that the value is an OpenAPI 3.0 or 3.1 document; throws `openapi_invalid`. */
export function openDocument(value: JsonValue): OpenApiDocument {
  if (!isJsonObject(value)) throw invalid('the document is no object');
  const stated = member(value, 'openapi');
  const version = /^3\.([01])(\.|$)/.exec(typeof stated === 'string' ? stated : '')?.[1];
  if (version === undefined) throw invalid('the document is not OpenAPI 3.0 or 3.1', '/openapi');
  const dialect = member(value, 'jsonSchemaDialect');
  if (version === '1' && dialect !== undefined && !dialects.includes(String(dialect))) {
    throw invalid('the document uses another JSON Schema dialect', '/jsonSchemaDialect');
  }
  return { root: value, version: version === '0' ? '3.0' : '3.1' };
}

/** An own member of an object; never what the object inherits. */
export function member(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** An own member that is an object, or undefined. */
export function objectMember(object: JsonObject, key: string): JsonObject | undefined {
  const value = member(object, key);
  return isJsonObject(value) ? value : undefined;
}

/** An own member that is a string, or undefined. */
export function stringMember(object: JsonObject, key: string): string | undefined {
  const value = member(object, key);
  return typeof value === 'string' ? value : undefined;
}

/** An own member that is an array, or an empty one. */
export function listMember(object: JsonObject, key: string): JsonValue[] {
  const value = member(object, key);
  return Array.isArray(value) ? value : [];
}

/**
 * The value that a local reference such as `#/components/schemas/Pet` names (RFC 6901 section 6).
 * Throws `openapi_ref_remote` for one to another document, `schema_ref_unresolved` for one to nothing.
 */
export function resolvePointer(document: OpenApiDocument, reference: string): JsonValue {
  if (!reference.startsWith('#')) {
    throw new PlatformError(
      'openapi_ref_remote',
      'only references within the document are followed',
      {
        data: { pointer: reference.slice(0, 256) },
      },
    );
  }
  let value: JsonValue = document.root;
  for (const token of pointerTokens(reference)) {
    const next: JsonValue | undefined = Array.isArray(value)
      ? /^(0|[1-9][0-9]{0,8})$/.test(token)
        ? value[Number(token)]
        : undefined
      : isJsonObject(value)
        ? member(value, token)
        : undefined;
    if (next === undefined) throw unresolved(reference);
    value = next;
  }
  return value;
}

function pointerTokens(reference: string): string[] {
  if (reference.length > POINTER_LENGTH_MAX) throw unresolved(reference);
  let pointer: string;
  try {
    pointer = decodeURIComponent(reference.slice(1));
  } catch {
    throw unresolved(reference);
  }
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw unresolved(reference);
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The object itself, or the one at the end of its chain of references; throws as `resolvePointer` does. */
export function dereference(document: OpenApiDocument, value: JsonValue | undefined): JsonObject {
  let current = value;
  for (let hops = 0; hops < REFERENCE_HOPS_MAX; hops++) {
    if (!isJsonObject(current)) throw invalid('an object was expected');
    const reference = stringMember(current, '$ref');
    if (reference === undefined) return current;
    current = resolvePointer(document, reference);
  }
  throw invalid('references go round in a circle');
}

/** An error of the document or of one of its operations. */
export function invalid(message: string, pointer?: string): PlatformError {
  return new PlatformError('openapi_invalid', message, pointer ? { data: { pointer } } : {});
}

/** An error for what OpenAPI allows and this import does not offer. */
export function unsupported(message: string): PlatformError {
  return new PlatformError('openapi_unsupported', message);
}

function unresolved(reference: string): PlatformError {
  return new PlatformError('schema_ref_unresolved', 'a reference leads to nothing', {
    data: { keyword: '$ref', pointer: reference.slice(0, 256) },
  });
}
