// Tests of the number rule: what survives a round trip through binary64 is kept, all else is refused.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../errors.ts';
import { portableNumber } from '../testing/json-arbitraries.ts';
import { Record } from './record.ts';
import { moduleBytes } from './source.ts';

const record = Record.create(moduleBytes('record'));
const REFUSED = 'input_number_not_portable';

function canonical(literal: string): string {
  try {
    return Buffer.from(record.canonicalize(Buffer.from(literal))).toString();
  } catch (error) {
    return codeOf(error);
  }
}

/** The exact decimal value of a literal: sign, digits without trailing zeros, power of ten. */
function decimal(literal: string): string {
  const [, sign, integer, fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal)!;
  const digits = (integer! + fraction).replace(/^0+/, '');
  const stripped = digits.replace(/0+$/, '');
  if (stripped === '') return '0';
  return `${sign}${stripped}e${Number(exponent) - fraction.length + digits.length - stripped.length}`;
}

/** The rule of the platform, said with BigInt-free decimal text and ECMAScript's own conversions. */
function expected(literal: string): string {
  const number = Number(literal);
  if (!Number.isFinite(number)) return REFUSED;
  if (decimal(literal) !== decimal(String(number))) return REFUSED;
  if (Number.isInteger(number) && Math.abs(number) > 2 ** 53) return REFUSED;
  return number === 0 ? '0' : String(number);
}

test('formats the numbers of RFC 8785 appendix B, or refuses integers beyond 2^53', () => {
  const vectors: [string, string][] = [
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ];
  for (const [bits, form] of vectors) {
    const number = Buffer.from(bits, 'hex').readDoubleBE();
    const beyond = Number.isInteger(number) && Math.abs(number) > 2 ** 53;
    assert.is(canonical(form), beyond ? REFUSED : form);
    // The same value as 17 digits, which is longer than its shortest text more often than not.
    const long = number.toExponential(16);
    assert.is(canonical(long), expected(long), long);
  }
});

test('keeps every number that ECMAScript prints, in every spelling', () => {
  fc.assert(
    fc.property(portableNumber(), fc.nat(5), fc.nat(40), (number, how, zeros) => {
      const form = number === 0 ? '0' : String(number);
      const exponential = number.toExponential();
      const point = exponential.includes('.') ? '' : '.';
      const spellings = [
        String(number),
        exponential,
        exponential.toUpperCase(),
        exponential.replace('e', `${point}${'0'.repeat(zeros + 1)}e`),
        exponential.replace(/e([+-])/, `e$1${'0'.repeat(zeros)}`),
        Number.isInteger(number) ? `${BigInt(number)}.${'0'.repeat(zeros + 1)}` : exponential,
      ];
      assert.is(canonical(spellings[how]!), form);
    }),
    { numRuns: 10_000 },
  );
});

test('refuses the neighbours of what ECMAScript prints', () => {
  fc.assert(
    fc.property(
      portableNumber(),
      fc.integer({ min: 1, max: 21 }),
      fc.nat(9),
      (number, size, digit) => {
        const literals = [number.toPrecision(size), `${number.toPrecision(size)}${digit}`];
        for (const literal of literals) {
          if (!literal.includes('.')) continue;
          assert.is(canonical(literal), expected(literal), literal);
        }
      },
    ),
    { numRuns: 10_000 },
  );
});

test('decides ties and subnormal numbers as ECMAScript does', () => {
  const literals = [
    ...['1000000000000000.2', '1000000000000000.3', '1000000000000000.25', '4503599627370497.5'],
    ...['9007199254740991.5', '9007199254740992.5', '4503599627370495.5', '4503599627370496.5'],
    ...['2.2250738585072014e-308', '2.2250738585072011e-308', '2.225073858507201e-308'],
    ...['1e-323', '1.5e-323', '2e-323', '3e-324', '4e-324', '4.9e-324', '4.94e-324', '2e-324'],
    ...['7.2057594037927933e16', '0.5e-323', '1.7976931348623159e308', '123456789012345680e-25'],
    ...['5e-325', '1e-330', '1e-331', '1e-99999999999999999999', '1e99999999999999999999'],
    ...['0e99999999999999999999', '-0.000e-5', '0.1e1', '100e-2', '1E+2', '0.30000000000000004'],
    `1${'0'.repeat(400)}e-400`,
    `0.${'0'.repeat(400)}1e401`,
    `${'9'.repeat(400)}`,
    `1.${'0'.repeat(1000)}1`,
  ];
  for (const literal of literals) assert.is(canonical(literal), expected(literal), literal);
  for (let power = -1074; power <= 53; power++) {
    for (const number of [
      2 ** power,
      2 ** power + 2 ** (power - 52),
      2 ** power - 2 ** (power - 53),
    ]) {
      if (number <= 0 || number > 2 ** 53) continue;
      assert.is(canonical(String(number)), String(number));
      const longer = number.toExponential(16);
      assert.is(canonical(longer), expected(longer), longer);
    }
  }
});

test.run();
