// Holds what rules find to a plain reading of what they say, in whole texts and in texts that come in pieces.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type PlainRule, plainFindings, ruleFile } from './reference-testing.ts';
import { findIn, findInPieces, guardOf } from './testing.ts';

const rules: PlainRule[] = [
  {
    id: 'token',
    pattern: '\\bghp_[0-9A-Za-z]{6,12}\\b',
    keywords: ['ghp_'],
    max: 16,
    word: true,
  },
  {
    id: 'assigned',
    pattern: '[a-z ]{0,20}key *= *"?([^"\\s]+)"?',
    keywords: ['key'],
    max: 40,
    word: false,
  },
  {
    id: 'generic_name',
    pattern: '(?i)(?:pass|key)\\w{0,6}\\s{0,3}[=:]\\s{0,3}([0-9a-z_]{6,20})',
    source: '(?:pass|key)\\w{0,6}[\\t\\n\\f\\r ]{0,3}[=:][\\t\\n\\f\\r ]{0,3}([0-9a-z_]{6,20})',
    flags: 'i',
    keywords: ['key', 'pass'],
    max: 60,
    generic: true,
    word: false,
  },
  { id: 'generic_hex', pattern: '[a-f0-9]{10}', max: 10, generic: true, word: true },
  { id: 'address', pattern: '[a-z]+@[a-z]+\\.com', max: 16, word: true },
  { id: 'at_end', pattern: '(?:aX)+$', max: 12, word: true },
  {
    id: 'lines',
    pattern: '(?ms)^begin .{0,60}? end$',
    source: '^begin .{0,60}? end$',
    flags: 'ms',
    keywords: ['begin'],
    max: 70,
    word: true,
  },
  {
    id: 'unbounded_before',
    pattern: '(?s)a.*xyz',
    source: 'a.*xyz',
    flags: 's',
    keywords: ['xyz'],
    max: 30,
    word: true,
  },
  { id: 'prefers_short', pattern: 'ab(?:c|cd|cde)(?:ef)?', max: 8, word: true },
  {
    id: 'inside',
    pattern: 'z{0}([a-z]{3}9)',
    keywords: ['cd9', 'ef9', 'xyz9'],
    max: 4,
    word: false,
  },
  { id: 'start', pattern: '\\A(?:key|ab)+', source: '^(?:key|ab)+', max: 9, word: true },
  { id: 'overlong', pattern: 'begin[^.]+ end', max: 24, keywords: ['begin'], word: true },
];

const word = fc.constantFrom(
  ...['ghp_', 'ghp_abc123', 'ghp', 'key', 'key = ', '"', 'pass', 'pa', '=', ': ', 'abcdef0123'],
  ...['a@b', '.com', 'aX', 'begin ', ' end', '\n', 'xyz', 'a', ' ', 'abcdef', 'cdef', 'ab', '9'],
  ...['KEY=zzzzzz', 'passwd: qwertyu', 'ghp_1234567890', 'cd9', 'filler filler filler '],
);
const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(''));
const guard = guardOf(ruleFile(rules));

test('finds what the rules say, in any text', () => {
  let count = 0;
  fc.assert(
    fc.property(text, (subject) => {
      const expected = plainFindings(rules, subject);
      assert.equal(findIn(guard, subject), expected, JSON.stringify(subject));
      count += expected.length;
    }),
    { numRuns: 4000 },
  );
  assert.ok(count > 4000, `${count} findings`);
});

test('finds in the pieces of a text what it finds in the whole, and nothing in what was released', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });
  const filled = fc.tuple(fc.nat(600), text, fc.nat(600), text);
  fc.assert(
    fc.property(filled, sizes, ([before, one, between, other], lengths) => {
      const subject = `${' '.repeat(before)}${one}${'é '.repeat(between)}${other}`;
      const letters = [...subject];
      const pieces: string[] = [];
      for (let at = 0, turn = 0; at < letters.length; turn++) {
        const length = lengths[turn % lengths.length]!;
        pieces.push(letters.slice(at, at + length).join(''));
        at += length;
      }
      pieces.push('');
      const whole = findIn(guard, subject);
      assert.equal(findInPieces(guard, pieces).found, whole, JSON.stringify({ subject, lengths }));
    }),
    { numRuns: 150 },
  );
});

test('finds what lies across the blocks in which a text is read', () => {
  const secret = 'ghp_1234567890';
  fc.assert(
    fc.property(fc.integer({ min: 4060, max: 4110 }), (before) => {
      const subject = `${' '.repeat(before)}${secret} x key = qwertyuiop ${' '.repeat(5000)}${secret}`;
      const start = before;
      assert.equal(findIn(guard, subject), [
        ['token', start, start + 14],
        ['assigned', start + 23, start + 33],
        ['token', start + 5034, start + 5048],
      ]);
    }),
    { numRuns: 50 },
  );
});

test('holds back little of a text in which nothing is found', () => {
  const shipped = 'The quick brown fox jumps over the lazy dog, and nobody asks for its papers. ';
  const letters = [...shipped.repeat(4)];
  const { held } = findInPieces(guard, letters);
  // The longest way from the beginning of a match to its keyword is that of `unbounded_before`.
  assert.ok(Math.max(...held) <= 30, `${Math.max(...held)} bytes held back`);
  assert.is(held.at(-1), 0);
});

test.run();
