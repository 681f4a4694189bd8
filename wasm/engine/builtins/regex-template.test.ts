// Compares regex.template_match with OPA's own.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import type { Call } from '../opa-testing.ts';
import { engineUnderTest } from '../testing.ts';
import { agreesWithOpa } from './opa-agreement-testing.ts';

const engine = await engineUnderTest('regex');
const agree = (calls: readonly Call[]) => agreesWithOpa(engine, calls);

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

test('refuses what pairs no delimiters', () => {
  assert.is(engine.call('regex.template_match', 'urn:{[0-9]+', 'urn:1', '{', '}'), undefined);
  assert.is(engine.call('regex.template_match', 'urn:{[0-9]+}', 'urn:1', '{{', '}'), undefined);
  assert.is(engine.call('regex.template_match', 'urn:{[0-9]+}', 'urn:17', '{', '}'), true);
});

test.run();
