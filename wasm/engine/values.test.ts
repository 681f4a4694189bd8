// Tests of values: equality, order, sets and objects, against the same rules written in JavaScript.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toMarked } from './marked-testing.ts';
import { engineUnderTest } from './testing.ts';
import { compareModel, regoValue, reversed, type Value } from './values-testing.ts';

const engine = await engineUnderTest('comparison', 'set-operators', 'arithmetic');
const sign = (order: number): number => Math.sign(order);

function order(a: Value, b: Value): number {
  if (engine.call('equal', a, b) === true) return 0;
  return engine.call('lt', a, b) === true ? -1 : 1;
}

test('orders values as Rego does', () => {
  fc.assert(
    fc.property(regoValue(), regoValue(), (a, b) => {
      assert.is(order(a, b), sign(compareModel(a, b)));
      assert.is(engine.call('gte', a, b), compareModel(a, b) >= 0);
    }),
    { numRuns: 3000 },
  );
});

test('a value equals itself however it was built', () => {
  fc.assert(
    fc.property(regoValue(), (value) => {
      assert.is(engine.call('equal', value, reversed(value)), true);
      assert.is(order(value, [value]), sign(compareModel(value, [value])));
    }),
    { numRuns: 1000 },
  );
});

test('writes what it reads, sets and objects in the order of their keys', () => {
  const inOrder = (value: Value): Value => {
    if (Array.isArray(value)) return value.map(inOrder);
    if (value instanceof Set) return new Set([...value].sort(compareModel).map(inOrder));
    if (!(value instanceof Map)) return value;
    const keys = [...value.keys()].sort(compareModel);
    return new Map(keys.map((key) => [inOrder(key), inOrder(value.get(key) as Value)]));
  };
  fc.assert(
    fc.property(regoValue(), (value) => {
      const [pointer] = engine.values([value]) as [number];
      const text = engine.text(engine.function('dump')(pointer));
      const [again] = engine.values([engine.read(pointer)]) as [number];
      assert.is(engine.text(engine.function('dump')(again)), text);
      const read = engine.read(again);
      const expected = engine.read((engine.values([inOrder(value)]) as [number])[0]);
      assert.is(toMarked(read), toMarked(expected));
    }),
    { numRuns: 1000 },
  );
});

test('keys that begin with a mark come back as they were', () => {
  const value = { $set: [1], $$set: { $object: 2 }, $: new Set([{ $set: 1 }]) };
  const [pointer] = engine.values([value]) as [number];
  assert.equal(engine.read(pointer), value);
});

test('set operators agree with JavaScript on many elements', () => {
  const elements = fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 120 });
  fc.assert(
    fc.property(elements, elements, (a, b) => {
      const [x, y] = [new Set(a), new Set(b)];
      const inOrder = (set: Set<number>): number[] => [...set].sort((i, j) => i - j);
      const list = (name: string): unknown => [...(engine.call(name, x, y) as Set<number>)];
      assert.equal(list('and'), inOrder(x.intersection(y)));
      assert.equal(list('or'), inOrder(x.union(y)));
      assert.equal(list('minus'), inOrder(x.difference(y)));
    }),
    { numRuns: 300 },
  );
});

test.run();
