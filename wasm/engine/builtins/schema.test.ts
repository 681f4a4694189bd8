// Validates by JSON Schema and compares every answer, the errors' texts included, with OPA's.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import type { Call } from '../opa-testing.ts';
import { EngineFailure, engineUnderTest } from '../testing.ts';
import { agreesWithOpa } from './opa-agreement-testing.ts';
import { document, schema } from './schema-testing.ts';

const engine = await engineUnderTest('schema');

function match(value: unknown, by: unknown): unknown {
  return engine.call('json.match_schema', JSON.stringify(value), by);
}

test('says what is wrong and where', () => {
  const by = {
    properties: { list: { items: { type: 'integer', maximum: 3 } } },
    required: ['name'],
    additionalProperties: false,
  };
  assert.equal(match({ list: [1, 'x', 4], other: null }, by), [
    false,
    [
      ['required', '(Root)', 'name is required'],
      ['additional_property_not_allowed', '(Root)', 'Additional property other is not allowed'],
      ['invalid_type', 'list.1', 'Invalid type. Expected: integer, given: string'],
      ['number_lte', 'list.2', 'Must be less than or equal to 3'],
    ].map(([type, field, desc]) => ({ type, field, desc, error: `${field}: ${desc}` })),
  ]);
  assert.equal(match({ name: 1 }, { ...by, additionalProperties: true }), [true, []]);
  assert.equal(match({ name: 1 }, JSON.stringify(by)), match({ name: 1 }, by));
});

test('follows references to definitions, identifiers and itself', () => {
  const tree = {
    $id: 'https://example.org/tree',
    definitions: { leaf: { $id: '#leaf', type: 'string' } },
    properties: {
      left: { $ref: '#' },
      right: { $ref: 'tree#/definitions/leaf' },
      top: { $ref: '#leaf' },
    },
  };
  assert.equal(match({ left: { left: { right: 'x', top: 'y' } } }, tree), [true, []]);
  const [valid, errors] = match({ left: { left: { right: 1 }, top: 2 } }, tree) as [
    boolean,
    { field: string }[],
  ];
  assert.is(valid, false);
  assert.equal(
    errors.map(({ field }) => field),
    ['left.left.right', 'left.top'],
  );
});

test('fetches nothing', () => {
  const remote = { $ref: 'https://example.org/schema.json' };
  const [valid, reason] = engine.call('json.verify_schema', remote) as [boolean, string];
  assert.is(valid, false);
  assert.match(reason, 'https://example.org/schema.json');
  assert.is(match(1, remote), undefined);
});

test('ends schemas that lead in circles or nest too deep', () => {
  const depth = 5;
  const failure = (by: unknown, value: unknown = {}) => {
    try {
      return match(value, by);
    } catch (error) {
      return (error as EngineFailure).failure;
    }
  };
  assert.is(failure({ $ref: '#' }), depth);
  const circle = {
    definitions: { a: { $ref: '#/definitions/b' }, b: { $ref: '#/definitions/a' } },
  };
  assert.is(failure({ ...circle, $ref: '#/definitions/a' }), depth);
  assert.is(failure({ allOf: [{ $ref: '#' }] }), depth);
  const deep = `${'{"not":'.repeat(400)}true${'}'.repeat(400)}`;
  assert.is(failure(deep), depth);
});

test('takes schemas as texts and refuses what is no schema', () => {
  assert.equal(engine.call('json.verify_schema', '{"type": "boolean"}'), [true, null]);
  assert.equal(engine.call('json.verify_schema', 'nope'), [
    false,
    'jsonschema: invalid JSON string',
  ]);
  assert.equal(engine.call('json.verify_schema', 7), [
    false,
    'jsonschema: wrong type, expected string or object',
  ]);
  assert.is(engine.call('json.match_schema', {}, 7), undefined);
});

test('agrees with OPA on schemas and documents of all kinds', () => {
  if (!needs('go')) return;
  const samples = fc.sample(fc.tuple(schema, document, document), 3000);
  const calls = samples.flatMap(([by, one, other]): Call[] => [
    ['json.verify_schema', JSON.stringify(by)],
    ['json.match_schema', JSON.stringify(one), JSON.stringify(by)],
    ['json.match_schema', JSON.stringify(other), JSON.stringify(by)],
  ]);
  agreesWithOpa(engine, calls);
  const answers = calls.map((call) => engine.call(...call) as [boolean] | undefined);
  const valid = answers.filter((answer) => answer?.[0] === true).length;
  const refused = answers.filter((answer) => answer?.[0] === false).length;
  assert.ok(valid > 500 && refused > 500, `${valid} valid, ${refused} not`);
});

test.run();
