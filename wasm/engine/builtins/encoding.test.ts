// Compares hex, base64, queries, URLs and UUIDs with OPA's own built-ins, and with the host's codecs.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { type Call, opaBuiltins } from '../opa-testing.ts';
import { EngineFailure, engineUnderTest } from '../testing.ts';

const engine = await engineUnderTest(
  'encoding',
  'encoding-query',
  'encoding-uri',
  'encoding-uuid',
  'hash',
);

function agree(calls: readonly Call[]): unknown[] {
  const expected = opaBuiltins(calls);
  calls.forEach(([name, ...operands], i) => {
    assert.equal(engine.call(name, ...operands), expected[i], JSON.stringify([name, ...operands]));
  });
  return expected;
}

const text = fc.string({ unit: 'binary', maxLength: 40 });

test('text goes through every encoding and back', () => {
  fc.assert(
    fc.property(text, (value) => {
      const bytes = Buffer.from(value);
      assert.is(engine.call('hex.encode', value), bytes.toString('hex'));
      assert.is(engine.call('hex.decode', bytes.toString('hex').toUpperCase()), value);
      assert.is(engine.call('base64.encode', value), bytes.toString('base64'));
      assert.is(engine.call('base64.decode', bytes.toString('base64')), value);
      assert.is(engine.call('base64url.encode_no_pad', value), bytes.toString('base64url'));
      assert.is(engine.call('base64url.decode', bytes.toString('base64url')), value);
      const padded = bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
      assert.is(engine.call('base64url.encode', value), padded);
      assert.is(engine.call('base64url.decode', padded), value);
      assert.is(engine.call('urlquery.decode', engine.call('urlquery.encode', value)), value);
    }),
    { numRuns: 500 },
  );
});

test('decoded bytes keep their values, whether they are text or not', () => {
  for (let byte = 0; byte < 256; byte++) {
    const bytes = Buffer.from([byte, 0xff, byte]);
    const values = engine.values([bytes.toString('hex')]);
    const decoded = engine.function('b_hex_decode')(...values);
    const again = engine.function('b_base64_encode')(decoded);
    assert.is(engine.read(again), bytes.toString('base64'));
  }
});

test('bytes that are no text are written as OPA writes them', () => {
  const bytes = fc.uint8Array({ maxLength: 12 }).map((list) => Buffer.from(list));
  const samples = fc.sample(bytes, 600);
  for (const sample of samples) {
    const written = engine.call('base64.decode', sample.toString('base64')) as string;
    assert.is(written.isWellFormed(), true);
    assert.is(Buffer.from(written).toString(), written);
  }
  assert.is(engine.call('hex.decode', '61ff62e282'), 'a\ufffdb\ufffd\ufffd');
  if (!needs('go')) return;
  agree(samples.map((sample): Call => ['base64.decode', sample.toString('base64')]));
  agree(samples.map((sample): Call => ['base64url.decode', sample.toString('base64url')]));
  agree(
    samples.map(
      (sample): Call => ['urlquery.decode', sample.toString('hex').replace(/../g, '%$&')],
    ),
  );
});

const letters = fc
  .array(fc.constantFrom(...'Aabz09+/-_=\n\r *é'.split(''), 'aGVs', 'bG8=', '=='), {
    maxLength: 10,
  })
  .map((parts) => parts.join(''));
const digits = fc
  .array(fc.constantFrom(...'09afAFg-'.split('')), { maxLength: 8 })
  .map((parts) => parts.join(''));

test('agrees with OPA on encoded texts of any shape', () => {
  if (!needs('go')) return;
  const answers = agree(
    fc.sample(letters, 3000).flatMap((value): Call[] => [
      ['base64.is_valid', value],
      ['base64.decode', value],
      ['base64url.decode', value],
    ]),
  );
  assert.ok(answers.filter((answer) => answer === true).length > 300);
  agree(fc.sample(digits, 1000).map((value): Call => ['hex.decode', value]));
});

