// Tests of numbers: the binary64 of any text, its shortest text, and the order of what is written differently.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NumberText } from './marked-testing.ts';
import { engineUnderTest } from './testing.ts';

const engine = await engineUnderTest('comparison', 'arithmetic', '../number');
const bits = (number: number): bigint =>
  new BigUint64Array(new Float64Array([number]).buffer)[0] as bigint;

/** The binary64 that the engine keeps with a number that is no INTEGER. */
function nearest(text: string): number {
  const [value] = engine.values([new NumberText(text)]) as [number];
  return new DataView(engine.exports.memory.buffer).getFloat64(value + 8, true);
}

const digits = (max: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max });

test('every text has its nearest binary64', () => {
  const long = fc
    .tuple(digits(30), digits(40), fc.integer({ min: -350, max: 330 }), fc.boolean())
    .map(([a, b, e, minus]) => `${minus ? '-' : ''}${BigInt(a)}.${b}e${e}`);
  const written = fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => `${x}`);
  const texts = fc.oneof(
    long,
    written.filter((text) => /[.e]/.test(text)),
  );
  fc.assert(
    fc.property(texts, (text) => assert.is(bits(nearest(text)), bits(Number(text)), text)),
    { numRuns: 5000 },
  );
});

test('halves between two binary64 are rounded to even, unless anything follows', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }), fc.nat(900), (odd, shift) => {
      const half = (2n * odd + 1n) * 2n ** BigInt(shift);
      for (const tail of ['.0', `.${'0'.repeat(900)}1`]) {
        assert.is(nearest(`${half}${tail}`), Number(`${half}${tail}`));
      }
      // The same below 1: m / 2^k is m * 5^k / 10^k.
      const small = `${half * 5n ** BigInt(1000)}`;
      const text = `0.${'0'.repeat(Math.max(0, 1000 - small.length))}${small.slice(-1000)}`;
      assert.is(bits(nearest(text)), bits(Number(text)));
    }),
    { numRuns: 60 },
  );
  for (const text of [
    '2.4703282292062327e-324',
    '2.4703282292062328e-324',
    '4.9e-324',
    '1.8e308',
  ]) {
    assert.is(nearest(text), Number(text), text);
  }
});

test('a binary64 gets the fewest digits that give it back', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      engine.function('begin')(0);
      const value = engine.function('numberFromF64')(number);
      const text = engine.text(engine.function('dump')(value));
      assert.is(bits(Number(text)), bits(number));
      const count = (written: string): number =>
        written.replace(/e.*|[-.]/g, '').replace(/^0+|0+$/g, '').length;
      assert.is(count(text), count(`${number}`), `${text} ${number}`);
    }),
    { numRuns: 2000 },
  );
});

test('numbers are compared by value, however they are written', () => {
  const number = fc.tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.nat(30));
  const write = ([value, places]: [bigint, number], scientific: boolean): string => {
    const size = (value < 0n ? -value : value).toString().padStart(places + 1, '0');
    const sign = value < 0n ? '-' : '';
    if (scientific) return `${value}e-${places}`;
    const fraction = places === 0 ? '' : `.${size.slice(-places)}`;
    return `${sign}${size.slice(0, size.length - places)}${fraction}`;
  };
  fc.assert(
    fc.property(number, number, fc.boolean(), (a, b, scientific) => {
      const places = Math.max(a[1], b[1]);
      const scaled = ([value, own]: [bigint, number]): bigint =>
        value * 10n ** BigInt(places - own);
      const x = new NumberText(write(a, scientific));
      const y = new NumberText(write(b, false));
      assert.is(engine.call('equal', x, y), scaled(a) === scaled(b));
      assert.is(engine.call('lt', x, y), scaled(a) < scaled(b));
      assert.is(engine.call('equal', x, new NumberText(write(a, !scientific))), true);
      // Equal numbers are one element of a set.
      const set = new Set([x, y, new NumberText(write(a, !scientific))]);
      const [made] = engine.values([set]) as [number];
      // As the engine counts them: two may be one number of JavaScript.
      const size = new DataView(engine.exports.memory.buffer).getUint32(made + 8, true);
      assert.is(size, scaled(a) === scaled(b) ? 1 : 2);
    }),
    { numRuns: 1000 },
  );
});

test('numbers keep the text that they came with', () => {
  for (const text of ['1.0', '-0', '1e3', '0.10', '100000000000000000000', '9223372036854775808']) {
    const [value] = engine.values([new NumberText(text)]) as [number];
    assert.is(engine.text(engine.function('dump')(value)), text);
  }
});

test('numbers with an exponent that OPA refuses are refused', () => {
  for (const text of ['1e40000', '1e-40000', '1e99999999999', '0.1e-31000']) {
    assert.throws(() => engine.values([new NumberText(text)]), /cannot parse: 6/, text);
  }
  assert.is(nearest('0e99999'), 0);
});

test.run();
