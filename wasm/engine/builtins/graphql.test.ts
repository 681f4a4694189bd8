// Parses and validates GraphQL documents, whole, broken and hostile, and compares the answers with OPA's.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { type Call, opaBuiltins } from '../opa-testing.ts';
import { EngineFailure, engineUnderTest } from '../testing.ts';
import { broken, hostile, queries, schema } from './graphql-testing.ts';

const engine = await engineUnderTest('graphql');

/** Failure.Depth of wasm/engine/failure.ts. */
const DEPTH = 5;

function agree(calls: readonly Call[]): unknown[] {
  const expected = opaBuiltins(calls);
  calls.forEach(([name, ...operands], i) => {
    assert.equal(engine.call(name, ...operands), expected[i], JSON.stringify([name, ...operands]));
  });
  return expected;
}

function failureOf(call: () => unknown): number | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof EngineFailure) return error.failure;
    throw error;
  }
}

test('takes the queries that are valid, as texts and as objects', () => {
  const types = engine.call('graphql.parse_schema', schema);
  for (const query of queries) {
    const [valid, parsed, parsedSchema] = engine.call(
      'graphql.parse_and_verify',
      query,
      schema,
    ) as unknown[];
    assert.is(valid, true, query);
    assert.equal(parsed, engine.call('graphql.parse_query', query));
    assert.equal(parsedSchema, types);
    assert.equal(engine.call('graphql.parse', query, types), [parsed, types]);
  }
  const fields = engine.call('graphql.parse_query', '{ pet { name } }');
  assert.is(engine.call('graphql.is_valid', fields, types), true);
});

test('keeps comments where OPA does, and drops what is empty', () => {
  assert.equal(engine.call('graphql.parse_query', '# one\n#two\nquery Q {\n# three\na }'), {
    Operations: [
      {
        Comment: { List: [{ Value: '# one' }, { Value: '#two' }] },
        Name: 'Q',
        Operation: 'query',
        SelectionSet: [{ Alias: 'a', Comment: { List: [{ Value: '# three' }] }, Name: 'a' }],
      },
    ],
  });
  assert.equal(engine.call('graphql.parse_query', ''), {});
});

test('refuses what breaks a rule', () => {
  const refused = [
    '{ human { id } }',
    '{ human(id: 4) }',
    '{ human(id: 4) { id { x } } }',
    '{ pet { barks } }',
    '{ pet { ...F } }',
    '{ dog { a: barks a: name } }',
    'query Q($x: Int) { dog { barks } }',
    'query Q($x: String) { box(box: {width: $x}) }',
    '{ human(id: 4) { pets(first: 1, like: {name: "a", size: SMALL}) { name } } }',
    'query A { dog { barks } } { dog { barks } }',
    'fragment F on Dog { ...G } fragment G on Dog { ...F } { dog { ...F } }',
    '{ box(box: {width: 99999999999999999999}) }',
    '{ __schema { types { fields { type { fields { type { interfaces { name } } } } } } } }',
    'subscription { x }',
  ];
  for (const query of refused)
    assert.is(engine.call('graphql.is_valid', query, schema), false, query);
  assert.is(engine.call('graphql.is_valid', '{ a }', 7), false);
  assert.is(engine.call('graphql.schema_is_valid', 'type Query { x: Missing }'), false);
  assert.is(engine.call('graphql.parse', refused[0], schema), undefined);
});

test('agrees with OPA on broken queries and schemas', () => {
  if (!needs('go')) return;
  const query = fc.constantFrom(...queries).chain(broken);
  const calls = fc
    .sample(fc.tuple(query, broken(schema)), 2500)
    .flatMap(([text, types]): Call[] => [
      ['graphql.parse_and_verify', text, schema],
      ['graphql.is_valid', text, types],
      ['graphql.parse_schema', types],
      ['graphql.schema_is_valid', types],
    ]);
  const answers = agree(calls);
  const parsed = answers.filter((answer, i) => i % 4 === 2 && answer !== undefined).length;
  const valid = answers.filter((answer, i) => i % 4 === 3 && answer === true).length;
  assert.ok(parsed > 300 && valid > 50, `${parsed} parsed, ${valid} valid`);
});

test('ends on any text, and agrees with OPA on what it is', () => {
  const texts = fc.sample(hostile, 3000).map((pieces) => pieces.join(''));
  for (const text of texts) {
    engine.call('graphql.parse_query', text);
    engine.call('graphql.parse_schema', text);
  }
  if (!needs('go')) return;
  agree(texts.map((text): Call => ['graphql.parse_query', `{ f(x: ${text}) }`]));
});

test('ends documents that nest too deep, whatever nests', () => {
  const nested = (open: string, close: string) => open.repeat(2000) + close.repeat(2000);
  const documents = [
    nested('{ a ', '}'),
    `{ a(x: ${nested('[', ']')}) }`,
    `{ a(x: ${nested('{b: ', '}')}) }`,
    `query($x: ${nested('[', ']')}) { a }`,
  ];
  for (const text of documents) {
    assert.is(
      failureOf(() => engine.call('graphql.parse_query', text)),
      DEPTH,
      text.slice(0, 12),
    );
  }
  const chain = Array.from({ length: 3000 }, (_, i) => `fragment F${i} on Dog { ...F${i + 1} }`);
  const query = `{ dog { ...F0 } } ${chain.join(' ')} fragment F3000 on Dog { barks }`;
  assert.is(
    failureOf(() => engine.call('graphql.is_valid', query, schema)),
    DEPTH,
  );
});

test('reads a schema of ten thousand types', () => {
  const types = Array.from({ length: 10_000 }, (_, i) => `type T${i} { a: T${(i * 7) % 10_000} }`);
  assert.is(engine.call('graphql.schema_is_valid', types.join('\n')), true);
  assert.is(
    engine.call('graphql.schema_is_valid', `${types.join('\n')} type T7 { a: Int }`),
    false,
  );
});

test.run();
