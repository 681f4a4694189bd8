// Tokens: OPA's own answers on tokens of any shape, and the forgeries that JWT libraries have fallen for.
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { type Call, opaBuiltins } from '../opa-testing.ts';
import { EngineFailure, engineUnderTest } from '../testing.ts';

const engine = await engineUnderTest('jwt', 'jwt-decode-verify', 'jwt-sign');
const invalid = [false, {}, {}];
const nowSeconds = 1_700_000_000;
engine.function('setTime')(BigInt(nowSeconds) * 1_000_000_000n);

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString();

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A token with the signature that its header asks for. */
function token(header: object, payload: unknown, secret = 'secret'): string {
  const text = `${part(header)}.${part(payload)}`;
  const bytes = Buffer.from(text);
  const alg = (header as { alg?: string }).alg;
  let signature = Buffer.alloc(0);
  if (alg === 'HS256') signature = createHmac('sha256', secret).update(bytes).digest();
  if (alg === 'RS256') signature = sign('sha256', bytes, rsa.privateKey);
  if (alg === 'EdDSA') signature = sign(null, bytes, ed.privateKey);
  if (alg === 'ES256') {
    signature = sign('sha256', bytes, { key: ec.privateKey, dsaEncoding: 'ieee-p1363' });
  }
  return `${text}.${signature.toString('base64url')}`;
}

function verified(text: string, constraints: object): unknown {
  return engine.call('io.jwt.decode_verify', text, constraints);
}

test('a token verifies with the key of its algorithm', () => {
  const payload = { sub: 'a' };
  for (const [alg, key] of [
    ['RS256', rsa.publicKey],
    ['ES256', ec.publicKey],
    ['EdDSA', ed.publicKey],
  ] as [string, KeyObject][]) {
    const header = { alg, typ: 'JWT' };
    const text = token(header, payload);
    assert.equal(verified(text, { cert: pem(key) }), [true, header, payload]);
    const jwk = { ...key.export({ format: 'jwk' }), kid: 'k', alg };
    assert.equal(verified(text, { cert: JSON.stringify({ keys: [jwk] }) })?.[0 as never], true);
    const bad = `${text.slice(0, -9)}AAAA${text.slice(-5)}`;
    assert.equal(verified(bad, { cert: pem(key) }), invalid);
    assert.equal(verified(text, { cert: pem(key), alg: 'PS512' }), invalid);
  }
  assert.equal(
    verified(token({ alg: 'HS256' }, payload), { secret: 'secret' })?.[0 as never],
    true,
  );
  assert.equal(verified(token({ alg: 'HS256' }, payload), { secret: 'Secret' }), invalid);
});

test('a forged algorithm verifies nothing', () => {
  const payload = { admin: true };
  const key = pem(rsa.publicKey);
  for (const alg of ['none', 'None', 'NONE', '', 'nOnE', 'RS1', 'HS1', 'HS256 ']) {
    const unsigned = `${part({ alg })}.${part(payload)}.`;
    assert.equal(verified(unsigned, { cert: key }), invalid, alg);
    assert.equal(verified(unsigned, { secret: 'secret' }), invalid, alg);
    for (const verify of ['rs256', 'ps256', 'es256', 'eddsa']) {
      assert.is(engine.call(`io.jwt.verify_${verify}`, unsigned, key), false);
    }
  }
  assert.equal(verified(`${part({})}.${part(payload)}.`, { cert: key }), invalid);
  // The public key as a shared secret.
  const confused = token({ alg: 'HS256' }, payload, key);
  assert.equal(verified(confused, { cert: key }), invalid);
  assert.is(engine.call('io.jwt.verify_rs256', confused, key), false);
  const jwk = rsa.publicKey.export({ format: 'jwk' });
  assert.equal(verified(confused, { cert: JSON.stringify(jwk) }), invalid);
  // A key that the token brings along is not looked at.
  const own = token({ alg: 'ES256', jwk: ec.publicKey.export({ format: 'jwk' }) }, payload);
  assert.equal(verified(own, { cert: key }), invalid);
});

