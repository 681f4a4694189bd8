// Tests of how schemas of OpenAPI 3.0 and 3.1 become JSON Schema 2020-12.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { importOne, importPaths, schemaOf } from './made-document.ts';

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

test.run();
