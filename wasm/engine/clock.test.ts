// The clock of an evaluation is its input's, and without one nothing that asks for the time answers.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { engineUnderTest } from './testing.ts';

const BUILTIN = 1;
const engine = await engineUnderTest();

/** Nanoseconds that time.now_ns gives for an input, or the failure that ends the evaluation. */
function now(input: unknown): unknown {
  const [value] = engine.values([input]);
  engine.function('clearFailure')();
  engine.function('useInput')(value!);
  try {
    return engine.read(engine.function('b_time_now_ns')());
  } catch {
    return { failure: engine.function('failureOf')() };
  }
}

const absent = [{}, { context: {} }, { context: { time: 'noon' } }, { context: { time: 5 } }, null];
const nanoseconds = 1_780_000_000_500_000_000n;

test('an input without a time has none, until a host sets one', () => {
  for (const input of absent) assert.equal(now(input), { failure: BUILTIN }, JSON.stringify(input));
  engine.function('setTime')(nanoseconds);
  for (const input of absent) assert.is(now(input), nanoseconds, JSON.stringify(input));
});

test('the time of the input comes first', () => {
  engine.function('setTime')(nanoseconds);
  assert.is(now({ context: { time: '1970-01-01T00:00:01.5Z' } }), 1_500_000_000);
  const local = { context: { time: '2026-05-28T22:26:40.5+02:00' } };
  assert.is(now(local), BigInt(Date.parse(local.context.time)) * 1_000_000n);
  assert.is(now({ context: { time: '9999-01-01T00:00:00Z' } }), nanoseconds);
});

test.run();
