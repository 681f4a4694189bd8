// Tests of what the scanners read of a text: stems, stop words, scripts without spaces; and of the square root.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WordReader } from '../../../scripts/guard/word-reader.ts';

const reader = await WordReader.create();
const words = (text: string): number[] => [...reader.words(text)];

function assertOneStem(...forms: string[]): void {
  for (const form of forms) assert.equal(words(form), words(forms[0]!), form);
  assert.is(words(forms[0]!).length, 1, forms[0]);
}

test('forms of a word have one stem', () => {
  assertOneStem('play', 'Plays', 'played', 'PLAYING');
  assertOneStem('city', 'cities');
  assertOneStem('box', 'boxes');
  assertOneStem('class', 'classes');
  assertOneStem('bake', 'bakes', 'baking', 'baked');
  assertOneStem('stop', 'stopped', 'stopping', 'stops');
  assertOneStem('Krankheit', 'Krankheiten');
  assertOneStem('gato', 'gatos', 'gata');
  assertOneStem('больница', 'больницы', 'БОЛЬНИЦУ');
});

test('different words have different stems', () => {
  const all = [
    'doctor',
    'hospital',
    'baseball',
    'team',
    'law',
    'lawyer',
    'bus',
    'analysis',
    '2024',
    '2025',
  ];
  assert.is(new Set(all.flatMap(words)).size, all.length);
});

test('words that say nothing are left out, in each language', () => {
  for (const text of [
    'the and of with',
    'der und nicht für',
    'les et été',
    'qué el más muy',
    'così la',
  ]) {
    const expected = ['été', 'qué', 'così'].filter((word) => text.includes(word)).length;
    assert.is(words(text).length, expected, text);
  }
  assert.equal(words('a b c . , ! — “x” 😀 \u200b'), []);
});

test('neighbouring characters of Chinese, Japanese and Thai are words', () => {
  assert.is(words('棒球比赛').length, 3);
  assert.equal(words('棒球 比赛'), [words('棒球')[0]!, words('比赛')[0]!]);
  assert.is(words('โรง').length, 2);
  assert.equal(words('我'), []);
});

test('of a long word the first bytes count', () => {
  const long = `q${'w'.repeat(60)}`;
  assert.equal(words(`${long}a`), words(`${long}b`));
  assert.is(words('Ω'.repeat(3000)).length, 1);
});

test('any text is read, and the words of a list are those of its items', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 80 }),
    fc.string({ unit: 'binary', maxLength: 80 }).map((each) => each.toWellFormed()),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
      assert.equal(words(texts.join('\n')), texts.flatMap(words));
    }),
    { numRuns: 2000 },
  );
});

test.run();