const piece = fc.constantFrom(
  ...['http', 'https', 'HTTP', '://', '//', '/', ':', '@', '?', '#', '[', ']', '::1', '127.0.0.1'],
  ...[
    '%',
    '%25',
    '%41',
    '%2f',
    '%zz',
    '%e2%82%ac',
    '%ff',
    'a',
    'b.c',
    'example.com',
    ':80',
    '8080',
    '*',
  ],
  ...['!', "'", '(', ')', ' ', 'é', '\u0001', 'user', 'pass', 'mailto:', '&', '=', ';', '+', ','],
  ...['~', '|', '<', '"', '\\', 'fe80::1%25en0', '..', '-', '_', '::ffff:1.2.3.4', 'urn:', '1a:'],
);
const url = fc.array(piece, { maxLength: 9 }).map((parts) => parts.join(''));

test('agrees with OPA on URLs and queries of any shape', () => {
  if (!needs('go')) return;
  const answers = agree(
    fc.sample(url, 5000).flatMap((value): Call[] => [
      ['uri.parse', value],
      ['uri.is_valid', value],
      ['urlquery.decode', value],
      ['urlquery.decode_object', value],
      ['urlquery.encode', value],
    ]),
  );
  const parsed = answers.filter((_, i) => i % 5 === 0 && answers[i] !== undefined);
  assert.ok(parsed.length > 1000 && parsed.length < 4500, `${parsed.length} URLs of 5000`);
});

test('agrees with OPA on queries made of objects', () => {
  if (!needs('go')) return;
  const value = fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.array(fc.string({ maxLength: 4 }), { maxLength: 3 }),
    fc.array(fc.string({ maxLength: 2 }), { maxLength: 3 }).map((list) => new Set(list)),
    fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 2 }),
    fc.constant(null),
  );
  // The comparison marks its own keys with a dollar.
  const key = fc.string({ maxLength: 5 }).filter((name) => !name.startsWith('$'));
  const object = fc.dictionary(key, value, { maxKeys: 4 });
  agree(fc.sample(object, 1500).map((query): Call => ['urlquery.encode_object', query]));
});

test('agrees with OPA on UUIDs in each of their forms', () => {
  if (!needs('go')) return;
  const hex = fc.array(fc.constantFrom(...'0123456789abcdefABCDEF'.split('')), {
    minLength: 32,
    maxLength: 32,
  });
  const calls = fc.sample(hex, 800).flatMap((list, i): Call[] => {
    const raw = list.join('');
    const version = '121234578f'[i % 10] as string;
    const whole = `${raw.slice(0, 12)}${version}${raw.slice(13)}`;
    const dashed = whole.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const forms = [whole, dashed, `{${dashed}}`, `Urn:uUid:${dashed}`, `x${dashed}y`];
    const wrong = [
      `${dashed}0`,
      dashed.replace('-', '_'),
      `um:uuid:${dashed}`,
      raw.slice(1),
      `${raw.slice(1)}g`,
    ];
    return [...forms, ...wrong].map((form) => ['uuid.parse', form]);
  });
  assert.ok(agree(calls).filter((answer) => answer !== undefined).length > 3000);
});

test('a query with more parameters than Go reads fails', () => {
  const query = (count: number) => Array.from({ length: count }, () => 'a').join('&');
  const parsed = engine.call('urlquery.decode_object', query(10_000)) as { a: string[] };
  assert.is(parsed.a.length, 10_000);
  assert.is(engine.call('urlquery.decode_object', query(10_001)), undefined);
});

test('what is no text is undefined, and an error when built-ins are strict', () => {
  for (const name of [
    'hex.encode',
    'base64.decode',
    'urlquery.encode',
    'uri.parse',
    'crypto.md5',
  ]) {
    for (const value of [1, null, [], {}, new Set(['a'])]) {
      assert.is(engine.call(name, value), undefined);
      assert.throws(
        () => engine.callStrict(name, value),
        (error: unknown) => error instanceof EngineFailure && error.failure === 2,
      );
    }
  }
  assert.throws(
    () => engine.callStrict('hex.decode', 'x'),
    (error: unknown) => error instanceof EngineFailure && error.failure === 1,
  );
});

test.run();
