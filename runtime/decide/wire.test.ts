// The wire of decision requests: what is not exactly a request is refused, by every host alike.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { InputError } from '../errors.ts';
import { NO_SALTS, NOT_BASE64 } from '../testing/wire-requests.ts';
import { readRequest } from './wire.ts';

const test = suite('wire');
const salt = '5a'.repeat(32);
const good = { boundary: 'tool', module: 'scope', input: 'e30=', salt };

function refuses(value: unknown): void {
  assert.throws(
    () => readRequest(value, 'line 3: '),
    (error: unknown) =>
      error instanceof InputError &&
      error.code === 'input_invalid' &&
      error.message.startsWith('line 3: '),
    JSON.stringify(value),
  );
}

test('a request is read, with its salt in digits of either case', () => {
  for (const digits of [salt, salt.toUpperCase()]) {
    const { input, schema, ...more } = readRequest({ ...good, salt: digits, schema: 'e30=' });
    assert.is(Buffer.from(input as Uint8Array).toString(), '{}');
    assert.is(Buffer.from(schema!).toString(), '{}');
    const expected = { boundary: 'tool', module: 'scope', salt: Buffer.from(salt, 'hex') };
    assert.equal(more, expected);
  }
  assert.is(readRequest({ ...good, input: '' }).schema, undefined);
});

test('base64 that is not the one text of its bytes is refused', () => {
  for (const text of NOT_BASE64) {
    refuses({ ...good, input: text });
    refuses({ ...good, schema: text });
  }
  for (const input of [undefined, null, 7, ['e30='], {}]) refuses({ ...good, input });
});

test('a salt is exactly 64 hex digits', () => {
  for (const wrong of [...NO_SALTS, undefined, null, 7, [salt]]) refuses({ ...good, salt: wrong });
});

test('whatever is taken stands for itself', () => {
  const nearly = fc.string({
    unit: fc.constantFrom(...'AQgwz09+/=-_ \n'),
    maxLength: 12,
  });
  fc.assert(
    fc.property(nearly, (text) => {
      try {
        const { input } = readRequest({ ...good, input: text });
        assert.is(Buffer.from(input as Uint8Array).toString('base64'), text);
      } catch (error) {
        assert.instance(error, InputError);
        assert.is.not(Buffer.from(text, 'base64').toString('base64'), text);
      }
    }),
    { numRuns: 2000 },
  );
});

test.run();
