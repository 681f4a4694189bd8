// Tests of the built-ins for arrays, sets, objects and graphs: against OPA's own on small values that meet often.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NumberText } from '../marked-testing.ts';
import type { Call } from '../opa-testing.ts';
import { engineUnderTest } from '../testing.ts';
import { agreesWithOpa } from './opa-agreement-testing.ts';

const engine = await engineUnderTest(
  ...['aggregates', 'arrays', 'graph', 'objects', 'sets', 'subset', 'types', 'walk'],
);

const key = (): fc.Arbitrary<string> => fc.constantFrom('a', 'b', 'c', '0', '1');
const scalar = (): fc.Arbitrary<unknown> =>
  fc.oneof(fc.constantFrom(null, true, false, 'a', 'b', ''), fc.integer({ min: -2, max: 2 }));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(tie('value'), { maxLength: 4 }).map((a) => new Set(a)),
    fc.dictionary(key(), tie('value'), { maxKeys: 4 }),
  ),
}));
const array = (): fc.Arbitrary<unknown> => fc.array(value, { maxLength: 5 });
const set = (): fc.Arbitrary<unknown> => fc.array(value, { maxLength: 5 }).map((a) => new Set(a));
const object = (): fc.Arbitrary<unknown> => fc.dictionary(key(), value, { maxKeys: 5 });
const objects = (): fc.Arbitrary<unknown> => fc.array(object(), { maxLength: 4 });
const sets = (): fc.Arbitrary<unknown> => fc.array(set(), { maxLength: 3 }).map((a) => new Set(a));
const index = (): fc.Arbitrary<unknown> =>
  fc.oneof(fc.integer({ min: -2, max: 6 }), fc.constant(new NumberText('1.0')));
const number = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.integer({ min: -9, max: 9 }),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    fc.integer({ min: -900, max: 900 }).map((n) => n / 8),
  );
const numbers = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.array(number(), { maxLength: 5 }),
    fc.array(number(), { maxLength: 5 }).map((a) => new Set(a)),
  );
const vertex = (): fc.Arbitrary<string> => fc.constantFrom('a', 'b', 'c', 'd');
const vertices = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.array(vertex(), { maxLength: 3 }),
    fc.array(vertex(), { maxLength: 3 }).map((a) => new Set(a)),
    fc.constant(null),
  );
const graph = (): fc.Arbitrary<unknown> => fc.dictionary(vertex(), vertices(), { maxKeys: 4 });
const keys = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.array(key()),
    fc.array(key()).map((a) => new Set(a)),
    object(),
  );

const operands: Record<string, fc.Arbitrary<unknown>[]> = {
  'array.concat': [array(), array()],
  'array.flatten': [array()],
  'array.slice': [array(), index(), index()],
  'array.reverse': [array()],
  intersection: [sets()],
  union: [sets()],
  set_diff: [set(), set()],
  'object.get': [object(), fc.oneof(key(), fc.array(fc.oneof(key(), index()))), scalar()],
  'object.keys': [object()],
  'object.filter': [object(), keys()],
  'object.remove': [object(), keys()],
  'object.subset': [value, value],
  'object.union': [object(), object()],
  'object.union_n': [objects()],
  'graph.reachable': [graph(), vertices()],
  'graph.reachable_paths': [graph(), vertices()],
  count: [value],
  sum: [numbers()],
  product: [numbers()],
  max: [value],
  min: [value],
  sort: [value],
  all: [value],
  any: [value],
  'internal.member_2': [value, value],
  'internal.member_3': [scalar(), value, value],
  type_name: [value],
  is_number: [value],
  is_string: [value],
  is_boolean: [value],
  is_array: [value],
  is_set: [value],
  is_object: [value],
  is_null: [value],
  cast_array: [value],
  cast_set: [value],
  cast_string: [value],
  cast_boolean: [value],
  cast_null: [value],
  cast_object: [value],
};

test('every built-in answers as OPA does, for operands of the wrong kinds too', () => {
  for (const [name, types] of Object.entries(operands)) {
    const call = fc.tuple(fc.constant(name), ...types) as unknown as fc.Arbitrary<Call>;
    const wrong = fc.tuple(
      fc.constant(name),
      ...types.map(scalar),
    ) as unknown as fc.Arbitrary<Call>;
    agreesWithOpa(engine, [...fc.sample(call, 300), ...fc.sample(wrong, 20)]);
  }
});

/** What walk is to give: pairs from the outside in, keys in order. */
function pairsOf(value: unknown, path: unknown[] = []): unknown[] {
  const pairs: unknown[] = [[path, value]];
  if (Array.isArray(value)) {
    for (const [i, element] of value.entries()) pairs.push(...pairsOf(element, [...path, i]));
  } else if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value as Record<string, unknown>);
    for (const [name, member] of entries.sort(([a], [b]) => (a < b ? -1 : 1))) {
      pairs.push(...pairsOf(member, [...path, name]));
    }
  }
  return pairs;
}

test('walk gives every value with its path', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'small', maxDepth: 4 }), (json) => {
      const plain = JSON.parse(JSON.stringify(json), (name, member) =>
        name.startsWith('__')
          ? undefined
          : typeof member === 'number'
            ? Math.trunc(member % 1e9)
            : member,
      );
      assert.equal(engine.call('walk', plain), pairsOf(plain));
    }),
  );
  assert.equal(engine.call('walk', new Set([1])), [
    [[], new Set([1])],
    [[1], 1],
  ]);
});

test('graphs made to have ever more paths end the evaluation, and do not hang', () => {
  const layers = 40;
  const edges: Record<string, string[]> = {};
  for (let i = 0; i < layers; i++) {
    const next = i + 1 < layers ? [`${i + 1}a`, `${i + 1}b`] : [];
    edges[`${i}a`] = next;
    edges[`${i}b`] = next;
  }
  assert.is((engine.call('graph.reachable', edges, ['0a']) as Set<string>).size, 2 * layers - 1);
  assert.throws(() => engine.call('graph.reachable_paths', edges, ['0a']));
});

test.run();
