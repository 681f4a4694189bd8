// What the caller is told: each violation's place, keyword and message, in a fixed order, never a value.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ArgumentsModule } from '../../runtime/modules/arguments.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';

const module = ArgumentsModule.create(moduleBytes('arguments'));
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

function violations(schema: unknown, value: unknown): string[] {
  const { allow, violations: found } = module.validate(encode(schema), encode(value));
  assert.is(allow, found.length === 0);
  return found.map(({ keyword, message, pointer }) => `${pointer} ${keyword}: ${message}`);
}

test('names the place, the keyword and what the schema asks for', () => {
  const schema = {
    type: 'object',
    required: ['name', 'say "hi"'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', minLength: 2, maxLength: 3, pattern: '^a' },
      count: { type: ['integer', 'null'], minimum: 1, exclusiveMaximum: 10 },
      step: { multipleOf: 0.1 },
      kind: { enum: ['a', 'b'] },
      list: { type: 'array', maxItems: 2, uniqueItems: true, items: { type: 'string' } },
      'a/b~c': { const: 1 },
      never: false,
      form: { oneOf: [{ type: 'string' }, { type: 'string', minLength: 1 }] },
    },
  };
  assert.equal(
    violations(schema, {
      name: 'b',
      count: 0,
      step: 0.15,
      kind: 'c',
      list: ['a', 1, 1],
      'a/b~c': 2,
      never: null,
      form: 'x',
      more: true,
    }),
    [
      ' required: must have the property "say "hi""',
      '/a~1b~0c const: must be the allowed value',
      '/count minimum: must be at least 1',
      '/form oneOf: fits more than one of the forms of which it must fit one',
      '/kind enum: must be one of the allowed values',
      '/list maxItems: items must be at most 2',
      '/list uniqueItems: items must all be different',
      '/list/1 type: must be string',
      '/list/2 type: must be string',
      '/*5 additionalProperties: is no property of the schema',
      '/name minLength: characters must be at least 2',
      '/name pattern: must match the pattern',
      '/never false: is not allowed here',
      '/step multipleOf: must be a multiple of 0.1',
    ],
  );
});

test('tells what the one possible form of several misses', () => {
  const schema = {
    anyOf: [{ $ref: '#/$defs/item' }, { type: 'null' }],
    $defs: { item: { type: 'object', required: ['id'] } },
  };
  assert.equal(violations(schema, {}), [' required: must have the property "id"']);
  assert.equal(violations(schema, 'a'), [' anyOf: must fit one of the allowed forms']);
});

test('lists 32 violations at most, in the canonical order of the members', () => {
  const value = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, n]));
  const found = violations({ additionalProperties: { type: 'string' } }, value);
  assert.equal(
    found,
    Array.from({ length: 32 }, (_, index) => `/*${index} type: must be string`),
  );
});

test('does not depend on the order of members', () => {
  const schema = { additionalProperties: { type: 'string' }, required: ['z', 'y'] };
  const property = fc.property(
    fc.dictionary(fc.string(), fc.integer(), { maxKeys: 20 }),
    (value) => {
      const turned = Object.fromEntries(Object.entries(value).reverse());
      assert.equal(violations(schema, turned), violations(schema, value));
    },
  );
  fc.assert(property, { numRuns: 500 });
});

test('never tells a value', () => {
  const secret = 'SECRET-7391';
  const refuseAll = {
    const: 0,
    enum: [0],
    not: {},
    maxLength: 0,
    minLength: 100,
    maxItems: 0,
    maxProperties: 0,
    pattern: '^$',
  };
  const schema = {
    ...refuseAll,
    additionalProperties: { ...refuseAll, items: { ...refuseAll, type: 'null' }, minimum: 1e9 },
    items: refuseAll,
  };
  for (const value of [
    secret,
    [secret],
    { a: secret },
    { a: [secret, { b: secret }] },
    73917391,
    { a: 73917391 },
  ]) {
    const text = new TextDecoder().decode(module.validateBytes(encode(schema), encode(value)));
    assert.match(text, '"allow":false');
    assert.not.match(text, '7391');
  }
});

test('tells the index, never the name, of a member that the schema does not name', () => {
  const secret = 'ghp_SECRET';
  const inner = { [secret]: 1, listed: 1 };
  const deep = { properties: { listed: false }, additionalProperties: false };
  const schemas = [
    { additionalProperties: deep },
    { patternProperties: { '^ghp_': deep } },
    { allOf: [{ additionalProperties: deep }] },
    { propertyNames: { maxLength: 1 }, additionalProperties: deep },
  ];
  for (const schema of schemas) {
    const found = violations(schema, { a: 1, [secret]: inner });
    assert.not.match(found.join(), 'ghp');
    assert.ok(
      found.includes('/*1/*0 additionalProperties: is no property of the schema'),
      found.join(),
    );
    assert.ok(found.includes('/*1/listed false: is not allowed here'), found.join());
  }
});

test('writes canonical JSON whatever the keys are', () => {
  const property = fc.property(fc.string({ unit: 'grapheme' }), (key) => {
    const bytes = module.validateBytes(
      encode({ additionalProperties: false }),
      encode({ [key]: 1 }),
    );
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const answer = JSON.parse(text);
    assert.is(JSON.stringify(answer), text);
    assert.is(answer.violations[0].pointer, '/*0');
    const named = module.validate(encode({ properties: { [key]: false } }), encode({ [key]: 1 }));
    const pointer = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    assert.is(named.violations[0]?.pointer, pointer);
  });
  fc.assert(property, { numRuns: 2000 });
});

test('gives of a pointer that is too long the nearest ancestor that fits', () => {
  const key = 'k'.repeat(250);
  const value = { [key]: { [key]: { [key]: { [key]: { [key]: 1 } } } } };
  const schema = {
    $ref: '#/$defs/o',
    $defs: { o: { type: 'object', properties: { [key]: { $ref: '#/$defs/o' } } } },
  };
  assert.equal(violations(schema, value), [`${`/${key}`.repeat(4)} type: must be object`]);
});

test.run();
