// The bytes of modules: numbers of every size, what is left out, and which built-ins an engine has.
import binaryen from 'binaryen';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BundleError } from '../errors.ts';
import { moduleBytes } from '../modules/source.ts';
import { builtinOf, builtinsOf, exportName } from './builtins.ts';
import { Bytes } from './bytes.ts';
import { Code } from './code.ts';
import { Reader, readEngine } from './engine.ts';
import { PlanModule } from './plan-module.ts';
import { trim } from './trim.ts';

const module = (text: string): Uint8Array => {
  const parsed = binaryen.parseText(text);
  try {
    return parsed.emitBinary();
  } finally {
    parsed.dispose();
  }
};

test('numbers are read as they were written', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 32 - 1 }), (number) => {
      const bytes = new Bytes();
      bytes.unsigned(number);
      assert.is(new Reader(bytes.view()).number(), number);
    }),
  );
});

test('signed constants keep their value', () => {
  const engine = readEngine(module('(module (memory 1))'));
  fc.assert(
    fc.property(
      fc.integer(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      (small, large) => {
        const joined = new PlanModule(engine);
        for (const [name, code] of [
          ['small', new Code(0).i32(small)],
          ['large', new Code(0).i64(large).i64(large).op('eq64')],
        ] as const) {
          const index = joined.declare(0);
          joined.define(index, code);
          joined.export(name, index);
        }
        const bytes = joined.finish(() => true) as Uint8Array<ArrayBuffer>;
        const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
        const { small: first, large: second } = exports as Record<string, () => number>;
        assert.is(first!(), small);
        assert.is(second!(), 1);
      },
    ),
  );
});

test('functions that nothing reaches are left out, and the others do as before', () => {
  const trimmed = trim(
    module(`(module (memory (export "memory") 1)
      (table 2 funcref) (elem (i32.const 0) $five $six)
      (global $g (mut i32) (i32.const 0))
      (type $gives (func (result i32)))
      (func $unused (result i32) (i32.const 1))
      (func $deep (result i32) (global.get $g))
      (func $begin (global.set $g (i32.const 4)))
      (func $alsoUnused (result i32) (call $unused))
      (func $five (result i32) (i32.const 5))
      (func $six (result i32) (i32.const 6))
      (func (export "f") (param i32) (result i32)
        (i32.add (call $deep) (call_indirect (type $gives) (local.get 0))))
      (start $begin))`),
  );
  const compiled = new WebAssembly.Module(trimmed as Uint8Array<ArrayBuffer>);
  const { f } = new WebAssembly.Instance(compiled).exports as { f: (at: number) => number };
  assert.equal([f(0), f(1)], [9, 10]);
  const FUNCTIONS = 5;
  assert.is(readEngine(trimmed).functionCount, FUNCTIONS);
});

test('modules that import are refused', () => {
  const importing = module('(module (import "env" "f" (func)) (memory 1))');
  for (const read of [readEngine, trim])
    assert.throws(
      () => read(importing),
      (error: unknown) => error instanceof BundleError,
    );
});

test('a module that is cut short is refused', () => {
  const engine = moduleBytes('engine');
  fc.assert(
    fc.property(fc.integer({ min: 9, max: 4096 }), (length) => {
      const cut = engine.subarray(0, length);
      try {
        readEngine(cut);
      } catch (error) {
        assert.instance(error, BundleError);
      }
    }),
  );
});

test('the built-ins of the engine, by name and number of arguments', () => {
  const engine = readEngine(moduleBytes('engine'));
  assert.is(builtinsOf(engine).get(exportName('object.get')), 3);
  assert.ok(builtinOf(engine, 'object.get', 3));
  assert.is(builtinOf(engine, 'object.get', 2), undefined);
  assert.is(builtinOf(engine, 'http.send', 1), undefined);
});

test.run();
