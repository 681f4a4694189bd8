// Metered modules answer as before, use the same steps each time, and end at their limits.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { moduleBytes } from '../modules/source.ts';
import { assembled } from '../testing/wat.ts';
import { exhaustedCode, type MeterExports } from './exhausted.ts';
import { DECISION_LIMITS, MODULE_LIMITS } from './limits.ts';
import { type MeterLimits, meter } from './meter.ts';

const LIMITS: MeterLimits = { steps: 1_000_000, pages: 16, depth: 4096, entries: {} };

type Exports = MeterExports & Record<string, (...parameters: number[]) => number>;

function instance(wasm: Uint8Array): Exports {
  const module = new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>);
  return new WebAssembly.Instance(module).exports as unknown as Exports;
}

function metered(text: string, names: string[], limits: Partial<MeterLimits> = {}): Exports {
  const entries = Object.fromEntries(names.map((name) => [name, undefined]));
  return instance(meter(assembled(text), { ...LIMITS, entries, ...limits }));
}

/** What a call gives, or the code of the limit that ended it. */
function outcome(exports: Exports, name: string, ...parameters: number[]): unknown {
  try {
    return exports[name]!(...parameters);
  } catch (error) {
    return exhaustedCode(exports) ?? (error as Error).message;
  }
}

const SUM = `(module
  (func (export "sum") (param $n i32) (result i32) (local $sum i32)
    (loop $next
      (local.set $sum (i32.add (local.get $sum) (local.get $n)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $sum)))`;

const MUTUAL = `(module
  (func $even (export "even") (param $n i32) (result i32)
    (if (i32.eqz (local.get $n)) (then (return (i32.const 1))))
    (call $odd (i32.sub (local.get $n) (i32.const 1))))
  (func $odd (param $n i32) (result i32)
    (block $out (br_if $out (local.get $n)) (return (i32.const 0)))
    (call $even (i32.sub (local.get $n) (i32.const 1)))))`;

test('a loop ends with the code when its steps are used up, and each entry begins anew', () => {
  const exports = metered(SUM, ['sum']);
  for (let round = 0; round < 3; round++) {
    assert.is(outcome(exports, 'sum', 1000), 500_500);
    assert.is(outcome(exports, 'sum', 0x7fffffff), 'steps_exhausted');
  }
});

test('a call that is no entry goes on with what is left', () => {
  const exports = metered(SUM, []);
  const limit = 10_000;
  let calls = 0;
  while (calls < limit && outcome(exports, 'sum', 1000) === 500_500) calls++;
  assert.ok(calls > 0 && calls < limit, `${calls} calls`);
});

test('functions that call each other end with the code, not with the stack of their host', () => {
  const exports = metered(MUTUAL, ['even']);
  for (let round = 0; round < 3; round++) {
    assert.is(outcome(exports, 'even', 100), 1);
    assert.is(outcome(exports, 'even', 101), 0);
    assert.is(outcome(exports, 'even', 1_000_000), 'depth_exhausted');
  }
});

test('calls through the table count for the depth', () => {
  const text = `(module (type $self (func (param i32) (result i32)))
    (table 1 funcref) (elem (i32.const 0) $down)
    (func $down (export "down") (param i32) (result i32)
      (call_indirect (type $self) (local.get 0) (i32.const 0))))`;
  assert.is(outcome(metered(text, ['down']), 'down', 1), 'depth_exhausted');
});

test('functions that call many each pay for themselves', () => {
  const call = (name: string) => `(call $${name} (local.get 0))`.repeat(40);
  const functions = Array.from(
    { length: 8 },
    (_, level) => `(func $f${level + 1} (param i32) ${call(`f${level}`)})`,
  );
  const text = `(module (memory 1) (func $f0 (param i32) (i32.store (i32.const 0) (local.get 0)))
    ${functions.join('\n')} (export "all" (func $f8)))`;
  assert.is(outcome(metered(text, ['all']), 'all', 1), 'steps_exhausted');
});

test('bulk instructions are paid by their length', () => {
  const text = `(module (memory 16) (func (export "fill") (param $n i32)
    (loop $next
      (memory.fill (i32.const 0) (i32.const 1) (i32.const 1000000))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))`;
  const exports = metered(text, ['fill']);
  assert.is(outcome(exports, 'fill', 10), undefined);
  assert.is(outcome(exports, 'fill', 1000), 'steps_exhausted');
});

const GROW = `(func (export "grow") (param $pages i32) (result i32)
  (local.set $pages (memory.grow (local.get $pages)))
  (if (i32.eq (local.get $pages) (i32.const -1)) (then (unreachable)))
  (local.get $pages))`;

test('memory ends at its maximum, with the code where the module gives up', () => {
  for (const memory of ['(memory 1)', '(memory 1 100)', '(memory 1 17)']) {
    const exports = metered(`(module ${memory} ${GROW})`, ['grow']);
    assert.is(outcome(exports, 'grow', 7), 1);
    assert.is(outcome(exports, 'grow', 8), 8);
    assert.is(outcome(exports, 'grow', 1), 'memory_exhausted');
    assert.is(outcome(exports, 'grow', -1), 'memory_exhausted');
    assert.is(outcome(exports, 'grow', 0), 16);
  }
});

