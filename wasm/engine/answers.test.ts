// Tests of the numbers of results: equal ones share one, and forgotten ones never come back as another.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { engineUnderTest } from './testing.ts';
import { regoValue, reversed, type Value } from './values-testing.ts';

const KEPT = 32;
const engine = await engineUnderTest('comparison');

const answer = (value: unknown): number =>
  engine.function('answer')((engine.values([value]) as [number])[0]);

function text(number: number): string | undefined {
  const value = engine.function('answerText')(number);
  return value === 0 ? undefined : engine.text(value);
}

test('equal results have one number, others another, over and over', () => {
  let run = 0;
  fc.assert(
    fc.property(
      fc.array(regoValue(), { minLength: 1, maxLength: KEPT }),
      fc.nat(),
      (values, seed) => {
        run += 1;
        // New in every run, so that none of them is an old answer that is replaced soon.
        const known: [Value, number, string | undefined][] = values.map((each) => {
          const value = [run, each];
          const number = answer(value);
          return [value, number, text(number)];
        });
        for (let i = 0; i < 10; i++) {
          const [value, number, expected] = known[
            (seed + i * 7) % known.length
          ] as (typeof known)[0];
          assert.is(answer(reversed(value)), number);
          // Also when the evaluation's memory has been used for something else.
          engine.values(['x'.repeat(2000)]);
          assert.is(text(number), expected);
        }
      },
    ),
    { numRuns: 100 },
  );
});

test('undefined has no number and no text', () => {
  assert.is(engine.function('answer')(0), -1);
  assert.is(engine.function('result')(), 0);
  assert.is(text(-1), undefined);
});

test('a result that was replaced gets a new number, and its old one has no text', () => {
  const first = answer(['first']);
  const others = Array.from({ length: KEPT }, (_, i) => answer(['other', i]));
  engine.function('begin')(0);
  assert.is(text(first), undefined);
  assert.is(new Set([first, ...others]).size, KEPT + 1);
  const again = answer(['first']);
  assert.ok(again > Math.max(...others));
  assert.is(text(again), '["first"]');
});

test('results of every size are kept whole, and very large ones for their own evaluation', () => {
  for (const size of [1, 100, 511, 512, 513, 5000, 100_000]) {
    const value = { texts: Array.from({ length: 3 }, (_, i) => `${i}`.repeat(size)), n: size };
    const number = answer(value);
    const expected = text(number);
    assert.equal(JSON.parse(expected as string), value);
    engine.values(['y'.repeat(300_000)]);
    assert.is(text(number), size === 100_000 ? undefined : expected, `${size}`);
    assert.is(answer(value) === number, size !== 100_000, `${size}`);
  }
});

test('memory does not grow with the number of different results', () => {
  const run = (from: number): void => {
    for (let i = from; i < from + 3000; i++) answer({ i, text: 'z'.repeat(i % 3000) });
  };
  run(0);
  const bytes = engine.exports.memory.buffer.byteLength;
  const start = engine.function('begin')(0);
  run(3000);
  run(6000);
  assert.is(engine.exports.memory.buffer.byteLength, bytes);
  assert.ok(engine.function('begin')(0) - start < KEPT * 4096);
});

test.run();
