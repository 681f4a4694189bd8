// What the engine's own writers make must be what the record module makes, byte for byte.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hex } from '../hex.ts';
import { hostileText } from '../testing/json-arbitraries.ts';
import { canonicalValue } from './canonical-value.ts';
import { Frames } from './frames.ts';
import { ModuleInstance } from './instantiate.ts';
import { Record as RecordModule } from './record.ts';
import { moduleBytes } from './source.ts';

const module = new ModuleInstance('record', moduleBytes('record'), [
  ...(['canonicalize', 'decisionId', 'sha256', 'leafHash', 'nodeHash'] as const),
]);
const record = RecordModule.create(moduleBytes('record'));

/** With the members of every object in canonical order, as far as JavaScript keeps an order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, inOrder(member)]));
}

test('a value that is given is written canonically, and those in order are given', () => {
  let given = 0;
  const key = fc.oneof(fc.string({ maxLength: 3 }), hostileText(), fc.nat(20).map(String));
  const number = fc.oneof(
    fc.double(),
    fc.maxSafeInteger(),
    fc.constantFrom(-0, 2 ** 53, 1e21, 5e-324),
  );
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(number, hostileText(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: true }),
    ),
  })).value;
  fc.assert(
    fc.property(value, fc.boolean(), (made, sort) => {
      const value = canonicalValue(sort ? inOrder(made) : made);
      if (value === undefined) return;
      const text = JSON.stringify(value);
      given++;
      const bytes = Buffer.from(text);
      assert.is(Buffer.from(module.run('canonicalize', bytes)).toString(), text);
    }),
    { numRuns: 3000 },
  );
  assert.ok(given > 1000, `${given} of 3000`);
});

test('nothing for what is no plain JSON, or cannot be put in order', () => {
  class Sly {
    toJSON() {
      return 'other';
    }
  }
  for (const value of [
    ...[undefined, Number.NaN, Infinity, 2 ** 53, '\ud800', 1n, () => 1, Symbol('s')],
    ...[new Sly(), new Date(0), { toJSON: () => 1 }, { 10: 1, 9: 2 }, [undefined]],
    ...[new Array(1), { a: undefined }, { '\ud800': 1 }, { ['k'.repeat(86)]: 1 }, new Map()],
    ...[Object.assign([1], { toJSON: () => [2] }), class extends Array {}.of(1)],
    ...[Object.defineProperty({ b: 1 }, 'a', { value: 2 })],
  ]) {
    assert.is(canonicalValue(value), undefined);
  }
  let deep: unknown = 1;
  for (let depth = 0; depth < 64; depth++) deep = [deep];
  assert.ok(canonicalValue(deep));
  assert.is(canonicalValue([deep]), undefined);
});

test('a framed hash is the module’s', () => {
  const frames = new Frames();
  const field = fc.oneof(
    hostileText().filter((text) => text.isWellFormed()),
    fc.uint8Array({ maxLength: 90_000 }),
  );
  fc.assert(
    fc.property(fc.array(field, { minLength: 6, maxLength: 6 }), fc.nat(7), (rest, cut) => {
      const fields = ['platform/decision/v1', ...rest];
      frames.begin();
      for (const each of fields.slice(0, cut)) frames.add(each);
      const prefix = frames.framed();
      frames.begin(prefix);
      for (const each of fields.slice(cut)) frames.add(each);
      assert.is(frames.hex(), hex(module.run('decisionId', frames.framed())));
    }),
  );
  assert.throws(() => frames.begin().add('\ud800'));
});

test('the hashes of a log are the module’s', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70_000, size: 'large' }), (data) => {
      assert.equal(record.sha256(data), module.run('sha256', data));
      assert.equal(record.leafHash(data), module.run('leafHash', data));
      const [left, right] = [record.sha256(data), record.leafHash(data)];
      const both = Buffer.concat([left, right]);
      assert.equal(record.nodeHash(left, right), module.run('nodeHash', both));
    }),
  );
});

test.run();
