// Tests of the shared host: a trap costs the instance and never the process, and only real modules load.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import binaryen from 'binaryen';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf, PlatformError } from '../errors.ts';
import { ModuleInstance } from './instantiate.ts';
import { Record } from './record.ts';
import { Scope } from './scope.ts';
import { moduleBytes, moduleDigest } from './source.ts';

function assemble(text: string): Uint8Array {
  const module = binaryen.parseText(text);
  try {
    return module.emitBinary();
  } finally {
    module.dispose();
  }
}

/** A module that traps on command, recurses without end, lies about its output and counts its calls. */
const unruly = assemble(`(module
  (memory (export "memory") 1 2)
  (global $calls (mut i32) (i32.const 0))
  (func (export "reserve") (param i32) (result i32)
    (if (result i32) (i32.gt_u (local.get 0) (i32.const 1000)) (then (i32.const 0)) (else (i32.const 64))))
  (func (export "output") (result i32) (i32.const 16))
  (func (export "outputLength") (result i32) (i32.load (i32.const 0)))
  (func (export "count") (param i32 i32) (result i32)
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (i32.store (i32.const 0) (i32.const 4))
    (i32.store (i32.const 16) (global.get $calls))
    (i32.const 0))
  (func (export "trap") (param i32 i32) (result i32) (unreachable))
  (func $recurse (export "recurse") (param i32 i32) (result i32)
    (i32.add (i32.const 1) (call $recurse (local.get 0) (local.get 1))))
  (func (export "outside") (param i32 i32) (result i32)
    (i32.store (i32.const 0) (i32.const -1)) (i32.const 0))
  (func (export "refuse") (param i32 i32) (result i32) (i32.const 4))
  (func (export "unknown") (param i32 i32) (result i32) (i32.const 9999))
)`);
const operations = ['count', 'trap', 'recurse', 'outside', 'refuse', 'unknown'] as const;

function code(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.instance(error, PlatformError);
    return codeOf(error);
  }
  return 'accepted';
}

test('drops the instance at a trap and answers the next call from a fresh one', () => {
  const module = new ModuleInstance('unruly', unruly, operations);
  const input = Buffer.from('input');
  const count = () => Buffer.from(module.run('count', input)).readUInt32LE();
  assert.equal([count(), count()], [1, 2]);
  assert.is(module.generation, 1);
  for (const operation of ['trap', 'recurse'] as const) {
    assert.is(
      code(() => module.run(operation, input)),
      'module_trapped',
    );
    assert.equal([count(), count()], [1, 2]);
  }
  assert.is(module.generation, 3);
});

test('refuses output outside the memory and error numbers that do not exist', () => {
  const module = new ModuleInstance('unruly', unruly, operations);
  assert.is(
    code(() => module.run('outside', new Uint8Array(1))),
    'module_output_invalid',
  );
  assert.is(
    code(() => module.run('unknown', new Uint8Array(1))),
    'module_output_invalid',
  );
  assert.is(
    code(() => module.run('refuse', new Uint8Array(1))),
    'input_not_json',
  );
  assert.is(
    code(() => module.run('count', new Uint8Array(1001))),
    'input_too_large',
  );
  assert.is(
    code(() => module.writeText('x'.repeat(1001))),
    'input_too_large',
  );
});

test('returns copies that the next call does not change', () => {
  const record = Record.create(moduleBytes('record'));
  const first = record.canonicalize(Buffer.from('"first"'));
  record.canonicalize(Buffer.from('"other"'));
  assert.is(Buffer.from(first).toString(), '"first"');
});

test('loads only modules that have the exports and need no imports', () => {
  const record = moduleBytes('record');
  assert.is(
    code(() => Record.create(new Uint8Array())),
    'module_missing',
  );
  assert.is(
    code(() => Record.create(record.subarray(0, record.length / 2))),
    'module_missing',
  );
  assert.is(
    code(() => Scope.create(record)),
    'module_missing',
  );
  const needy = assemble('(module (import "env" "read" (func)))');
  assert.is(
    code(() => new ModuleInstance('needy', needy, [])),
    'module_missing',
  );
});

test('names a module by the digest of its file', () => {
  const file = readFileSync(new URL('../../wasm/build/scope.wasm', import.meta.url));
  const expected = createHash('sha256').update(file).digest('hex');
  assert.is(moduleDigest(moduleBytes('scope')), `sha256:${expected}`);
  assert.is(
    code(() => moduleBytes('absent' as 'scope')),
    'module_missing',
  );
});

test.run();
