// Tests of what the import refuses: remote references, hostile documents, what no request can be made of.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { importOpenApi } from './import.ts';
import { document, importOne, importPaths, ok, options } from './made-document.ts';

test('remote, missing and circular references are rejected', () => {
  const use = (reference: string) => ({
    parameters: [{ name: 'q', in: 'query', schema: { $ref: reference } }],
  });
  assert.is(importOne(use('https://evil.example/s.json')).reason!.code, 'openapi_ref_remote');
  assert.is(importOne(use('other.json#/a')).reason!.code, 'openapi_ref_remote');
  assert.is(importOne(use('#/components/schemas/None')).reason!.code, 'schema_ref_unresolved');
  assert.is(importOne(use('#/__proto__')).reason!.code, 'schema_ref_unresolved');
  assert.is(importOne(use('#/constructor/prototype')).reason!.code, 'schema_ref_unresolved');
  assert.is(importOne(use('#%ff')).reason!.code, 'schema_ref_unresolved');
  const circle = {
    parameters: {
      A: { $ref: '#/components/parameters/B' },
      B: { $ref: '#/components/parameters/A' },
    },
  };
  const paths = { '/a': { get: { parameters: [{ $ref: '#/components/parameters/A' }] } } };
  assert.is(importPaths(paths, { components: circle }).rejected[0]!.code, 'openapi_invalid');
});

test('what a request could not be made of is rejected, not left out', () => {
  const parameter = (more: JsonObject) => ({ parameters: [{ name: 'a', schema: true, ...more }] });
  assert.is(
    importOne(parameter({ in: 'cookie', required: true })).reason!.code,
    'openapi_unsupported',
  );
  assert.is(
    importOne(parameter({ in: 'header', name: 'Host', required: true })).reason!.code,
    'openapi_unsupported',
  );
  assert.is(
    importOne(parameter({ in: 'header', name: 'x-platform-spiffe-id', required: true })).reason!
      .code,
    'openapi_unsupported',
  );
  assert.is(importOne(parameter({ in: 'header', name: 'a b' })).reason!.code, 'openapi_invalid');
  assert.is(importOne(parameter({ in: 'nowhere' })).reason!.code, 'openapi_invalid');
  assert.is(
    importOne(parameter({ in: 'path', style: 'matrix' }), '/{a}').reason!.code,
    'openapi_unsupported',
  );
  assert.is(
    importOne({ parameters: [{ name: 'a', in: 'query' }] }).reason!.code,
    'openapi_invalid',
  );
  assert.is(importOne(ok, '/pets/{id}').reason!.code, 'openapi_invalid');
  assert.is(importOne(ok, '/pets', 'trace').reason!.code, 'openapi_unsupported');
  assert.is(
    importOne({ servers: [{ url: 'https://other.example' }] }).reason!.code,
    'openapi_unsupported',
  );
  for (const path of [
    '/../admin',
    '/a/%2e%2E/b',
    '/a?b=c',
    '/a#b',
    '/a b',
    'a',
    '/{a',
    '/a\r\nb',
    '/\\a',
    '/é',
  ]) {
    assert.is(importOne(ok, path).reason!.code, 'openapi_invalid', path);
  }
});

test('the callback refuses schemas, with keyword and pointer', () => {
  const checkSchema = (schema: Uint8Array) => {
    assert.is(JSON.parse(new TextDecoder().decode(schema)).type, 'object');
    throw new PlatformError('schema_keyword_unsupported', 'no', {
      data: { keyword: 'unevaluatedItems', pointer: '/properties/a' },
    });
  };
  const result = importOpenApi(document({ '/a': { get: ok } }), { ...options, checkSchema });
  assert.equal(result, {
    tools: [],
    rejected: [
      {
        operation: 'GET /a',
        code: 'schema_keyword_unsupported',
        message: 'no',
        pointer: '/properties/a',
        keyword: 'unevaluatedItems',
      },
    ],
  });
});

test('schemas too deep or too large are rejected', () => {
  let deep: JsonValue = {};
  for (let depth = 0; depth < 5000; depth++) deep = { items: deep };
  const query = (schema: JsonValue) => ({ parameters: [{ name: 'q', in: 'query', schema }] });
  assert.is(importOne(query(deep)).reason!.code, 'openapi_invalid');
  assert.is(importOne(query({ enum: ['x'.repeat(65536)] })).reason!.code, 'schema_too_large');
  const schemas: JsonObject = {};
  for (let index = 0; index < 2000; index++) {
    schemas[`S${index}`] = { items: { $ref: `#/components/schemas/S${index + 1}` } };
  }
  schemas.S2000 = {};
  const paths = { '/a': { get: query({ $ref: '#/components/schemas/S0' }) } };
  const { rejected } = importPaths(paths, { components: { schemas } });
  assert.is(rejected[0]!.code, 'schema_too_large');
});

test('a document as a whole is refused with a code', () => {
  const refuse = (value: JsonValue, code: string, changed = {}) => {
    try {
      importOpenApi(value, { ...options, ...changed });
    } catch (error) {
      assert.instance(error, PlatformError);
      assert.is((error as PlatformError).code, code);
      return;
    }
    assert.unreachable(`not refused with ${code}`);
  };
  refuse(null, 'openapi_invalid');
  refuse([], 'openapi_invalid');
  refuse({ swagger: '2.0', paths: {} }, 'openapi_invalid');
  refuse(document({}, {}, '3.2.0'), 'openapi_invalid');
  refuse({ openapi: '3.1.0' }, 'openapi_invalid');
  refuse(
    document({}, { jsonSchemaDialect: 'http://json-schema.org/draft-07/schema' }),
    'openapi_invalid',
  );
  for (const baseUrl of [
    'ftp://a',
    'file:///etc',
    'https://a:b@c',
    'https://a/?b',
    'https://a/#b',
    '/a',
    '',
  ]) {
    refuse(document({}), 'configuration_invalid', { baseUrl });
  }
  refuse(document({}), 'configuration_invalid', { prefix: 'x'.repeat(33) });
  refuse(document({}), 'configuration_invalid', { prefix: '--' });
  const many = Object.fromEntries(
    Array.from({ length: 10_001 }, (_, index) => [`/${index}`, { get: ok }]),
  );
  refuse(document(many), 'openapi_invalid');
});

test('any JSON as a document is refused or imported, never anything else', () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<JsonValue>,
      fc.dictionary(
        fc.constantFrom(
          ...['get', 'post', 'parameters', 'requestBody', 'content', 'application/json', 'schema'],
          ...[
            '$ref',
            'name',
            'in',
            'properties',
            'type',
            'servers',
            'tags',
            'operationId',
            'items',
          ],
        ),
        tie('value') as fc.Arbitrary<JsonValue>,
      ),
      fc.array(tie('value') as fc.Arbitrary<JsonValue>, { maxLength: 3 }),
      fc.constantFrom('#/paths', '#/paths/~1a/get', '#', 'path', 'query', 'object', 'a'),
    ),
  })).value as fc.Arbitrary<JsonValue>;
  fc.assert(
    fc.property(value, value, (a, b) => {
      const paths = { '/a': a, '/b/{id}': b };
      const expected = [a, b].flatMap((item) =>
        typeof item === 'object' && item !== null && !Array.isArray(item) && !('$ref' in item)
          ? ['get', 'post'].filter((method) => method in item)
          : [],
      );
      try {
        const { tools, rejected } = importPaths(paths);
        assert.ok(tools.length + rejected.length >= expected.length);
      } catch (error) {
        assert.instance(error, PlatformError);
      }
    }),
    { numRuns: 2000 },
  );
});

test.run();
