// Reads the JSON request body of an operation: its members become arguments, or it becomes one argument.

import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import type { OpenApiDocument } from './document.ts';
import { dereference, member, objectMember, stringMember, unsupported } from './document.ts';

/** The JSON body that an operation takes. */
export interface RequestBody {
  contentType: string;
  required: boolean;
  schema: JsonValue;
  description: string | undefined;
}

/** The body of an operation, undefined when it takes none; throws `openapi_unsupported` for one that is not JSON. */
export function readBody(
  document: OpenApiDocument,
  operation: JsonObject,
): RequestBody | undefined {
  const stated = member(operation, 'requestBody');
  if (stated === undefined) return undefined;
  const body = dereference(document, stated);
  const content = objectMember(body, 'content') ?? {};
  const type = Object.keys(content).find((key) => isJsonType(key));
  if (type === undefined) throw unsupported('the request body has no JSON form');
  const entry = content[type];
  return {
    contentType: type,
    required: member(body, 'required') === true,
    schema: (isJsonObject(entry) ? member(entry, 'schema') : undefined) ?? true,
    description: stringMember(body, 'description'),
  };
}

/** `application/json` or a type with the suffix `+json`, parameters allowed, safe as a header's value. */
function isJsonType(type: string): boolean {
  return (
    type.length <= 128 && /^application\/([a-z0-9.+-]+\+)?json(;\s*[a-z0-9=_-]+)*$/i.test(type)
  );
}

/** Keywords of an object schema that is nothing but its members. */
const plainKeywords = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'title', 'description'],
  ...['default', 'deprecated', 'readOnly', 'writeOnly', '$comment'],
]);

/**
 * The members of a converted body schema that may stand beside the parameters, undefined when the body
 * must be one argument: because it is no plain object, allows other members, has a name in common with
 * a parameter, or may be left out although it has required members.
 */
export function mergeableMembers(
  schema: JsonValue,
  required: boolean,
  taken: ReadonlySet<string>,
): { properties: JsonObject; required: string[] } | undefined {
  if (!isJsonObject(schema) || schema.type !== 'object') return undefined;
  if (Object.keys(schema).some((keyword) => !plainKeywords.has(keyword))) return undefined;
  const open = schema.additionalProperties;
  if (open !== undefined && open !== false) return undefined;
  const properties = schema.properties;
  if (!isJsonObject(properties) || Object.keys(properties).some((name) => taken.has(name))) {
    return undefined;
  }
  const listed = Array.isArray(schema.required) ? schema.required : [];
  const names = listed.filter((name) => typeof name === 'string');
  if (names.some((name) => !Object.hasOwn(properties, name))) return undefined;
  if (!required && names.length > 0) return undefined;
  return { properties, required: names };
}
