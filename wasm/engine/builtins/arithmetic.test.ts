// Tests of arithmetic: whole numbers of any size against BigInt, everything else against what OPA computes.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NumberText } from '../marked-testing.ts';
import { engineUnderTest } from '../testing.ts';

const engine = await engineUnderTest(
  ...['arithmetic', 'bits', 'comparison', 'numbers', 'to-number'],
);
const text = (name: string, ...numbers: string[]): string | undefined =>
  engine.callText(name, ...numbers.map((number) => new NumberText(number)));

const whole = (): fc.Arbitrary<bigint> =>
  fc.oneof(
    fc.bigInt({ min: -9n, max: 9n }),
    fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
    fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }),
    fc
      .tuple(fc.nat(260), fc.integer({ min: -2, max: 2 }), fc.boolean())
      .map(([bits, near, minus]) => (minus ? -1n : 1n) * (2n ** BigInt(bits) + BigInt(near))),
  );

test('whole numbers of any size are exact', () => {
  const operations: Record<string, (a: bigint, b: bigint) => bigint | undefined> = {
    plus: (a, b) => a + b,
    minus: (a, b) => a - b,
    mul: (a, b) => a * b,
    rem: (a, b) => (b === 0n ? undefined : a % b),
    'bits.and': (a, b) => a & b,
    'bits.or': (a, b) => a | b,
    'bits.xor': (a, b) => a ^ b,
    'bits.negate': (a) => ~a,
  };
  fc.assert(
    fc.property(whole(), whole(), (a, b) => {
      for (const [name, expected] of Object.entries(operations)) {
        const parameters = name === 'bits.negate' ? [a] : [a, b];
        assert.is(text(name, ...parameters.map(String)), expected(a, b)?.toString(), name);
      }
      assert.is(engine.call('lt', a, b), a < b);
      assert.is(engine.call('equal', a, new NumberText(`${b}.0`)), a === b);
    }),
    { numRuns: 2000 },
  );
});

test('bits are moved as in two\u2019s complement', () => {
  fc.assert(
    fc.property(whole(), fc.nat(300), (a, bits) => {
      assert.is(text('bits.lsh', String(a), String(bits)), String(a << BigInt(bits)));
      assert.is(text('bits.rsh', String(a), String(bits)), String(a >> BigInt(bits)));
    }),
    { numRuns: 500 },
  );
  assert.is(text('bits.rsh', '-1', '18446744073709551616'), '-1');
  assert.is(text('bits.lsh', '0', '18446744073709551616'), '0');
  assert.is(text('bits.lsh', '1', '-1'), undefined);
  assert.throws(() => text('bits.lsh', '1', '18446744073709551616'), /failure 4/);
});

test('fractions are OPA\u2019s: 64 bits of mantissa, the fewest digits', () => {
  const cases: [string, string[], string | undefined][] = [
    ['div', ['1', '3'], '0.33333333333333333334'],
    ['div', ['2', '3'], '0.6666666666666666667'],
    ['div', ['10', '4'], '2.5'],
    ['div', ['0', '-5'], '-0'],
    ['div', ['1', '0'], undefined],
    ['div', ['1', '0.0'], undefined],
    ['div', ['1', '1000000000'], '1e-09'],
    ['plus', ['0.1', '0.2'], '0.3'],
    ['mul', ['123456.5', '1000.1'], '1.23468845649999999994e+08'],
    ['mul', ['1.5', '1e30'], '1500000000000000000000000000000'],
    ['abs', ['-1180591620717411303425'], '1180591620717411303400'],
    ['round', ['2.5'], '3'],
    ['round', ['-2.5'], '-3'],
    ['round', ['1e30'], '1000000000000000000024696061952'],
    ['floor', ['-0.5'], '0'],
    ['ceil', ['-0.5'], '1'],
    ['rem', ['1.5', '1'], undefined],
    ['rem', ['5.0', '3e0'], '2'],
  ];
  for (const [name, parameters, expected] of cases) {
    assert.is(text(name, ...parameters), expected, `${name} ${parameters.join(' ')}`);
  }
});

test('types are checked, and errors say which', () => {
  for (const name of ['plus', 'minus', 'mul', 'div', 'rem', 'bits.and', 'bits.lsh']) {
    assert.throws(() => engine.callStrict(name, 1, 'a'), /failure 2/, name);
    assert.throws(() => engine.callStrict(name, new Set([1]), 1), /failure 2/, name);
  }
  assert.throws(() => engine.callStrict('div', 1, 0), /failure 1/);
  assert.is(engine.call('bits.and', 1.5, 1), undefined);
});

test('ranges go up and down, and far beyond 64 bits', () => {
  assert.equal(engine.call('numbers.range', 3, 1), [3, 2, 1]);
  assert.equal(engine.call('numbers.range_step', 1, 10, 4), [1, 5, 9]);
  assert.equal(engine.call('numbers.range_step', 10, 1, 4), [10, 6, 2]);
  assert.is(engine.call('numbers.range_step', 10, 1, 0), undefined);
  assert.equal(engine.call('numbers.range', 2n ** 70n, 2n ** 70n + 1n), [
    2n ** 70n,
    2n ** 70n + 1n,
  ]);
  const max = 2n ** 63n - 1n;
  assert.equal(engine.call('numbers.range', max - 1n, max), [max - 1n, max]);
});

test('texts become numbers as Go reads them', () => {
  const cases: [unknown, string | undefined][] = [
    ['1.50', '1.50'],
    ['+1', '1'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['-0', '-0'],
    ['1e3', '1e3'],
    ['1e400', undefined],
    ['', undefined],
    ['-', undefined],
    ['1e', undefined],
    ['1_0', undefined],
    [' 1', undefined],
    ['nan', undefined],
    ['Infinity', undefined],
    [null, '0'],
    [true, '1'],
    [[], undefined],
  ];
  for (const [value, expected] of cases) {
    assert.is(engine.callText('to_number', value), expected, String(value));
  }
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'+-.eE019x'), maxLength: 9 }), (value) => {
      const plain = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value);
      const expected = plain && Number.isFinite(Number(value)) ? Number(value) : undefined;
      const actual = engine.call('to_number', value);
      assert.is(actual === undefined ? undefined : Number(actual), expected);
    }),
    { numRuns: 3000 },
  );
});

test.run();
