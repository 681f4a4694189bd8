// Shows that compiled patterns are kept in an evaluation without taking one for another.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { engineUnderTest } from '../testing.ts';

const engine = await engineUnderTest('regex');

test('answers by the right pattern however many an evaluation has', () => {
  // Large enough that what is kept is dropped several times, some too large to be kept at all.
  const sizes = [1, 3, 40, 400, 3000];
  const patterns = sizes.flatMap((size) =>
    Array.from(
      { length: 24 },
      (_, i) => `^(?:x{0,${size % 1000}}|[a-f]){0,${Math.ceil(size / 1000)}}p${i}$`,
    ),
  );
  const texts = Array.from({ length: 24 }, (_, i) => `p${i}`);
  const values = engine.values([...patterns, ...texts]);
  const match = engine.function('b_regex_match');
  for (let round = 0; round < 3; round++) {
    patterns.forEach((pattern, i) => {
      for (const j of [i % 24, (i + 1) % 24]) {
        const found = match(values[i] as number, values[patterns.length + j] as number);
        assert.is(engine.read(found), i % 24 === j, `${pattern} in p${j}`);
      }
    });
  }
});

test('keeps no pattern from one evaluation to the next', () => {
  // Strings of the second evaluation lie where those of the first one were.
  for (const [pattern, expected] of [
    ['a+', true],
    ['b+', false],
    ['a*', true],
    ['(b)', false],
  ] as const) {
    assert.is(engine.call('regex.match', pattern, 'aa'), expected);
  }
});

test.run();
