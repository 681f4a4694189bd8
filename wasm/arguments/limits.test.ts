// Hostile schemas and arguments: work is counted and bounded, and running out is a deny.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ModuleInstance } from '../../runtime/modules/instantiate.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';

type Operation = 'register' | 'validate' | 'steps';

const stepsMax = 4_000_000;
const budget = {
  keyword: 'budget',
  message: 'needs more steps than one validation may take',
  pointer: '',
};
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const instance = () =>
  new ModuleInstance<Operation>('arguments', moduleBytes('arguments'), [
    'register',
    'validate',
    'steps',
  ]);

interface Answer {
  answer: { allow: boolean; violations?: unknown[] };
  steps: number;
}

/** Registers and validates in a fresh instance; a trap of any kind throws. */
function run(schema: unknown, value: unknown, module = instance()): Answer {
  const schemaBytes = encode(schema);
  const schemaAt = module.write(schemaBytes);
  const handle = module.invoke((exports) => exports.register(schemaAt, schemaBytes.length));
  assert.ok(handle >= 1, `refused: ${new TextDecoder().decode(module.output())}`);
  const bytes = encode(value);
  const at = module.write(bytes);
  assert.is(
    module.invoke((exports) => exports.validate(handle, at, bytes.length)),
    0,
  );
  const answer = JSON.parse(new TextDecoder().decode(module.output()));
  return { answer, steps: module.invoke((exports) => exports.steps()) };
}

/** A schema of `levels` definitions, each trying the next one `width` times. */
function bomb(keyword: 'anyOf' | 'oneOf' | 'allOf', levels: number, width: number): unknown {
  const tries = (n: number) => Array.from({ length: width }, () => ({ $ref: `#/$defs/d${n + 1}` }));
  const definitions = Array.from({ length: levels }, (_, n) => [`d${n}`, { [keyword]: tries(n) }]);
  const end = [`d${levels}`, { type: keyword === 'allOf' ? 'string' : 'null' }];
  return { $ref: '#/$defs/d0', $defs: Object.fromEntries([...definitions, end]) };
}

test('exponential schemas end in a deny after a fixed number of steps', () => {
  for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
    const { answer, steps } = run(bomb(keyword, 25, 4), 'a');
    assert.equal(answer, { allow: false, violations: [budget] }, keyword);
    assert.ok(steps > stepsMax && steps < stepsMax + 1000);
  }
});

test('a shallow bomb is still decided', () => {
  assert.is(run(bomb('anyOf', 5, 4), 'a').answer.allow, false);
  assert.is(run(bomb('allOf', 5, 4), 'a').answer.allow, true);
});

test('recursive schemas follow the value to its last level and no further', () => {
  let value: unknown = 1;
  for (let level = 0; level < 64; level++) value = level % 2 === 0 ? [value] : { a: value };
  const self = { $ref: '#' };
  const schema = {
    items: self,
    additionalProperties: { allOf: [{ anyOf: [self, false] }] },
    not: { const: 2 },
  };
  assert.is(run(schema, value).answer.allow, true);
});

test('nesting of schemas is bounded whatever the schema does between two levels', () => {
  const level = Array.from({ length: 30 }, (_, n) => [
    `d${n}`,
    { allOf: [{ $ref: `#/$defs/d${n + 1}` }] },
  ]);
  const $defs = Object.fromEntries([...level, ['d30', { items: { $ref: '#/$defs/d0' } }]]);
  let value: unknown = 1;
  for (let depth = 0; depth < 64; depth++) value = [value];
  assert.equal(run({ $ref: '#/$defs/d0', $defs }, value).answer.violations, [budget]);
});

test('looking for equal items costs what the array is long', () => {
  const cost = (count: number) =>
    run(
      { uniqueItems: true },
      Array.from({ length: count }, (_, n) => n),
    );
  const short = cost(4000);
  const long = cost(16_000);
  assert.is(long.answer.allow, true);
  assert.ok(long.steps < short.steps * 5, `${short.steps}, then ${long.steps}`);
  const nested = run(
    { uniqueItems: true },
    Array.from({ length: 5000 }, (_, n) => ({ a: [n, { b: 'c' }] })),
  );
  assert.is(nested.answer.allow, true);
});

test('large objects, enumerations and name lists stay within the budget', () => {
  const keys = Array.from({ length: 1000 }, (_, n) => `key-${n}`);
  const value = Object.fromEntries(keys.map((key) => [key, key]));
  const properties = Object.fromEntries(keys.map((key) => [key, { const: key }]));
  const wide = run({ properties, required: keys, additionalProperties: false }, value);
  assert.is(wide.answer.allow, true);
  assert.ok(wide.steps < 20_000, `${wide.steps}`);
  const listed = run(
    { items: { enum: keys } },
    Array.from({ length: 2000 }, () => 'key-999'),
  );
  assert.is(listed.answer.allow, true);
});

test('the largest arguments are judged', () => {
  const text = 'a'.repeat(256 * 1024 - 2);
  assert.is(
    run({ type: 'string', maxLength: 300_000, pattern: '^[a-z]+$' }, text).answer.allow,
    true,
  );
  const numbers = Array.from({ length: 128 * 1024 - 1 }, () => 1);
  assert.is(
    run({ type: 'array', items: { type: 'integer', minimum: 1 } }, numbers).answer.allow,
    true,
  );
});

test('an instance says when it is full, and keeps serving what it holds', () => {
  const module = instance();
  const schema = encode({ pattern: '[a-z]{1000}x' });
  let last = 0;
  for (let count = 0; count < 5000; count++) {
    const at = module.write(schema);
    const handle = module.invoke((exports) => exports.register(at, schema.length));
    if (handle < 0) {
      assert.is(handle, -2);
      break;
    }
    assert.is(handle, last + 1);
    last = handle;
  }
  assert.ok(last > 100 && last < 4096, `${last} schemas`);
  assert.ok(module.view.length < 64 * 1024 * 1024, `${module.view.length} bytes`);
  const value = encode('a');
  const at = module.write(value);
  assert.is(
    module.invoke((exports) => exports.validate(last, at, value.length)),
    0,
  );
  assert.match(new TextDecoder().decode(module.output()), '"pattern"');
});

test('handles that were never given out are refused', () => {
  const module = instance();
  for (const handle of [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]) {
    const at = module.write(encode(1));
    assert.is(
      module.invoke((exports) => exports.validate(handle, at, 1)),
      9,
    );
  }
});

test('no arguments make validation trap', () => {
  const module = instance();
  const everything = encode({
    $defs: {
      self: {
        items: { $ref: '#/$defs/self' },
        uniqueItems: true,
        maxLength: 3,
        propertyNames: { pattern: '^.*$' },
      },
    },
    allOf: [{ $ref: '#/$defs/self' }],
    additionalProperties: { $ref: '#/$defs/self' },
    patternProperties: { '[^a]': { multipleOf: 0.1 } },
    dependentRequired: { a: ['b'] },
    contains: { minimum: 3 },
  });
  const schemaAt = module.write(everything);
  const handle = module.invoke((exports) => exports.register(schemaAt, everything.length));
  assert.is(handle, 1);
  const bytes = fc.oneof(
    fc.json().map((text) => new TextEncoder().encode(text)),
    fc.uint8Array({ maxLength: 64 }),
  );
  const property = fc.property(bytes, (input) => {
    const at = module.write(input);
    const error = module.invoke((exports) => exports.validate(handle, at, input.length));
    assert.ok(error >= 0 && error <= 9);
    if (error === 0) JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(module.output()));
  });
  fc.assert(property, { numRuns: 20_000 });
});

test.run();
