// What the tests of the import share: one small document around the operation under test.

import * as assert from 'uvu/assert';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { importOpenApi } from './import.ts';

/** Options that fit every document of the tests. */
export const options = { prefix: 'pets', service: 'pets', baseUrl: 'https://pets.example/v1' };
/** An operation that takes nothing. */
export const ok: JsonObject = { responses: { 200: { description: 'ok' } } };

/** An OpenAPI document with these paths. */
export function document(paths: JsonValue, more: JsonObject = {}, openapi = '3.1.0'): JsonObject {
  return { openapi, info: { title: 'Pets', version: '1' }, paths, ...more };
}

/** Imports a document with these paths. */
export function importPaths(paths: JsonValue, more: JsonObject = {}, openapi = '3.1.0') {
  return importOpenApi(document(paths, more, openapi), options);
}

/** Imports one operation; its tool, or the reason there is none. */
export function importOne(
  operation: JsonObject,
  path = '/pets',
  method = 'post',
  openapi = '3.1.0',
) {
  const { tools, rejected } = importPaths({ [path]: { [method]: operation } }, {}, openapi);
  assert.is(tools.length + rejected.length, 1);
  return { tool: tools[0], reason: rejected[0] };
}

/** What a schema becomes as a request body. */
export function schemaOf(schema: JsonValue, openapi: string): JsonValue | undefined {
  const requestBody = { content: { 'application/json': { schema } } };
  const { tool } = importOne({ ...ok, requestBody }, '/pets', 'post', openapi);
  return (tool!.schema.properties as JsonObject).body;
}
