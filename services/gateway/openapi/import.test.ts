// Tests of what becomes of parameters and bodies of an operation.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { importOne, importPaths, ok } from './made-document.ts';

test('path, query, header and body arguments stand side by side', () => {
  const { tool } = importOne(
    {
      operationId: 'updatePet',
      summary: 'Update a pet',
      description: '  All of it.  ',
      tags: ['pets', 7, ' store '],
      parameters: [
        { name: 'dry', in: 'query', schema: { type: 'boolean' } },
        {
          name: 'id',
          in: 'path',
          required: true,
          description: 'Its id',
          schema: { type: 'integer' },
        },
        { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
        { name: 'Authorization', in: 'header', required: true, schema: { type: 'string' } },
        { name: 'session', in: 'cookie', schema: { type: 'string' } },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['name'],
              properties: { name: { type: 'string' }, age: { type: 'integer' } },
            },
          },
        },
      },
    },
    '/pets/{id}',
    'patch',
  );
  assert.equal(tool, {
    name: 'pets_update_pet',
    description: 'Update a pet\n\nAll of it.',
    service: 'pets',
    action: 'write',
    tags: ['pets', 'store'],
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        id: { type: 'integer', description: 'Its id' },
        dry: { type: 'boolean' },
        'X-Trace': { type: 'string' },
        name: { type: 'string' },
        age: { type: 'integer' },
      },
      required: ['id', 'name'],
    },
    binding: {
      method: 'PATCH',
      baseUrl: 'https://pets.example/v1',
      path: '/pets/{id}',
      parameters: [
        { name: 'id', wire: 'id', in: 'path', style: 'simple', explode: false },
        { name: 'dry', wire: 'dry', in: 'query', style: 'form', explode: true },
        { name: 'X-Trace', wire: 'X-Trace', in: 'header', style: 'simple', explode: false },
      ],
      body: { contentType: 'application/json' },
    },
  });
});

test('GET and HEAD read, everything else writes', () => {
  const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'];
  const { tools } = importPaths({ '/a': Object.fromEntries(methods.map((name) => [name, ok])) });
  assert.equal(
    tools.map((tool) => [tool.binding.method.toLowerCase(), tool.action]).toSorted(),
    methods.map((name) => [name, name === 'get' || name === 'head' ? 'read' : 'write']).toSorted(),
  );
});

test('parameters of the path item count, the operation overrides them', () => {
  const parameters = (type: string) => [{ name: 'q', in: 'query', schema: { type } }];
  const { tools } = importPaths({
    '/a': { parameters: parameters('string'), get: { parameters: parameters('integer') }, put: ok },
  });
  assert.equal(
    tools.map((tool) => (tool.schema.properties as JsonObject).q),
    [{ type: 'integer' }, { type: 'string' }],
  );
});

test('one name in two places becomes two arguments', () => {
  const place = (name: string) => ({ name: 'id', in: name, required: true, schema: true });
  const { tool } = importOne({ parameters: ['header', 'query', 'path'].map(place) }, '/a/{id}');
  assert.equal(tool!.schema.required, ['id', 'query_id', 'header_id']);
});

test('a body that cannot be merged is one argument', () => {
  const json = (schema: JsonValue) => ({ content: { 'application/json': { schema } } });
  const plain = { type: 'object', properties: { a: { type: 'string' } } };
  const cases: [string, JsonObject, JsonObject[]][] = [
    ['an array', json({ type: 'array', items: {} }), []],
    ['open members', json({ ...plain, additionalProperties: true }), []],
    ['a choice', json({ ...plain, oneOf: [{ required: ['a'] }] }), []],
    ['left out with required members', json({ ...plain, required: ['a'] }), []],
    ['a common name', json(plain), [{ name: 'a', in: 'query', schema: true }]],
    ['no properties', json({ type: 'object' }), []],
  ];
  for (const [what, requestBody, parameters] of cases) {
    const { tool } = importOne({ parameters, requestBody });
    assert.is(tool!.binding.body!.name, 'body', what);
    assert.is(tool!.schema.required, undefined, what);
  }
  const taken = importOne({
    parameters: [{ name: 'body', in: 'query', schema: true }],
    requestBody: { required: true, ...json({ type: 'string' }) },
  });
  assert.is(taken.tool!.binding.body!.name, 'request_body');
  assert.equal(taken.tool!.schema.required, ['request_body']);
});

test('a body without a JSON form is rejected, types with the suffix +json are taken', () => {
  const body = (type: string) => ({ requestBody: { content: { [type]: { schema: {} } } } });
  assert.is(importOne(body('text/plain')).reason!.code, 'openapi_unsupported');
  assert.is(importOne(body('application/json\r\nx: y')).reason!.code, 'openapi_unsupported');
  assert.is(
    importOne(body('application/merge-patch+json')).tool!.binding.body!.contentType,
    'application/merge-patch+json',
  );
});

test.run();
