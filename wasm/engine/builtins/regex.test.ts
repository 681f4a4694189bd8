// Compares regex.* with OPA's own built-ins on generated patterns, and shows that hostile patterns stay bounded.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { type Call, opaBuiltins } from '../opa-testing.ts';
import { EngineFailure, engineUnderTest } from '../testing.ts';
import { pattern, replacement, subject } from './regex-testing.ts';

const engine = await engineUnderTest('regex');

/** Fails when ours answers a call otherwise than OPA; returns OPA's answers. */
function agree(calls: readonly Call[]): unknown[] {
  const expected = opaBuiltins(calls);
  calls.forEach(([name, ...operands], i) => {
    assert.equal(engine.call(name, ...operands), expected[i], JSON.stringify([name, ...operands]));
  });
  return expected;
}

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

test('agrees with OPA on templates', () => {
  if (!needs('go')) return;
  const part = fc.constantFrom(
    'urn:',
    'a',
    '<',
    '>',
    '<a+>',
    '<[0-9]{2,3}>',
    '<.*>',
    '.',
    '12',
    '<(>',
    '<a|b>',
    '{',
    '^',
  );
  const samples = fc.sample(
    fc.tuple(
      fc.array(part, { maxLength: 5 }),
      fc.array(part, { maxLength: 4 }),
      fc.constantFrom('<', '{', '<<', 'a'),
      fc.constantFrom('>', '}', '', '<'),
    ),
    4000,
  );
  agree(
    samples.map(
      ([template, text, open, close]): Call => [
        'regex.template_match',
        template.join(''),
        text.join(''),
        open,
        close,
      ],
    ),
  );
});

test('agrees with OPA on whether two globs share a text', () => {
  if (!needs('go')) return;
  const token = fc.constantFrom(
    ...[
      'a',
      'b',
      'c',
      '.',
      '[a-c]',
      '[bd]',
      '[]',
      '[a',
      ']',
      '\\*',
      '\\',
      '[\\]a]',
      'é',
      '-',
      '[a-]',
      '[--a]',
      '[b-a]',
    ],
  );
  const repeated = fc
    .tuple(token, fc.constantFrom('', '', '', '*', '*', '+'))
    .map((parts) => parts.join(''));
  const sound = fc
    .tuple(fc.constantFrom('a', 'b', '.', '[a-c]', '[bd]'), fc.constantFrom('', '', '*', '+'))
    .map((parts) => parts.join(''));
  const glob = fc
    .oneof(fc.array(repeated, { maxLength: 4 }), fc.array(sound, { maxLength: 7 }))
    .map((all) => all.join(''));
  const samples = fc.sample(fc.tuple(glob, glob), 20_000);
  const answers = agree(samples.map(([a, b]): Call => ['regex.globs_match', a, b]));
  for (const answer of [true, false, undefined]) {
    const share = answers.filter((given) => given === answer).length / answers.length;
    assert.ok(share > 0.05, `${answer}: ${share}`);
  }
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
  assert.is(engine.call('regex.globs_match', 'a*'.repeat(300), `${'a+'.repeat(300)}b`), false);
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
