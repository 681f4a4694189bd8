// Makes one tool of one operation: its arguments' schema, its binding, and what people read of it.

import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import type { HttpBinding } from '../tools.ts';
import type { RequestBody } from './body.ts';
import { mergeableMembers, readBody } from './body.ts';
import type { OpenApiDocument } from './document.ts';
import { dereference, listMember, stringMember, unsupported } from './document.ts';
import type { Parameter } from './parameters.ts';
import { readParameters } from './parameters.ts';
import type { SchemaConverter } from './schema.ts';
import type { ImportedTool } from './types.ts';

const DESCRIPTION_LENGTH_MAX = 1024;
const TAGS_MAX = 16;
const TAG_LENGTH_MAX = 64;

/** Where the operation stands in the document. */
export interface OperationPlace {
  /** Upper case. */
  method: string;
  path: string;
  pathItem: JsonObject;
  operation: JsonObject;
}

/** Arguments under construction. */
interface Arguments {
  properties: Map<string, JsonValue>;
  required: string[];
}

/** The tool of one operation; throws a PlatformError that says why there can be none. */
export function operationTool(
  document: OpenApiDocument,
  converter: SchemaConverter,
  { method, path, pathItem, operation }: OperationPlace,
  { name, service, baseUrl }: { name: string; service: string; baseUrl: string },
): ImportedTool {
  if (method === 'TRACE') throw unsupported('TRACE requests are not sent');
  const parameters = readParameters(document, pathItem, operation, path);
  const body = readBody(document, operation);
  const references = new Set<string>();
  const convert = (schema: JsonValue) => converter.convert(schema, references);
  const taken: Arguments = { properties: new Map(), required: [] };
  addParameters(taken, parameters, convert);
  const binding: HttpBinding = {
    method,
    baseUrl,
    path,
    parameters: parameters.map((parameter) => parameter.binding),
  };
  if (body !== undefined) binding.body = addBody(taken, document, body, convert);
  const definitions = converter.definitions(references);
  const schema: JsonObject = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(taken.properties),
  };
  if (taken.required.length > 0) schema.required = taken.required;
  if (Object.keys(definitions).length > 0) schema.$defs = definitions;
  return {
    name,
    description: describe(operation),
    service,
    action: method === 'GET' || method === 'HEAD' ? 'read' : 'write',
    tags: readTags(operation),
    schema,
    binding,
  };
}

function addParameters(
  taken: Arguments,
  parameters: Parameter[],
  convert: (schema: JsonValue) => JsonValue,
): void {
  for (const { binding, required, description, schema } of parameters) {
    taken.properties.set(binding.name, describedAs(convert(schema), description));
    if (required) taken.required.push(binding.name);
  }
}

/** Adds the body's members or the body itself to the arguments; returns its binding. */
function addBody(
  taken: Arguments,
  document: OpenApiDocument,
  body: RequestBody,
  convert: (schema: JsonValue) => JsonValue,
): NonNullable<HttpBinding['body']> {
  const { contentType, required, description } = body;
  // A reference at the top is followed, so that its members can stand beside the parameters.
  const isReference = isJsonObject(body.schema) && Object.keys(body.schema).join() === '$ref';
  const converted = convert(isReference ? dereference(document, body.schema) : body.schema);
  const members = mergeableMembers(converted, required, new Set(taken.properties.keys()));
  if (members !== undefined) {
    for (const [name, schema] of Object.entries(members.properties)) {
      taken.properties.set(name, schema);
    }
    taken.required.push(...members.required);
    return { contentType };
  }
  let name = 'body';
  while (taken.properties.has(name)) name = `request_${name}`;
  const whole = isReference ? convert(body.schema) : converted;
  taken.properties.set(name, describedAs(whole, description));
  if (required) taken.required.push(name);
  return { name, contentType };
}

function describedAs(schema: JsonValue, description: string | undefined): JsonValue {
  if (description === undefined || !isJsonObject(schema)) return schema;
  if (schema.description !== undefined || schema.$ref !== undefined) return schema;
  return { ...schema, description };
}

/** Summary and description, whole words of them, for a model to choose the tool by. */
function describe(operation: JsonObject): string {
  const parts = [stringMember(operation, 'summary'), stringMember(operation, 'description')];
  const text = parts
    .map((part) => part?.trim())
    .filter((part) => part)
    .join('\n\n')
    .toWellFormed();
  if (text.length <= DESCRIPTION_LENGTH_MAX) return text;
  const cut = text.slice(0, DESCRIPTION_LENGTH_MAX - 1).replace(/\s+\S*$/, '');
  return `${cut}…`.toWellFormed();
}

function readTags(operation: JsonObject): string[] {
  const tags = listMember(operation, 'tags').filter((tag) => typeof tag === 'string');
  return tags.slice(0, TAGS_MAX).map((tag) => tag.trim().slice(0, TAG_LENGTH_MAX).toWellFormed());
}
