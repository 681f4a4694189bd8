// The host keeps compiled schemas, replaces full or broken instances, and turns refusals into errors.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlatformError } from '../errors.ts';
import { InputError, ModuleError, SchemaError } from '../errors.ts';
import { ArgumentsModule, argumentsBytesMax, schemaBytesMax } from './arguments.ts';
import { moduleBytes } from './source.ts';

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** The error that `use` throws, which must be of this class. */
function thrown(
  kind: typeof SchemaError | typeof InputError | typeof ModuleError,
  use: () => unknown,
): PlatformError {
  try {
    use();
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('validates against a schema that it was not given before', () => {
  const module = ArgumentsModule.create(moduleBytes('arguments'));
  const schema = encode({ type: 'object', required: ['a'] });
  assert.equal(module.validate(schema, encode({ a: 1 })), { allow: true, violations: [] });
  assert.equal(module.validate(schema, encode({})), {
    allow: false,
    violations: [{ keyword: 'required', message: 'must have the property "a"', pointer: '' }],
  });
  assert.is(
    new TextDecoder().decode(module.validateBytes(schema, encode({ a: 1 }))),
    '{"allow":true}',
  );
});

test('serves more schemas than one instance holds', () => {
  const module = ArgumentsModule.create(moduleBytes('arguments'));
  const schemas = Array.from({ length: 5000 }, (_, n) => encode({ const: n }));
  for (const schema of schemas) module.register(schema);
  for (const [n, schema] of schemas.entries()) {
    assert.is(module.validate(schema, encode(n)).allow, true);
    assert.is(module.validate(schema, encode(n + 1)).allow, false);
  }
});

test('a refused schema leaves the others as they are', () => {
  const module = ArgumentsModule.create(moduleBytes('arguments'));
  const good = encode({ type: 'string' });
  module.register(good);
  for (let count = 0; count < 100; count++) {
    thrown(SchemaError, () => module.register(encode({ properties: { a: { no: count } } })));
    assert.is(module.validate(good, encode('a')).allow, true);
    assert.is(module.validate(good, encode(1)).allow, false);
  }
});

test('tells where a refused schema is at fault', () => {
  const module = ArgumentsModule.create(moduleBytes('arguments'));
  const schema = encode({ items: { unevaluatedItems: false } });
  const error = thrown(SchemaError, () => module.validate(schema, encode([])));
  assert.is(error.code, 'schema_keyword_unsupported');
  assert.equal(error.data, { keyword: 'unevaluatedItems', pointer: '/items/unevaluatedItems' });
  const message =
    '"unevaluatedItems" is a keyword that is not implemented (at /items/unevaluatedItems)';
  assert.is(error.message, message);
});

test('refuses arguments that cannot be read, with the code of every module', () => {
  const module = ArgumentsModule.create(moduleBytes('arguments'));
  const schema = encode(true);
  const codeFor = (bytes: Uint8Array) =>
    thrown(InputError, () => module.validate(schema, bytes)).code;
  const text = (source: string) => codeFor(new TextEncoder().encode(source));
  assert.is(text('{'), 'input_not_json');
  assert.is(text(''), 'input_not_json');
  assert.is(text('{"a":1,"\\u0061":1}'), 'input_duplicate_key');
  assert.is(text('9007199254740993'), 'input_number_not_portable');
  assert.is(text('"\\ud800"'), 'input_lone_surrogate');
  assert.is(text('['.repeat(65)), 'input_too_deep');
  assert.is(text(`{"${'k'.repeat(257)}":1}`), 'input_key_too_long');
  assert.is(codeFor(Uint8Array.of(0x22, 0xff, 0x22)), 'input_not_utf8');
  assert.is(module.validate(schema, encode('a'.repeat(argumentsBytesMax - 2))).allow, true);
  assert.is(text(`"${'a'.repeat(argumentsBytesMax - 1)}"`), 'input_too_large');
});

test('refuses a schema that is too large before it is written', () => {
  const module = ArgumentsModule.create(moduleBytes('arguments'));
  const schema = encode({ title: 'a'.repeat(schemaBytesMax) });
  assert.is(thrown(SchemaError, () => module.register(schema)).code, 'schema_too_large');
});

test('refuses bytes that are no module', () => {
  thrown(ModuleError, () => ArgumentsModule.create(Uint8Array.of(1, 2, 3)));
  thrown(ModuleError, () => ArgumentsModule.create(moduleBytes('scope')));
});

test.run();
