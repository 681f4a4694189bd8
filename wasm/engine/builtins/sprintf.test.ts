// Tests of sprintf and template strings: against OPA's own sprintf on formats of all verbs, flags and mistakes.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NumberText } from '../marked-testing.ts';
import type { Call } from '../opa-testing.ts';
import { engineUnderTest } from '../testing.ts';
import { agreesWithOpa } from './opa-agreement-testing.ts';

const engine = await engineUnderTest('sprintf', 'template-string');

const number = (): fc.Arbitrary<NumberText> =>
  fc
    .oneof(
      fc.integer({ min: -1000, max: 1000 }).map(String),
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
      fc.constantFrom(
        '0',
        '0.0',
        '-0.0',
        '-0',
        '100.0',
        '5e-324',
        '1.7976931348623157e308',
        '1e400',
      ),
      fc.constantFrom('9223372036854775807', '-9223372036854775808', '5.684341886080801e-14'),
      fc
        .tuple(fc.nat(999999), fc.nat(999999), fc.integer({ min: -320, max: 300 }))
        .map(([whole, part, power]) => `${whole}.${part}e${power}`),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    )
    .map((text) => new NumberText(text));
const text = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(
      '',
      'a',
      'häß',
      '"q`\\',
      '\n\t\u0000\u007f',
      '\ufeffx',
      '\u00ad\u200b\u{e0001}',
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
const composite = (): fc.Arbitrary<unknown> =>
  fc.constantFrom<unknown>(
    ...[null, true, [], [1, 'x', null], {}, { b: [1], a: 'ü"' }, new Set(), new Set(['b', 1])],
  );
const directive = (): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('', '', 'x ', 'é'),
      fc.constantFrom('', '', '#', '0', '+', '-', ' ', '+#', '-0', '# '),
      fc.constantFrom('', '', '7', '12', '*', '[1]*', '[2]', '[9]', '[x]', '['),
      fc.constantFrom('', '', '.', '.3', '.25', '.*', '.[1]*'),
      fc.constantFrom('', '', '[1]'),
      fc.constantFrom(...'vdsqxXoObcUeEfFgGtTz%é'),
    )
    .map(([before, ...parts]) => `${before}%${parts.join('')}`);
const format = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.array(directive(), { minLength: 1, maxLength: 3 }).map((all) => all.join('')),
    fc
      .array(fc.constantFrom('%', 's', 'd', '[', ']', '1', '*', '.', '-'), { maxLength: 6 })
      .map((all) => all.join('')),
  );

test('every format writes what OPA writes', () => {
  const values = fc.array(fc.oneof(number(), number(), text(), composite()), { maxLength: 4 });
  const call = fc.tuple(
    fc.constant('sprintf'),
    format(),
    values,
  ) as fc.Arbitrary<unknown> as fc.Arbitrary<Call>;
  agreesWithOpa(engine, fc.sample(call, 6000));
});

test('operands of other kinds are type errors', () => {
  assert.throws(() => engine.callStrict('sprintf', 1, []), /failure 2/);
  assert.throws(() => engine.callStrict('sprintf', '%d', 1), /failure 2/);
});

test('brackets and stars without end cost no more than their length', () => {
  const long = '%['.repeat(100_000);
  assert.is(engine.call('sprintf', long, [1]), '%['.repeat(50_000));
  assert.is((engine.call('sprintf', '%*d', [1_000_000, 7]) as string).length, 1_000_000);
});

test('template strings join scalars and what expressions gave', () => {
  const parts = ['a ', new Set(['x']), new Set(), new Set([[1, 'q']]), 5, null, true];
  assert.is(engine.call('internal.template_string', parts), 'a x<undefined>[1, "q"]5nulltrue');
  assert.throws(() => engine.call('internal.template_string', [new Set([1, 2])]), /failure 3/);
  assert.throws(() => engine.callStrict('internal.template_string', [[1]]), /failure 2/);
});

test.run();
