// Tests of the OpenAPI import: what becomes of parameters, bodies, references and hostile documents.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { importOpenApi } from './import.ts';
import { snakeCase } from './names.ts';

const options = { prefix: 'pets', service: 'pets', baseUrl: 'https://pets.example/v1' };
const ok: JsonObject = { responses: { 200: { description: 'ok' } } };

function document(paths: JsonValue, more: JsonObject = {}, openapi = '3.1.0'): JsonObject {
  return { openapi, info: { title: 'Pets', version: '1' }, paths, ...more };
}

function importPaths(paths: JsonValue, more: JsonObject = {}, openapi = '3.1.0') {
  return importOpenApi(document(paths, more, openapi), options);
}

/** Imports one operation; its tool, or the reason there is none. */
function importOne(operation: JsonObject, path = '/pets', method = 'post', openapi = '3.1.0') {
  const { tools, rejected } = importPaths({ [path]: { [method]: operation } }, {}, openapi);
  assert.is(tools.length + rejected.length, 1);
  return { tool: tools[0], reason: rejected[0] };
}

function schemaOf(schema: JsonValue, openapi: string): JsonValue | undefined {
  const requestBody = { content: { 'application/json': { schema } } };
  const { tool } = importOne({ ...ok, requestBody }, '/pets', 'post', openapi);
  return (tool!.schema.properties as JsonObject).body;
}

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

