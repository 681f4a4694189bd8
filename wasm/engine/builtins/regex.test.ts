// Compares regex.* with OPA's own built-ins on generated patterns, and shows that hostile patterns stay bounded.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import type { Call } from '../opa-testing.ts';
import { EngineFailure, engineUnderTest } from '../testing.ts';
import { agreesWithOpa } from './opa-agreement-testing.ts';
import { pattern, replacement, subject } from './regex-testing.ts';

const engine = await engineUnderTest('regex');

const agree = (calls: readonly Call[]) => agreesWithOpa(engine, calls);

test('agrees with OPA on generated patterns', () => {
  if (!needs('go')) return;
  const samples = fc.sample(
    fc.tuple(pattern, subject, subject, replacement, fc.integer({ min: -1, max: 3 })),
    6000,
  );
  const calls = samples.flatMap(([source, one, other, by, most]): Call[] => [
    ['regex.match', source, one],
    ['regex.find_all_string_submatch_n', source, one + other, most],
    ['regex.find_n', source, other, -1],
    ['regex.replace', other + one, source, by],
    ['regex.split', source, one + other],
  ]);
  const answers = agree(calls).filter((_, i) => i % 5 === 0);
  const share = answers.filter((answer) => answer === true).length / answers.length;
  assert.ok(share > 0.15 && share < 0.85, `${share} match`);
});

test('prefers what Go prefers where a repetition may match nothing', () => {
  if (!needs('go')) return;
  const sources = [
    ...[
      '([^A]*?s{0,2})+[^k]',
      '(|a)*',
      '(|a)+',
      '(a*)+',
      '(a*?)*b',
      '(a|b*)*c',
      '(?:a*)*?k',
      '(a*|b)*',
    ],
    ...[
      '(?:(?:a?)?)??b',
      '((a)|b)*',
      '(a(b)?)+',
      '(?:x{1}|)+a',
      '(a{0}b*)*',
      '(^a*|b)*',
      '(\\b|a)+k',
    ],
    ...[
      '(?U)(a+?)(b*)',
      'a*(?i)*',
      '(a|ab)(c|bcd)(d*)',
      '(?i)\\p{LC}',
      '(?i)[\\P{LC}]',
      '(?i)k+s*',
    ],
  ];
  const texts = ['kbǅa', 'aabbabc', 'bacak', '', 'abcd', 'aB\u0345K\u212as', 'aaab'];
  agree(
    sources.flatMap((source) =>
      texts.flatMap((text): Call[] => [
        ['regex.find_all_string_submatch_n', source, text, -1],
        ['regex.replace', text, source, '<$1>'],
      ]),
    ),
  );
});

test('finds what the host finds first, where the two agree on what that is', () => {
  const character = fc.constantFrom('a', 'b', '.', '[ab]', '[^b]', '\\d', 'é', '😀', '\\bc');
  const atom = fc
    .tuple(character, fc.constantFrom('', '', '*', '+', '?', '*?', '+?', '??', '{1,2}'))
    .map(([of, times]) => (of === '\\bc' ? of : of + times));
  const sequence = fc.array(atom, { minLength: 1, maxLength: 3 }).map((all) => all.join(''));
  const group = fc.tuple(sequence, sequence).map(([a, b]) => `(${a}|${b})`);
  const source = fc
    .array(fc.oneof(sequence, group), { minLength: 1, maxLength: 4 })
    .map((all) => all.join(''));
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '1', 'é', '😀'), { maxLength: 10 })
    .map((all) => all.join(''));
  let found = 0;
  fc.assert(
    fc.property(source, text, (pattern, given) => {
      const match = new RegExp(pattern, 'u').exec(given);
      if (match) found += 1;
      assert.equal(
        engine.call('regex.find_all_string_submatch_n', pattern, given, 1),
        match ? [[...match].map((part) => part ?? '')] : [],
        JSON.stringify([pattern, given]),
      );
    }),
    { numRuns: 3000 },
  );
  assert.ok(found > 500);
});

