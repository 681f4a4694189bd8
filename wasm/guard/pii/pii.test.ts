// Tests of the PII scanner: what is personal data, and what only looks like it.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { eachFound, found, noneFound } from './testing.ts';

test('email addresses', () => {
  eachFound('email', [
    'jo@example.com',
    'jo.o-brien+news@mail.example.co.uk',
    'JO_1@EXAMPLE.ORG',
    'a@b.io',
    '12345@163.com',
    "o'neil@example.ie",
    'jo@xn--bcher-kva.xn--p1ai',
    'git@example.com',
  ]);
  assert.equal(found('<mailto:jo@example.com>, ann@example.org;'), [
    'email:jo@example.com',
    'email:ann@example.org',
  ]);
  assert.equal(found('{"to":"x\\njo@example.com"}'), ['email:jo@example.com']);
});

test('what is no email address', () => {
  noneFound([
    'jo@localhost',
    '@example.com',
    'jo@',
    'jo@-a.com',
    'jo@a-.com',
    'jo.@example.com',
    'jo@example.c',
    'jo@example.123',
    'pkg@1.2.3',
    'pkg@1.2.3-beta.rc',
    'icon@2x.png',
    'git@example.com:owner/repo.git',
    'a @ b.com',
    'x@y@',
    '@media screen',
  ]);
});

test('cards of every issuer, compact and in groups', () => {
  eachFound('credit_card', [
    '4111111111111111',
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '4111\u00a01111\u00a01111\u00a01111',
    '4222222222222',
    '4000000000000000006',
    '5555555555554444',
    '5105105105105100',
    '2223003122003222',
    '378282246310005',
    '3782 822463 10005',
    '3056 930902 5904',
    '30569309025904',
    '6011111111111117',
    '6011000990139424',
    '3530111333300000',
    '6200000000000005',
    '6759649826438453',
    '2200000000000004',
  ]);
});

test('what is no card', () => {
  noneFound([
    '4111111111111112',
    '4111 1111 1111 1112',
    '4111111111111111111111',
    '411111111111111',
    '0000000000000000',
    '4444444444444444',
    '9111111111111111',
    '0.4111111111111111',
    '4111111111111111.5',
    'a4111111111111111',
    '4111111111111111b',
    '41 1111 1111 1111 11',
    '4111 11111111 1111',
    '4111-1111 1111-1111',
    '5655555555555555',
    '17171717171717170',
  ]);
});

test('social security numbers', () => {
  eachFound('ssn', ['123-45-6789', '123 45 6789', '001-01-0001', '899-99-9999', '123‑45‑6789']);
  assert.equal(found('SSN: 123456789'), ['ssn:123456789']);
  assert.equal(found('social security number 123456789'), ['ssn:123456789']);
});

test('numbers that are never issued as social security numbers', () => {
  noneFound([
    '000-12-3456',
    '666-12-3456',
    '900-12-3456',
    '999-12-3456',
    '123-00-4567',
    '123-45-0000',
    '078-05-1120',
    '219-09-9999',
    '457-55-5462',
    '123-45-67890',
    '1123-45-6789',
    '123-45 6789',
    '123456789',
    '12-123-45-6789',
    '123-45-6789-0',
    'a123-45-6789',
    '123-45-6789a',
  ]);
});

/** IBANs of the SWIFT registry's own examples. */
const ibans = [
  'GB29 NWBK 6016 1331 9268 19',
  'DE89 3704 0044 0532 0130 00',
  'FR14 2004 1010 0505 0001 3M02 606',
  'NO93 8601 1117 947',
  'MT84 MALT 0110 0001 2345 MTLC AST0 01S',
  'SA03 8000 0000 6080 1016 7519',
  'BE68 5390 0754 7034',
  'CH93 0076 2011 6238 5295 7',
  'NL91 ABNA 0417 1643 00',
  'AD12 0001 2030 2003 5910 0100',
  'SC18 SSCB 1101 0000 0000 0000 1497 USD',
];

test('account numbers, in groups and compact, in capitals and not', () => {
  eachFound('iban', ibans);
  eachFound(
    'iban',
    ibans.map((iban) => iban.replaceAll(' ', '')),
  );
  eachFound(
    'iban',
    ibans.map((iban) => iban.toLowerCase()),
  );
  eachFound(
    'iban',
    ibans.map((iban) => iban.replaceAll(' ', '-')),
  );
});

test('what is no account number', () => {
  noneFound([
    'GB29 NWBK 6016 1331 9268 18',
    'GB29 NWBK 6016 1331 9268 1',
    'GB29NWBK601613319268191',
    'ZZ29NWBK60161331926819',
    'US29NWBK60161331926819',
    'xGB29NWBK60161331926819',
    'GB29 NWB K6016 1331 9268 19',
    'GBXXNWBK60161331926819',
  ]);
});

test('a changed digit is never the same account number', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ibans.map((iban) => iban.replaceAll(' ', ''))),
      fc.nat(),
      fc.integer({ min: 1, max: 9 }),
      (iban, position, step) => {
        const at = 2 + (position % (iban.length - 2));
        const old = iban.charCodeAt(at) - 48;
        fc.pre(old <= 9);
        const changed = `${iban.slice(0, at)}${(old + step) % 10}${iban.slice(at + 1)}`;
        assert.equal(
          found(changed).filter((finding) => finding.startsWith('iban')),
          [],
        );
      },
    ),
    { numRuns: 1000 },
  );
});

function luhnDigit(digits: string): number {
  let sum = 0;
  [...digits].reverse().forEach((digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  });
  return (10 - (sum % 10)) % 10;
}

test('of the ten last digits only the Luhn digit makes a card', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^4[0-9]{14}$/), (start) => {
      const right = luhnDigit(start);
      fc.pre(new Set(start).size > 1);
      for (let last = 0; last < 10; last++) {
        const expected = last === right ? [`credit_card:${start}${last}`] : [];
        assert.equal(found(`${start}${last}`), expected);
      }
    }),
    { numRuns: 500 },
  );
});

test('an address planted in any text is found', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 100 }),
      fc.stringMatching(/^[a-z][a-z0-9]{0,20}@[a-z]{1,20}\.(com|org|de)$/),
      fc.string({ unit: 'binary', maxLength: 100 }),
      (before, address, after) => {
        const text = `${before.toWellFormed()} ${address} ${after.toWellFormed()}`;
        assert.ok(found(text).includes(`email:${address}`), text);
      },
    ),
    { numRuns: 1000 },
  );
});

test.run();