test('OpenAPI 3.0 schemas become 2020-12', () => {
  const cases: [JsonValue, JsonValue][] = [
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [{ type: 'string', nullable: false }, { type: 'string' }],
    [{ nullable: true, enum: ['a'] }, { enum: ['a'] }],
    [{ minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    [{ minimum: 1, exclusiveMinimum: false }, { minimum: 1 }],
    [{ maximum: 1, exclusiveMaximum: true }, { exclusiveMaximum: 1 }],
    [{ exclusiveMaximum: true }, {}],
    [{ type: 'string', example: 'x', xml: {}, 'x-a': 1 }, { type: 'string' }],
    [{ items: { nullable: true, type: 'object' } }, { items: { type: ['object', 'null'] } }],
  ];
  for (const [schema, expected] of cases) assert.equal(schemaOf(schema, '3.0.3'), expected);
  assert.equal(schemaOf({ type: ['string', 'null'], exclusiveMinimum: 1 }, '3.1.0'), {
    type: ['string', 'null'],
    exclusiveMinimum: 1,
  });
});

test('read-only properties are not taken', () => {
  const schema = {
    type: 'array',
    items: {
      required: ['id', 'name'],
      properties: { id: { type: 'string', readOnly: true }, name: { type: 'string' } },
    },
  };
  assert.equal((schemaOf(schema, '3.0.3') as JsonObject).items, {
    required: ['name'],
    properties: { name: { type: 'string' } },
  });
});

test('reachable references come along in $defs, recursive ones too, others stay out', () => {
  const components = {
    schemas: {
      Pet: {
        type: 'object',
        properties: { name: { type: 'string' }, mother: { $ref: '#/components/schemas/Pet' } },
      },
      Box: { type: 'array', items: { $ref: '#/components/schemas/Pet' } },
      Unused: { type: 'string' },
    },
  };
  const requestBody = {
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Box' } } },
  };
  const { tools } = importPaths({ '/a': { post: { requestBody } } }, { components });
  assert.equal(tools[0]!.schema, {
    type: 'object',
    additionalProperties: false,
    properties: { body: { $ref: '#/$defs/Box' } },
    $defs: {
      Box: { type: 'array', items: { $ref: '#/$defs/Pet' } },
      Pet: {
        type: 'object',
        properties: { name: { type: 'string' }, mother: { $ref: '#/$defs/Pet' } },
      },
    },
  });
});

test('references to anywhere in the document work, in parameters, bodies and paths too', () => {
  const more = {
    components: {
      parameters: {
        Q: { name: 'q', in: 'query', schema: { $ref: '#/components/x-parts/a~1b/0' } },
      },
      requestBodies: { B: { content: { 'application/json': { schema: { type: 'string' } } } } },
      pathItems: {
        P: {
          post: {
            parameters: [{ $ref: '#/components/parameters/Q' }],
            requestBody: { $ref: '#/components/requestBodies/B' },
          },
        },
      },
      'x-parts': { 'a/b': [{ type: 'integer' }] },
    },
  };
  const { tools } = importPaths({ '/a': { $ref: '#/components/pathItems/P' } }, more);
  const properties = tools[0]!.schema.properties as { q: { $ref: string }; body: JsonObject };
  assert.match(properties.q.$ref, /^#\/\$defs\/ref\.[0-9a-f]{16}$/);
  const name = properties.q.$ref.slice('#/$defs/'.length);
  assert.equal((tools[0]!.schema.$defs as JsonObject)[name], { type: 'integer' });
  assert.equal(properties.body, { type: 'string' });
});

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

test('keywords that move references, and names that objects inherit, are rejected', () => {
  const query = (schema: JsonValue) => ({ parameters: [{ name: 'q', in: 'query', schema }] });
  for (const keyword of ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor']) {
    const reason = importOne(query({ [keyword]: 'a' })).reason!;
    assert.equal([reason.code, reason.keyword], ['schema_keyword_unsupported', keyword]);
  }
  const polluted = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}');
  assert.is(importOne(query(polluted)).reason!.code, 'openapi_invalid');
  const named = { name: '__proto__', in: 'query', schema: true };
  assert.is(importOne({ parameters: [named] }).reason!.code, 'openapi_invalid');
  assert.is(
    importOne(JSON.parse('{"__proto__":{"requestBody":{}}}')).tool!.binding.body,
    undefined,
  );
  const harmless = importOne(query({ properties: { constructor: { type: 'string' } } }));
  // As text, because uvu compares objects by their constructor.
  assert.match(JSON.stringify(harmless.tool!.schema), '{"constructor":{"type":"string"}}');
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

test('names are snake case, with method and path where there is no id', () => {
  for (const [text, expected] of [
    ['listPets', 'list_pets'],
    ['repos/list-for-org', 'repos_list_for_org'],
    ['getHTTPResponseCode2', 'get_http_response_code2'],
    ['  Übung 7 ', 'bung_7'],
    ['__a__', 'a'],
    ['取得', ''],
  ]) {
    assert.is(snakeCase(text!), expected);
  }
  const { tools } = importPaths({
    '/pets/{id}': {
      get: { operationId: '取得', parameters: [{ name: 'id', in: 'path', schema: true }] },
    },
  });
  assert.is(tools[0]!.name, 'pets_get_pets_id');
});

/** Operations whose ids are likely to collide, empty, long or equal to another's name with its digest. */
const anyOperation = fc.record({
  path: fc.stringMatching(/^\/[a-c]{1,3}$/),
  method: fc.constantFrom('get', 'post', 'put'),
  operationId: fc.oneof(
    fc.constantFrom('list', 'List', 'li-st', 'a b', '', 'é'),
    fc.stringMatching(/^[A-Za-z/_-]{0,100}$/),
  ),
});

function pathsOf(operations: { path: string; method: string; operationId: string }[]): JsonObject {
  const paths: JsonObject = {};
  for (const { path, method, operationId } of operations) {
    paths[path] ??= {};
    (paths[path] as JsonObject)[method] = { operationId };
  }
  return paths;
}

test('names are valid, unique and independent of the order, and no operation is lost', () => {
  const uniqueOperations = fc.uniqueArray(anyOperation, {
    selector: ({ path, method }) => `${method} ${path}`,
    maxLength: 20,
  });
  fc.assert(
    fc.property(uniqueOperations, (operations) => {
      const { tools, rejected } = importPaths(pathsOf(operations));
      assert.is(rejected.length, 0);
      assert.is(tools.length, operations.length);
      const names = new Map(
        tools.map(({ name, binding }) => [name, `${binding.method} ${binding.path}`]),
      );
      assert.is(names.size, tools.length);
      for (const name of names.keys()) assert.match(name, /^[a-z0-9_]{1,64}$/);
      const again = importPaths(pathsOf(operations.toReversed())).tools;
      for (const { name, binding } of again) {
        assert.is(names.get(name), `${binding.method} ${binding.path}`);
      }
    }),
    { numRuns: 1000 },
  );
});

test('a name equal to another one with its digest is told apart', () => {
  const first = importPaths({
    '/a': { get: { operationId: 'x' } },
    '/b': { get: { operationId: 'x' } },
  });
  const disguised = first.tools[0]!.name.slice('pets_'.length);
  const { tools } = importPaths({
    '/a': { get: { operationId: 'x' } },
    '/b': { get: { operationId: 'x' } },
    '/c': { get: { operationId: disguised } },
  });
  assert.is(new Set(tools.map((tool) => tool.name)).size, 3);
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