test('a critical parameter that nobody knows makes a token invalid', () => {
  const secret = { secret: 'secret' };
  assert.equal(verified(token({ alg: 'HS256', crit: ['b64'], b64: true }, {}), secret), invalid);
  assert.equal(verified(token({ alg: 'HS256', crit: ['b64'] }, {}), secret)?.[0 as never], true);
  for (const crit of [[], [1], 'b64', {}]) {
    assert.is(verified(token({ alg: 'HS256', crit }, {}), secret), undefined);
  }
  assert.is(verified(token({ alg: 'HS256', enc: 'A128GCM' }, {}), secret), undefined);
});

test('claims are held to the constraints and to the time of the input', () => {
  const secret = { secret: 'secret' };
  const valid = (payload: object, constraints: object = {}) =>
    (verified(token({ alg: 'HS256' }, payload), { ...secret, ...constraints }) as unknown[])?.[0];
  assert.is(valid({ exp: nowSeconds + 1 }), true);
  assert.is(valid({ exp: nowSeconds }), false);
  assert.is(valid({ exp: nowSeconds + 0.5 }), true);
  assert.is(valid({ nbf: nowSeconds }), true);
  assert.is(valid({ nbf: nowSeconds + 0.001 }), false);
  assert.is(valid({ exp: 2000 }, { time: 1999.5e9 }), true);
  assert.is(valid({ exp: 2000 }, { time: 2000e9 }), false);
  assert.is(valid({ exp: '9999999999' }), undefined);
  assert.is(valid({ nbf: null }), undefined);
  assert.is(valid({ aud: 'x' }), false);
  assert.is(valid({ aud: 'x' }, { aud: 'x' }), true);
  assert.is(valid({ aud: ['y', 'x'] }, { aud: 'x' }), true);
  assert.is(valid({ aud: ['y', 1] }, { aud: 'x' }), false);
  assert.is(valid({}, { aud: 'x' }), false);
  assert.is(valid({ iss: 'i' }, { iss: 'i' }), true);
  assert.is(valid({ iss: 'j' }, { iss: 'i' }), false);
  assert.is(valid({}, { iss: 'i' }), false);
  for (const wrong of [{ time: -1 }, { time: '1' }, { nope: 1 }, { alg: 1 }, { cert: 'x' }]) {
    assert.is(valid({}, wrong), undefined, JSON.stringify(wrong));
  }
  assert.is(verified(token({ alg: 'HS256' }, {}), {}), undefined);
});

test('a nested token is taken apart to its innermost, each layer verified', () => {
  const inner = token({ alg: 'HS256' }, { deep: true });
  const outer = token({ alg: 'HS256', cty: 'JWT' }, inner);
  assert.equal(verified(outer, { secret: 'secret' }), [true, { alg: 'HS256' }, { deep: true }]);
  const forged = token({ alg: 'HS256', cty: 'jwt' }, token({ alg: 'HS256' }, {}, 'other'));
  assert.equal(verified(forged, { secret: 'secret' }), invalid);
  let many = token({ alg: 'HS256' }, { deep: 40 });
  for (let i = 0; i < 12; i++) many = token({ alg: 'HS256', cty: 'JWT' }, many);
  assert.is((verified(many, { secret: 'secret' }) as unknown[])[0], true);
});

test('a signature that takes random numbers is not made', () => {
  for (const [alg, key] of [
    ['ES256', ec.privateKey],
    ['PS256', rsa.privateKey],
    ['RS256', ec.privateKey],
    ['HS256', rsa.privateKey],
    ['RS256', rsa.publicKey],
  ] as [string, KeyObject][]) {
    const jwk = key.export({ format: 'jwk' });
    assert.is(engine.call('io.jwt.encode_sign', { alg }, {}, jwk), undefined, alg);
    assert.throws(
      () => engine.callStrict('io.jwt.encode_sign', { alg }, {}, jwk),
      (error: unknown) => error instanceof EngineFailure && error.failure === 1,
    );
  }
});

const junk = fc.oneof(
  fc.constantFrom('', '.', '..', '...', 'a.b.c', 'e30.e30.', 'e30.e30.AA', '=.=.=', 'é.é.é'),
  fc.string({ maxLength: 30 }),
);
const usual = fc.record(
  {
    alg: fc.constantFrom('HS256', 'RS256', 'ES256', 'EdDSA', 'none'),
    typ: fc.constantFrom('JWT', 'jwt'),
    kid: fc.constantFrom('k', 'l', ''),
    x: fc.constantFrom(1, 'x'),
  },
  { requiredKeys: ['alg'] },
);
const odd = fc.record(
  {
    alg: fc.constantFrom(1, null, ''),
    typ: fc.constant(1),
    cty: fc.constantFrom('JWT', 'text', 'jwt'),
    crit: fc.constantFrom(['x'], [], ['alg'], 'x', [1, 'x']),
    enc: fc.constant('A128GCM'),
  },
  { requiredKeys: [] },
);
const header = fc
  .tuple(usual, fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: odd }))
  .map(([one, other]) => ({ ...one, ...other }));
