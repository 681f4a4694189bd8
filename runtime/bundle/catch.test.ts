// What would trap in a metered module is said instead, and the module is as new once it is restored.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DECISION_LIMITS, MODULE_LIMITS } from '../metering/limits.ts';
import { type MeterLimits, meter } from '../metering/meter.ts';
import { moduleBytes } from '../modules/source.ts';
import { assembled } from '../testing/wat.ts';
import { catchFailures, Failure } from './catch.ts';
import { samplePolicies } from './testing.ts';

type Exports = Record<string, (...parameters: number[]) => number> & {
  memory: WebAssembly.Memory;
};

const PROGRAM = `(module
  (memory (export "memory") 1)
  (global $calls (mut i32) (i32.const 7))
  (global $wide (mut i64) (i64.const 3))
  (global $whole (mut f64) (f64.const 0.5))
  (func (export "sum") (param $n i32) (result i32) (local $sum i32)
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (global.set $wide (i64.add (global.get $wide) (i64.const 1)))
    (loop $next
      (local.set $sum (i32.add (local.get $sum) (local.get $n)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $sum))
  (func $deep (export "deep") (param $n i32) (result i32)
    (if (i32.eqz (local.get $n)) (then (return (i32.const 1))))
    (i32.add (i32.const 1) (call $deep (i32.sub (local.get $n) (i32.const 1)))))
  (func (export "grow") (param $pages i32) (result i32)
    (if (i32.eq (memory.grow (local.get $pages)) (i32.const -1)) (then (unreachable)))
    (i32.store (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 4)) (i32.const 99))
    (i32.store (i32.const 16) (i32.const 98))
    (memory.size))
  (func (export "refuse") (global.set $whole (f64.const 9)) (unreachable))
  (func (export "state") (result i32)
    (i32.add (global.get $calls)
      (i32.add (i32.wrap_i64 (global.get $wide))
        (i32.trunc_f64_s (f64.mul (f64.const 2) (global.get $whole)))))))`;

const LIMITS: MeterLimits = { steps: 1_000_000, pages: 600, depth: 4096, entries: {} };
const NAMES = ['sum', 'deep', 'grow', 'refuse', 'state'];

const metered = (limits: Partial<MeterLimits> = {}) => {
  const entries = Object.fromEntries(NAMES.map((name) => [name, undefined]));
  return meter(assembled(PROGRAM), { ...LIMITS, entries, ...limits });
};

function instance(wasm: Uint8Array): Exports {
  const module = new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>);
  return new WebAssembly.Instance(module).exports as unknown as Exports;
}

test('every limit and every trap of an entry becomes an answer, and the next call works', () => {
  const run = instance(catchFailures(metered(), NAMES));
  run.platform_save!();
  assert.is(run.sum!(100), 5050);
  assert.is(run.platform_failure!(), Failure.None);
  for (const [name, parameter, wanted] of [
    ['sum', 1_000_000, Failure.Steps],
    ['deep', 100_000, Failure.Depth],
    ['grow', 601, Failure.Memory],
    ['refuse', 0, Failure.Trap],
  ] as const) {
    assert.is(run[name]!(parameter) ?? 0, 0);
    assert.is(run.platform_failure!(), wanted, name);
    run.platform_restore!();
    assert.is(run.sum!(100), 5050);
    assert.is(run.platform_failure!(), Failure.None);
  }
});

test('what is restored is as it was saved: globals of every type, and memory that has grown since', () => {
  const run = instance(catchFailures(metered(), NAMES));
  run.sum!(1);
  run.platform_save!();
  const state = run.state!();
  assert.is(run.grow!(3), 4);
  run.sum!(1);
  run.refuse!();
  assert.is.not(run.state!(), state);
  run.platform_restore!();
  assert.is(run.state!(), state);
  assert.ok(new Uint8Array(run.memory.buffer).every((byte) => byte === 0));
});

test('a used one has half of the steps and fewer pages, a restored one all again', () => {
  const run = instance(catchFailures(metered(), NAMES));
  run.platform_save!();
  const failureOf = (name: string, parameter: number) => {
    run[name]!(parameter);
    return run.platform_failure!();
  };
  assert.is(failureOf('sum', 400_000), Failure.None);
  run.platform_spare!();
  assert.is(failureOf('sum', 400_000), Failure.Steps);
  assert.is(failureOf('grow', 200), Failure.Memory);
  run.platform_restore!();
  assert.is(failureOf('sum', 400_000), Failure.None);
  assert.is(failureOf('grow', 200), Failure.None);
});

test('every decision module can be made so, in the same bytes each time', async () => {
  const { decisions } = await samplePolicies();
  const modules: [Uint8Array, MeterLimits][] = [
    [decisions!, DECISION_LIMITS],
    [moduleBytes('arguments'), MODULE_LIMITS.arguments!],
    [moduleBytes('guard'), MODULE_LIMITS.guard!],
  ];
  for (const [wasm, { entries }] of modules) {
    const exported = WebAssembly.Module.exports(
      new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>),
    ).map(({ name }) => name);
    const names = Object.keys(entries).filter((name) => exported.includes(name));
    const made = catchFailures(wasm, names);
    assert.ok(WebAssembly.validate(made as Uint8Array<ArrayBuffer>));
    assert.equal(Buffer.from(catchFailures(wasm, names)), Buffer.from(made));
  }
});

test('what is not metered, or lacks an entry, is refused', () => {
  const code = { code: 'module_output_invalid' };
  const isRefused = (error: unknown) => (error as typeof code).code === code.code;
  assert.throws(() => catchFailures(assembled(PROGRAM), NAMES), isRefused);
  assert.throws(() => catchFailures(metered(), ['missing']), isRefused);
  assert.throws(() => catchFailures(Buffer.from('no module'), []), isRefused);
});

test.run();
