// Rewritten modules still say what they said, and bytes that are no module are refused without harm.
import binaryen from 'binaryen';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../errors.ts';
import { moduleBytes } from '../modules/source.ts';
import { keepExports } from './sections.ts';

const test = suite('sections');
const module = binaryen.parseText(`(module
  (import "env" "f" (func $f (param i32) (result i32)))
  (import "other" "t" (table 1 2 funcref))
  (import "env" "memory" (memory 1 3))
  (import "env" "g" (global i32))
  (func (export "one") (result i32) (call $f (i32.const 1)))
  (func (export "two") (result i32) (i32.load (i32.const 0)))
  (export "memory" (memory 0)))`);
const wasm = module.emitBinary();
const compiled = (bytes: Uint8Array) => new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);

test('only the wanted exports stay', () => {
  const kept = compiled(keepExports(wasm, (name) => name === 'two'));
  assert.equal(
    WebAssembly.Module.exports(kept).map(({ name }) => name),
    ['two'],
  );
  assert.is(WebAssembly.Module.exports(compiled(keepExports(wasm, () => false))).length, 0);
});

test('a module that has nothing to change stays as it is', () => {
  for (const name of ['record', 'scope', 'guard', 'arguments'] as const) {
    const bytes = moduleBytes(name);
    assert.equal(Buffer.from(keepExports(bytes, () => true)), Buffer.from(bytes));
  }
});

test('cut and changed modules are read to an end, or refused with one code', () => {
  const damage = fc.record({
    cut: fc.nat(wasm.length),
    at: fc.nat(wasm.length - 1),
    byte: fc.integer({ min: 0, max: 255 }),
  });
  fc.assert(
    fc.property(damage, ({ cut, at, byte }) => {
      const bytes = Buffer.from(wasm.subarray(0, wasm.length - cut));
      if (at < bytes.length) bytes[at] = byte;
      try {
        keepExports(bytes, () => true);
      } catch (error) {
        assert.is(codeOf(error), 'module_output_invalid');
      }
    }),
    { numRuns: 5000 },
  );
});

test.after(() => module.dispose());
test.run();
