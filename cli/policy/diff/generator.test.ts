// Properties of what is generated: every input is one that reaches a policy, and the same seed gives the same.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject, JsonPrimitive } from '../../../runtime/json.ts';
import { Record as RecordModule } from '../../../runtime/modules/record.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import { madeOf } from './elements.ts';
import { isPortable, withNeighbours } from './neighbours.ts';
import { Random } from './random.ts';
import { search } from './search.ts';
import { fitting, memberAt, replaced, type Slot, slotsOf } from './slots.ts';
import type { RuleFacts } from './syntax.ts';
import { pairsOf, templatesOf, Vocabulary } from './vocabulary.ts';

const record = RecordModule.create(moduleBytes('record'));
const constant: fc.Arbitrary<JsonPrimitive> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '\ud800',
    'https://a.example/x',
    'spiffe://td/agent/a/b/main',
    '2026-02-30',
    'a*',
  ),
  fc.constantFrom('2026-01-01T00:00:00.000Z', '+275760-09-13T00:00:00.000Z', '💥', '__proto__'),
  fc.double(),
  fc.constantFrom(2 ** 53, -(2 ** 53), 1e300, Number.MAX_VALUE, 5e-324, -0, 0.1),
  fc.boolean(),
  fc.constant(null),
);
const name = fc.constantFrom(
  'identity',
  'amount',
  'tags',
  'open',
  '__proto__',
  'k'.repeat(257),
  '*',
);
const path = fc.array(name, { minLength: 1, maxLength: 3 });
const rule = fc.record({
  constants: fc.array(constant, { maxLength: 4 }),
  constraints: fc.array(fc.record({ path, values: fc.array(constant, { maxLength: 3 }) }), {
    maxLength: 4,
  }),
  paths: fc.array(path, { maxLength: 4 }),
});
const schema: JsonObject = {
  type: 'object',
  required: ['identity'],
  properties: {
    identity: {
      type: 'object',
      properties: { spiffe_id: { type: 'string' }, tenant: { type: 'string' } },
    },
    amount: { type: 'number' },
    when: { type: 'string', format: 'date-time' },
    tags: {
      type: 'array',
      items: {
        type: 'object',
        required: ['a'],
        properties: { a: { enum: [1, 'x'] }, b: { type: 'string' } },
      },
    },
    open: { type: 'object', additionalProperties: true },
  },
};

function inputsOf(
  rules: Partial<RuleFacts>[],
  data: [JsonObject, JsonObject],
  seed: string,
): string[] {
  const whole = rules.map(
    (each): RuleFacts => ({
      ...{ package: 'platform.x', name: 'y', file: '', row: 1, source: '', title: '', digest: '' },
      ...{
        headTexts: [],
        constants: [],
        constraints: [],
        lookups: [],
        ties: [],
        paths: [],
        uses: [],
      },
      ...each,
    }),
  );
  const vocabulary = new Vocabulary({ rules: whole, data, tenants: [] });
  const slots = slotsOf(
    schema,
    whole.flatMap(({ paths }) => paths),
  );
  const made: string[] = [];
  const probe = (input: JsonObject) => {
    made.push(Buffer.from(record.canonicalizeValue(input)).toString());
    return { signature: String(made.length % 7), allowed: made.length % 3 === 0 };
  };
  const templates = templatesOf(whole);
  const config = {
    vocabulary,
    slots,
    templates,
    edited: templates,
    made: madeOf(whole, whole),
    pairs: pairsOf(whole),
  };
  search(
    {
      ...config,
      ties: [[['amount'], ['open', 'b']]],
      random: new Random(seed),
      probe: probe as never,
    },
    300,
  );
  return made;
}

test('whatever constants and data there are, every input is taken by the record module', () => {
  const data = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 3 }), {
    noNullPrototype: true,
  });
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 3 }), data, data, (rules, old, now) => {
      assert.is(inputsOf(rules, [old as JsonObject, now as JsonObject], 's').length, 300);
    }),
    { numRuns: 60 },
  );
});

test('the same seed gives the same inputs, another one others', () => {
  const rules = [{ constants: ['a', 5], constraints: [{ path: ['amount'], values: [5] }] }];
  const one = inputsOf(rules, [{}, {}], '1');
  assert.equal(inputsOf(rules, [{}, {}], '1'), one);
  assert.not.equal(inputsOf(rules, [{}, {}], '2'), one);
});

test('a constant is tried itself and with what is next to it', () => {
  fc.assert(
    fc.property(constant, (value) => {
      const near = withNeighbours(value);
      if (isPortable(value)) assert.ok(near.some((each) => Object.is(each, value)));
      for (const each of near) if (value !== null) record.canonicalizeValue({ each });
    }),
  );
  assert.equal(
    [99, 101].filter((each) => withNeighbours(100).includes(each)),
    [99, 101],
  );
  for (const near of ['orders', 'orders_x', 'ORDERS_', 'xorders_', '']) {
    assert.ok(withNeighbours('orders_').includes(near), near);
  }
  const url = withNeighbours('https://a.example/docs');
  for (const near of ['http://a.example/docs', 'https://a.example.x.example/docs']) {
    assert.ok(url.includes(near), near);
  }
  assert.ok(withNeighbours('spiffe://td/agent/acme').includes('spiffe://td/agent/acmex/main'));
});

test('setting a member copies what is above it, and taking it away leaves nothing of it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 }), (at) => {
      const before: JsonObject = { a: { b: 1 }, c: [1] };
      const frozen = JSON.stringify(before);
      const set = replaced(before, at, 'new');
      assert.is(memberAt(set, at), 'new');
      assert.is(memberAt(replaced(set, at, undefined), at), undefined);
      assert.is(JSON.stringify(before), frozen);
    }),
  );
});

test('an identity has the members of its place only', () => {
  const slots = slotsOf(schema, []);
  const slot = slots.find(({ isIdentity }) => isIdentity) as Slot;
  const whole = { spiffe_id: 'spiffe://td/agent/a/b/main', tenant: 'a', role: 'main' };
  assert.equal(Object.keys(fitting(whole, slot)), ['spiffe_id', 'tenant']);
});

test.run();
