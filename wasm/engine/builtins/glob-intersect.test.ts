// Compares regex.globs_match with OPA's own.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import type { Call } from '../opa-testing.ts';
import { engineUnderTest } from '../testing.ts';
import { agreesWithOpa } from './opa-agreement-testing.ts';

const engine = await engineUnderTest('regex');
const agree = (calls: readonly Call[]) => agreesWithOpa(engine, calls);

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

test('takes time in proportion to the product of the lengths', () => {
  // OPA's own recursion needs a time that doubles with each token.
  const hostile = `${'a+'.repeat(300)}b`;
  assert.is(engine.call('regex.globs_match', '[ab]*.*'.repeat(150).concat('c'), hostile), false);
  assert.is(engine.call('regex.globs_match', 'a*'.repeat(300), hostile), false);
});

test.run();