test('takes what Go takes as a pattern, and nothing else', () => {
  if (!needs('go')) return;
  const piece = fc.constantFrom(
    ...'()[]{}|*+?.^$\\-,:=!<>&~#'.split(''),
    ...'abkpxudDwsSQEAzZCPiU0129é😀',
    ...[
      '(?',
      '(?:',
      '(?P<',
      '(?<n>',
      '(?i',
      '[^',
      '[[:',
      ':]',
      '\\x{',
      '\\p{',
      '\\pL',
      '{2,',
      '{1}',
      '{1001}',
    ],
    ...[
      '\\Q',
      '\\E',
      '{01}',
      '(?i-',
      '(?P=n)',
      '[:alpha:]',
      '{2,1}',
      '{1000}',
      '{600}',
      '\\8',
      '\\12',
      '(?-)',
    ],
  );
  const sources = fc.sample(fc.array(piece, { maxLength: 7 }), 30_000).map((all) => all.join(''));
  const names = [
    'Greek',
    'greek',
    'GREEK',
    'Old_Italic',
    'L u',
    'l_u',
    'Cn',
    'Ascii',
    'ANY',
    'Lx',
    '',
    '^L',
    'digit',
  ].map((name) => `\\p{${name}}`);
  const answers = agree([...sources, ...names].map((source): Call => ['regex.is_valid', source]));
  const share = answers.filter((answer) => answer === true).length / answers.length;
  assert.ok(share > 0.1 && share < 0.9, `${share} are patterns`);
});

test('knows every category, every script and every fold as Go does', () => {
  if (!needs('go')) return;
  const points = fc.sample(fc.integer({ min: 0, max: 0x1fbff }), 4000);
  const text = points
    .map((point) => (point >= 0xd800 && point <= 0xdfff ? 0x41 : point))
    .map((point) => String.fromCodePoint(point))
    .join('');
  const scripts = [
    'Latin',
    'Greek',
    'Cyrillic',
    'Han',
    'Common',
    'Inherited',
    'Arabic',
    'Tangut',
    'Adlam',
    'Yezidi',
  ];
  const categories =
    'L M N P S Z C Lu Ll Lt Lm Lo LC Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Cc Cf Co Cn';
  const sources = [...scripts, ...categories.split(' ')].flatMap((name) => [
    `\\p{${name}}`,
    `(?i)\\p{${name}}`,
    `(?i)[^\\P{${name}}a]`,
  ]);
  const cased = fc.sample(fc.integer({ min: 0x41, max: 0x1e950 }), 400).map((point) => {
    const low = point >= 0xd800 && point <= 0xdfff ? 0x41 : point;
    return `(?i)[${String.raw`\x{${low.toString(16)}}-\x{${(low + 0x60).toString(16)}}`}]`;
  });
  agree([...sources, ...cased].map((source): Call => ['regex.find_n', source, text, -1]));
});

test('takes time in proportion to text and pattern on patterns that make others backtrack', () => {
  const text = `${'a'.repeat(20_000)}!`;
  for (const source of [
    '(a*)*b',
    '(a+)+$',
    '(a|aa)+$',
    '(.*a){12}$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(((a*)*)*)*$',
  ]) {
    assert.is(engine.call('regex.match', source, text), source === '(((a*)*)*)*$');
    engine.call('regex.find_all_string_submatch_n', source, text.slice(0, 2000), 1);
  }
});

test('ends the evaluation where a pattern is beyond its limits', () => {
  const large = [
    '(a?){1000}'.repeat(20),
    'a'.repeat(8193),
    `${'('.repeat(300)}${')'.repeat(300)}`,
    `a${'*(?i)+(?i)'.repeat(300)}`,
    '[\\pL\\PN]'.repeat(500),
  ];
  for (const source of large) {
    for (const name of ['regex.match', 'regex.is_valid']) {
      const operands = name === 'regex.match' ? [source, 'a'] : [source];
      assert.throws(
        () => engine.call(name, ...operands),
        (error: unknown) => error instanceof EngineFailure,
      );
    }
  }
  assert.is(engine.call('regex.match', '(a{0,30}){33}$', 'a'.repeat(900)), true);
});

test('refuses operands of another type as such', () => {
  const failure = (error: unknown) => error instanceof EngineFailure && error.failure === 2;
  assert.throws(() => engine.callStrict('regex.match', 1, 'a'), failure);
  assert.throws(() => engine.callStrict('regex.find_n', 'a', 'a', 'x'), failure);
  assert.is(engine.call('regex.is_valid', 1), false);
  assert.is(engine.call('regex.match', 'a', null), undefined);
});

test.run();
