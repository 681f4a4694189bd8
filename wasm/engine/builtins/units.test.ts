// Compares units.* with OPA's own built-ins, to the last digit.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { type Call, opaNumbers } from '../opa-testing.ts';
import { EngineFailure, engineUnderTest } from '../testing.ts';

const engine = await engineUnderTest('units');

/** Fails when ours answers a call otherwise than OPA, by the text of the numbers; returns OPA's answers. */
function agree(calls: readonly Call[]): unknown[] {
  const expected = opaNumbers(calls);
  calls.forEach(([name, ...operands], i) => {
    const found = engine.callText(name, ...operands);
    assert.is(found, expected[i], JSON.stringify([name, ...operands]));
  });
  return expected;
}

const digits = fc.oneof(
  fc.integer({ min: 0, max: 2000 }).map(String),
  fc.bigInt({ min: 0n, max: 2n ** 80n }).map(String),
  fc.constantFrom('', '0', '00', '007', '18446744073709551615', '18446744073709551616', '5'),
);
const exponent = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  { weight: 3, arbitrary: fc.integer({ min: -30, max: 40 }).map((value) => `e${value}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'E+3',
      'e',
      'E-',
      'e1e2',
      'e0000001',
      'e-999999',
      'e001',
      'e+',
      'e-70',
    ),
  },
);
const plainAmount = fc
  .tuple(
    fc.constantFrom('', '', '', '-', '+', '+-'),
    digits,
    fc.option(
      digits.map((text) => `.${text}`),
      { nil: '' },
    ),
    exponent,
  )
  .map((parts) => parts.join(''));
const amount = fc.oneof(
  { weight: 8, arbitrary: plainAmount },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom(...'017.e+-E'), { maxLength: 7 })
      .map((characters) => characters.join(''))
      // Beyond the limits of a result, see below.
      .filter((text) => !/e\+?\d{4}/i.test(text)),
  },
);
const unit = fc.constantFrom(
  ...[
    '',
    'm',
    'k',
    'K',
    'ki',
    'KI',
    'M',
    'mi',
    'G',
    'gI',
    't',
    'Ti',
    'p',
    'Pi',
    'E',
    'e',
    'ei',
    'kb',
    'KiB',
    'MB',
    'mIb',
  ],
  ...[
    'b',
    'GB',
    'eb',
    'EiB',
    'x',
    'kbb',
    'kii',
    ' k',
    '"',
    'é',
    '\u212Ab',
    'k1',
    '/2',
    '_0',
    'i',
    'ib',
    'Mb ',
  ],
);
const text = fc.tuple(amount, unit).map((parts) => parts.join(''));

test('agrees with OPA on amounts with units', () => {
  if (!needs('go')) return;
  const texts = fc.sample(text, 12_000);
  for (const name of ['units.parse', 'units.parse_bytes']) {
    const answers = agree(texts.map((given): Call => [name, given]));
    assert.ok(answers.filter((answer) => answer !== undefined).length > 3000);
  }
  assert.is(engine.callText('units.parse', '1m'), '0.0010000000');
  assert.is(engine.callText('units.parse', '-0.00000000001'), '-0.0000000000');
});

test('ends the evaluation where a result would be beyond its limits', () => {
  const failure = (error: unknown) => error instanceof EngineFailure && error.failure === 4;
  for (const name of ['units.parse', 'units.parse_bytes']) {
    assert.throws(() => engine.call(name, '1e999999'), failure);
    assert.throws(() => engine.call(name, '7'.repeat(5000)), failure);
    assert.is(engine.call(name, '1e1000000'), undefined);
  }
  assert.is(engine.call('units.parse_bytes', '1e-999999EiB'), 0);
});

test('refuses other types as such', () => {
  assert.throws(
    () => engine.callStrict('units.parse', 1),
    (error: unknown) => error instanceof EngineFailure && error.failure === 2,
  );
});

test.run();
