// Tests of telephone numbers against libphonenumber: of every country, what it calls valid is found, what not is not.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
} from 'libphonenumber-js';
import parsePhoneNumber from 'libphonenumber-js/max';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { found, guard } from './testing.ts';

const examples = JSON.parse(
  readFileSync(
    new URL('../../../node_modules/libphonenumber-js/examples.mobile.json', import.meta.url),
    'utf8',
  ),
);
const countries = getCountries();
const callingCodes = [...new Set(countries.map((country) => getCountryCallingCode(country)))];

/** Whether the scanner finds all of the text as a telephone number. */
function isFound(number: string): boolean {
  return found(number).includes(`phone:${number}`);
}

test('the example of every country is found, compact and as it is written', () => {
  for (const country of countries) {
    const example = getExampleNumber(country, examples);
    if (!example || example.number.length < 9) continue;
    assert.ok(isFound(example.number), example.number);
    assert.ok(isFound(example.formatInternational()), example.formatInternational());
  }
});

/** Numbers after a `+` that are near the plans: a true number with its last digits changed, or a code and digits. */
const numbers = fc.oneof(
  fc
    .tuple(fc.constantFrom(...countries), fc.nat({ max: 999_999 }), fc.integer({ min: 1, max: 6 }))
    .map(([country, digits, changed]) => {
      const example = getExampleNumber(country as CountryCode, examples)?.number ?? '+12125550123';
      return example.slice(0, -changed) + String(digits).padStart(6, '0').slice(0, changed);
    }),
  fc
    .tuple(fc.constantFrom(...callingCodes), fc.stringMatching(/^[1-9][0-9]{4,11}$/))
    .map(([code, digits]) => `+${code}${digits}`),
);

test('what libphonenumber calls valid is found, what it does not is not', () => {
  let valid = 0;
  fc.assert(
    fc.property(numbers, (number) => {
      const parsed = parsePhoneNumber(number);
      // Short ones are possible in a few small countries, but too many other things are as short.
      fc.pre(number.length >= 9 && number.length <= 16);
      // Forms dialled at home are completed by libphonenumber, and are no international numbers.
      fc.pre(parsed === undefined || parsed.number === number);
      const isValid = parsed?.isValid() === true;
      if (isValid) valid++;
      assert.is(isFound(number), isValid, number);
    }),
    { numRuns: 4000 },
  );
  assert.ok(valid > 400, `only ${valid} were valid`);
});

test('a national number beside a word of its language is found by its plan', () => {
  const beside: [string, CountryCode, string][] = [
    ['téléphone', 'FR', '0612345678'],
    ['Telefonnummer', 'DE', '030901820'],
    ['telefon', 'DK', '32123456'],
    ['teléfono', 'ES', '612345678'],
    ['telefone', 'PT', '912345678'],
    ['cellulare', 'IT', '3123456789'],
    ['телефон', 'RU', '89123456789'],
    ['电话', 'CN', '13123456789'],
    ['電話番号', 'JP', '09012345678'],
    ['휴대폰', 'KR', '01023456789'],
    ['puhelin', 'FI', '0412345678'],
  ];
  for (const [word, country, number] of beside) {
    assert.ok(parsePhoneNumber(number, country)?.isValid(), number);
    assert.equal(found(`${word}: ${number}`), [`phone:${number}`]);
    assert.equal(found(`number: ${number}`), [], number);
  }
});

test('one group of digits that no country of the language has is none', () => {
  assert.equal(found('téléphone: 9999999999'), []);
  const { scores } = guard.scan({ direction: 'input', scanners: ['PII'], text: '+44 99 99' });
  assert.ok((scores.PII ?? 0) < 850);
});

test.run();
