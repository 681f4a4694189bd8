// Compares glob.* with OPA's own built-ins on generated globs.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import type { Call } from '../opa-testing.ts';
import { EngineFailure, engineUnderTest } from '../testing.ts';
import { agreesWithOpa } from './opa-agreement-testing.ts';

const engine = await engineUnderTest('glob');

const agree = (calls: readonly Call[]) => agreesWithOpa(engine, calls);

const letter = fc.constantFrom('a', 'b', 'c', '.', ':', 'é', '😀', '-', '/', '\n');
const text = fc.array(letter, { maxLength: 8 }).map((all) => all.join(''));
const delimiters = fc.constantFrom<unknown>(
  null,
  [],
  ['.'],
  [':', '/'],
  ['é'],
  ['-', ']'],
  ['ab'],
  [1],
  'x',
);
const { glob } = fc.letrec<{ glob: string }>((tie) => {
  const piece = fc.oneof(
    { weight: 6, arbitrary: letter },
    { weight: 4, arbitrary: fc.constantFrom('*', '**', '?', '*', '**') },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        '[a-c]',
        '[!a-c]',
        '[ab]',
        '[!.]',
        '[\\]a]',
        '[a-é]',
        '[-]',
        '[!-a]',
        '[+--]',
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('\\*', '\\\\', '\\,', '\\a', '\\}', ',', '}', ']', '!'),
    },
    {
      weight: 3,
      arbitrary: fc
        .array(tie('glob'), { minLength: 1, maxLength: 3 })
        .map((all) => `{${all.join(',')}}`),
    },
  );
  return { glob: fc.array(piece, { maxLength: 4, depthSize: 'small' }).map((all) => all.join('')) };
});

test('agrees with OPA on generated globs', () => {
  if (!needs('go')) return;
  const samples = fc.sample(
    fc.tuple(glob, delimiters, fc.array(text, { minLength: 5, maxLength: 5 })),
    4000,
  );
  const calls = samples.flatMap(([pattern, stops, texts]): Call[] => [
    ...texts.map((given): Call => ['glob.match', pattern, stops, given]),
    // A text that differs from the glob in little, so that enough match.
    ['glob.match', pattern, stops, pattern.replaceAll(/[*?[\]{}!,\\]/g, 'a')],
    ['glob.match', `*${pattern}**`, stops, texts[0]],
  ]);
  const answers = agree(calls);
  for (const answer of [true, false]) {
    const share = answers.filter((given) => given === answer).length / answers.length;
    assert.ok(share > 0.08, `${answer}: ${share}`);
  }
});

test('takes what OPA takes as a glob, and nothing else', () => {
  if (!needs('go')) return;
  const piece = fc.constantFrom(...'[]{}!-,*?\\ab]é');
  const samples = fc.sample(fc.array(piece, { maxLength: 8 }), 20_000).map((all) => all.join(''));
  agree(samples.map((pattern): Call => ['glob.match', pattern, null, 'ab']));
});

test('quotes what OPA quotes', () => {
  if (!needs('go')) return;
  const samples = fc.sample(fc.string({ unit: 'binary', maxLength: 20 }), 2000);
  agree(samples.map((given): Call => ['glob.quote_meta', given]));
});

test('takes time in proportion to text and glob', () => {
  const long = 'a'.repeat(20_000);
  assert.is(engine.call('glob.match', '*a'.repeat(50).concat('b'), null, long), false);
  assert.is(engine.call('glob.match', '{a,aa}'.repeat(50).concat('*b'), null, long), false);
  assert.throws(
    () => engine.call('glob.match', '{'.repeat(300) + '}'.repeat(300), null, 'a'),
    (error: unknown) => error instanceof EngineFailure,
  );
});

test.run();
