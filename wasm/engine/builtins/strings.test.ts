// Tests of the built-ins for strings: against OPA's own on texts made to collide, and in linear time on the worst.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Call } from '../opa-testing.ts';
import { engineUnderTest } from '../testing.ts';
import { agreesWithOpa } from './opa-agreement-testing.ts';

const engine = await engineUnderTest(
  ...['strings', 'strings-affix', 'strings-case', 'strings-replace', 'strings-trim', 'format-int'],
);

// Few characters of every length in UTF-8, so that parts are found and cut characters would show.
const text = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc
      .array(fc.constantFrom('a', 'b', 'ä', '日', '😀', ' ', '\u00a0'), { maxLength: 8 })
      .map((a) => a.join('')),
    fc.array(fc.constantFrom('a', 'b'), { maxLength: 12 }).map((a) => a.join('')),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );
const index = (): fc.Arbitrary<number> => fc.integer({ min: -3, max: 9 });
const other = (): fc.Arbitrary<unknown> => fc.constantFrom(null, 1, 1.5, [], {}, new Set(['a']));
const texts = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    text(),
    fc.array(text(), { maxLength: 4 }),
    fc.array(text(), { maxLength: 4 }).map((a) => new Set(a)),
    fc.array(fc.oneof(text(), other()), { maxLength: 3 }),
  );

const operands: Record<string, fc.Arbitrary<unknown>[]> = {
  concat: [text(), texts()],
  contains: [text(), text()],
  startswith: [text(), text()],
  endswith: [text(), text()],
  indexof: [text(), text()],
  indexof_n: [text(), text()],
  lower: [text()],
  upper: [text()],
  replace: [text(), text(), text()],
  split: [text(), text()],
  'strings.split_n': [text(), text(), index()],
  'strings.count': [text(), text()],
  'strings.reverse': [text()],
  'strings.replace_n': [fc.dictionary(text(), text(), { maxKeys: 4 }), text()],
  'strings.any_prefix_match': [texts(), texts()],
  'strings.any_suffix_match': [texts(), texts()],
  substring: [text(), index(), index()],
  trim: [text(), text()],
  trim_left: [text(), text()],
  trim_right: [text(), text()],
  trim_prefix: [text(), text()],
  trim_suffix: [text(), text()],
  trim_space: [text()],
};

test('every built-in answers as OPA does', () => {
  for (const [name, types] of Object.entries(operands)) {
    const call = fc.tuple(fc.constant(name), ...types) as unknown as fc.Arbitrary<Call>;
    const wrong = fc.tuple(fc.constant(name), ...types.map(other)) as unknown as fc.Arbitrary<Call>;
    agreesWithOpa(engine, [...fc.sample(call, 400), ...fc.sample(wrong, 20)]);
  }
});

test('every character has the case that Go gives it', () => {
  const calls: Call[] = [];
  for (let from = 0; from < 0x110000; from += 0x400) {
    // No surrogates: they are no characters.
    if (from >= 0xd800 && from < 0xe000) continue;
    const all = String.fromCodePoint(...Array.from({ length: 0x400 }, (_, i) => from + i));
    calls.push(['lower', all], ['upper', all]);
  }
  agreesWithOpa(engine, calls);
});

test('numbers are written in each base as OPA does', () => {
  const number = fc.oneof(
    fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }),
    fc.integer({ min: -300, max: 300 }),
    fc.double({ min: -1e15, max: 1e15, noNaN: true }),
    fc.double({ min: -1e40, max: 1e40, noNaN: true }),
  );
  const call = fc.tuple(fc.constant('format_int'), number, fc.constantFrom(2, 8, 10, 16, 3, '2'));
  agreesWithOpa(engine, fc.sample(call, 1000) as unknown as Call[]);
});

test('texts made to be searched slowly are searched in linear time', () => {
  const length = 200_000;
  const haystack = 'a'.repeat(length);
  const needle = `${'a'.repeat(length / 2)}b`;
  assert.is(engine.call('contains', haystack, needle), false);
  assert.is(engine.call('strings.count', haystack, needle), 0);
  assert.is(engine.call('replace', haystack, needle, ''), haystack);
  assert.equal(engine.call('split', haystack, needle), [haystack]);
  assert.equal(engine.call('indexof_n', haystack, needle), []);
  assert.is(engine.call('trim', haystack, 'ab'.repeat(length / 2)), '');
});

test.run();