test('memory that the host gives is bounded too, and stays an import that any host can serve', () => {
  const wasm = assembled(`(module (import "env" "memory" (memory 1)) ${GROW})`);
  const module = new WebAssembly.Module(
    meter(wasm, { ...LIMITS, entries: { grow: undefined } }) as Uint8Array<ArrayBuffer>,
  );
  assert.is(WebAssembly.Module.imports(module).length, 1);
  const env = { memory: new WebAssembly.Memory({ initial: 1 }) };
  const exports = new WebAssembly.Instance(module, { env }).exports as unknown as Exports;
  assert.is(outcome(exports, 'grow', 15), 1);
  assert.is(outcome(exports, 'grow', 1), 'memory_exhausted');
});

test('another trap has no code', () => {
  const exports = metered('(module (func (export "stop") unreachable))', ['stop']);
  assert.is(outcome(exports, 'stop'), 'unreachable');
});

test('a host may lower the steps, an entry may have its own', () => {
  const exports = metered(SUM, [], { entries: { sum: undefined } });
  assert.is(outcome(exports, 'sum', 100_000), 705_082_704);
  exports.platform_budget!.value = 1000;
  assert.is(outcome(exports, 'sum', 100_000), 'steps_exhausted');
  const own = metered(SUM, [], { entries: { sum: 1000 } });
  assert.is(outcome(own, 'sum', 100_000), 'steps_exhausted');
});

test('what is no module, is metered already or uses what is not known is refused', () => {
  const twice = () => meter(meter(assembled(SUM), LIMITS), LIMITS);
  for (const refusedBy of [twice, () => meter(Buffer.from('no module'), LIMITS)]) {
    assert.throws(refusedBy, (error: { code: string }) => error.code === 'module_output_invalid');
  }
  const tail = assembled('(module (func $f (export "f") (return_call $f)))');
  assert.throws(() => meter(tail, LIMITS), /cannot be metered/);
  assert.throws(() => meter(assembled('(module (memory 17))'), LIMITS), /larger than the limit/);
});

for (const name of ['record', 'scope', 'guard', 'arguments'] as const) {
  test(`${name} is built with the counter`, () => {
    const exports = instance(moduleBytes(name));
    for (const entry of Object.keys(MODULE_LIMITS[name]!.entries)) {
      assert.type(exports[entry], 'function', entry);
    }
    assert.ok(exports.platform_steps instanceof WebAssembly.Global);
  });
}

test('the engine stays valid, and equal modules give equal bytes', () => {
  const wasm = moduleBytes('engine');
  const once = meter(wasm, DECISION_LIMITS);
  assert.ok(WebAssembly.validate(once as Uint8Array<ArrayBuffer>));
  assert.equal(once, meter(wasm, DECISION_LIMITS));
});

/** Programs of nested blocks, loops, branches, calls and returns over one local. */
const statement = fc.letrec<{ statement: string; body: string }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 4 },
    fc
      .integer({ min: -9, max: 9 })
      .map((by) => `(local.set $x (i32.add (local.get $x) (i32.const ${by})))`),
    fc.constant(
      '(if (i32.eqz (i32.and (local.get $x) (i32.const 7))) (then (return (local.get $x))))',
    ),
    fc
      .nat(2)
      .map(
        (to) =>
          `(local.set $x (call $f${to} (i32.sub (local.get $n) (i32.const 1)) (local.get $x)))`,
      ),
    fc.constant(
      '(memory.fill (i32.const 0) (local.get $x) (i32.and (local.get $x) (i32.const 1023)))',
    ),
    tie('body').map((body) => `(block $out ${body} (br_if $out (local.get $x)) ${body})`),
    tie('body').map(
      (body) => `(if (i32.and (local.get $x) (i32.const 1)) (then ${body}) (else ${body}))`,
    ),
    fc.tuple(tie('body'), fc.nat(6)).map(
      ([body, rounds]) => `(local.set $i (i32.const ${rounds}))
        (loop $again ${body} (local.set $i (i32.sub (local.get $i) (i32.const 1)))
          (br_if $again (i32.gt_s (local.get $i) (i32.const 0))))`,
    ),
  ),
  body: fc.array(tie('statement'), { maxLength: 3 }).map((all) => all.join('\n')),
})).body;

test('below the limits a metered module answers as the unmetered one, in equal steps', () => {
  const programs = fc.tuple(statement, statement, statement);
  fc.assert(
    fc.property(programs, fc.integer({ min: -20, max: 20 }), (bodies, x) => {
      const functions = bodies.map(
        (
          body,
          number,
        ) => `(func $f${number} (param $n i32) (param $x i32) (result i32) (local $i i32)
          (if (i32.le_s (local.get $n) (i32.const 0)) (then (return (local.get $x))))
          ${body} (local.get $x))`,
      );
      const text = `(module (memory 1) ${functions.join(' ')} (export "run" (func $f0)))`;
      const wasm = assembled(text);
      const plain = instance(wasm);
      const limits = { ...LIMITS, steps: 1 << 30, entries: { run: undefined } };
      const counted = instance(meter(wasm, limits));
      const expected = plain.run!(3, x);
      assert.is(outcome(counted, 'run', 3, x), expected);
      const left = counted.platform_steps!.value;
      assert.is(outcome(counted, 'run', 3, x), expected);
      assert.is(counted.platform_steps!.value, left);
      // With exactly the steps that it took it ends well, and with one less it does not.
      const used = (1 << 30) - left;
      counted.platform_budget!.value = used;
      assert.is(outcome(counted, 'run', 3, x), expected);
      if (used === 0) return;
      counted.platform_budget!.value = used - 1;
      assert.is(outcome(counted, 'run', 3, x), 'steps_exhausted');
    }),
    { numRuns: 150 },
  );
});

test.run();