const claims = fc.record(
  {
    iss: fc.constantFrom('i', 'j'),
    aud: fc.constantFrom('a', ['a', 'b'], ['c'], 1, {}),
    exp: fc.constantFrom(1_600_000_000, 2_000_000_000, 2_000_000_000.5, '1', 1e30),
    nbf: fc.constantFrom(1_600_000_000, 2_000_000_000, null, 1_600_000_000.25),
  },
  { requiredKeys: [] },
);
const keys = fc.constantFrom(
  pem(rsa.publicKey),
  pem(ec.publicKey),
  `${pem(ed.publicKey)}x`,
  JSON.stringify({
    keys: [{ ...rsa.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256' }],
  }),
  JSON.stringify({
    keys: [
      { ...ec.publicKey.export({ format: 'jwk' }), kid: 'k' },
      { ...ed.publicKey.export({ format: 'jwk' }), kid: 'l', alg: 'EdDSA' },
      { ...rsa.publicKey.export({ format: 'jwk' }), alg: 'RSA-OAEP' },
    ],
  }),
  JSON.stringify({ ...rsa.publicKey.export({ format: 'jwk' }), alg: 'XX256' }),
  JSON.stringify(rsa.privateKey.export({ format: 'jwk' })),
  JSON.stringify({ kty: 'oct', k: Buffer.from('secret').toString('base64url') }),
  '{"keys":[]}',
  '{}',
  'x',
);
const constraints = fc.record(
  {
    secret: fc.constantFrom('secret', 'other', ''),
    cert: keys,
    alg: fc.constantFrom('HS256', 'RS256', ''),
    iss: fc.constantFrom('i', ''),
    aud: fc.constantFrom('a', ''),
    time: fc.constantFrom(1.7e18, 0, -1, '1'),
    other: fc.constant(1),
  },
  // OPA's built-in has no time of its own here.
  { requiredKeys: ['time'] },
);
const tokens = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(header, claims).map(([h, c]) => token(h, c)) },
  { weight: 1, arbitrary: junk },
  { weight: 1, arbitrary: fc.tuple(header, junk).map(([h, c]) => token(h, c)) },
);

function agree(calls: readonly Call[]): unknown[] {
  const expected = opaBuiltins(calls);
  calls.forEach(([name, ...operands], i) => {
    assert.equal(engine.call(name, ...operands), expected[i], JSON.stringify([name, ...operands]));
  });
  return expected;
}

test('agrees with OPA on tokens, keys and constraints of any shape', () => {
  if (!needs('go')) return;
  const time = nowSeconds * 1e9;
  const calls = fc
    .sample(fc.tuple(tokens, keys, constraints), 1500)
    .flatMap(([text, key, wanted]): Call[] => [
      ['io.jwt.decode', text],
      ...['rs256', 'es256', 'eddsa', 'ps384'].map(
        (name): Call => [`io.jwt.verify_${name}`, text, key],
      ),
      ['io.jwt.decode_verify', text, wanted],
      ['io.jwt.decode_verify', text, { time, secret: 'secret' }],
      ['io.jwt.decode_verify', text, { time, secret: 'secret', alg: 'HS256', aud: 'a' }],
      ['io.jwt.decode_verify', text, { time, cert: key }],
    ]);
  const answers = agree(calls);
  const count = (wanted: (answer: unknown) => boolean) => answers.filter(wanted).length;
  assert.ok(count((answer) => answer === true) > 30, 'verified');
  assert.ok(count((answer) => Array.isArray(answer) && answer[0] === true) > 12, 'valid');
  assert.ok(count((answer) => Array.isArray(answer) && answer[0] === false) > 500, 'invalid');
  assert.ok(count((answer) => answer === undefined) > 500, 'failed');
});

test.run();
