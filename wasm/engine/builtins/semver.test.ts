// Compares semver.* with OPA's own built-ins.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import type { Call } from '../opa-testing.ts';
import { EngineFailure, engineUnderTest } from '../testing.ts';
import { agreesWithOpa } from './opa-agreement-testing.ts';

const engine = await engineUnderTest('semver');

const agree = (calls: readonly Call[]) => agreesWithOpa(engine, calls);

const number = fc.constantFrom('0', '1', '2', '10', '9223372036854775807');
const wrongNumber = fc.constantFrom('01', '', '-1', '+1', 'x', '9223372036854775808', '1 ');
const identifier = fc.constantFrom(
  'a',
  'b',
  'alpha',
  '1',
  '2',
  '11',
  '0',
  'a-b',
  '-',
  '1a',
  'B',
  '99999999999999999999',
);
const wrongIdentifier = fc.constantFrom('', '01', 'é', 'a_b', ' ', 'a+b');
const list = (of: fc.Arbitrary<string>) =>
  fc.array(of, { minLength: 1, maxLength: 3 }).map((all) => all.join('.'));
const version = (digits: fc.Arbitrary<string>, names: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.constantFrom('', '', 'v'),
      fc.tuple(digits, digits, digits).map((all) => all.join('.')),
      fc.option(
        list(names).map((text) => `-${text}`),
        { nil: '' },
      ),
      fc.option(
        list(names).map((text) => `+${text}`),
        { nil: '' },
      ),
    )
    .map((parts) => parts.join(''));
const sound = version(number, identifier);
const any = fc.oneof(
  sound,
  version(
    fc.oneof({ weight: 4, arbitrary: number }, { weight: 1, arbitrary: wrongNumber }),
    identifier,
  ),
  version(
    number,
    fc.oneof({ weight: 3, arbitrary: identifier }, { weight: 1, arbitrary: wrongIdentifier }),
  ),
  fc.constantFrom(
    '',
    'v',
    '1',
    '1.2',
    '1.2.3.4',
    'vv1.2.3',
    '1.2.3-',
    '1.2.3+',
    '1..2',
    '1.2.3-a..b',
  ),
);

test('orders versions as OPA does', () => {
  if (!needs('go')) return;
  const near = fc
    .tuple(list(identifier), list(identifier))
    .map(([a, b]) => [`1.0.0-${a}`, `1.0.0-${b}`] as const);
  const pairs = [...fc.sample(fc.tuple(sound, sound), 5000), ...fc.sample(near, 5000)];
  const answers = agree(pairs.map(([a, b]): Call => ['semver.compare', a, b]));
  for (const answer of [-1, 0, 1])
    assert.ok(answers.filter((given) => given === answer).length > 20);
});

test('takes what OPA takes as a version, and nothing else', () => {
  if (!needs('go')) return;
  const texts = fc.sample(any, 8000);
  const answers = agree(texts.map((text): Call => ['semver.is_valid', text]));
  assert.ok(answers.includes(true) && answers.includes(false));
  agree(texts.map((text): Call => ['semver.compare', text, '1.2.3']));
});

test('refuses other types as OPA does', () => {
  assert.is(engine.call('semver.is_valid', 1), false);
  assert.is(engine.call('semver.compare', '1.0.0', 'x'), undefined);
  assert.throws(
    () => engine.callStrict('semver.compare', '1.0.0', 1),
    (error: unknown) => error instanceof EngineFailure && error.failure === 2,
  );
});

test.run();
