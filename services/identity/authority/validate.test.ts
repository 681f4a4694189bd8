// JWT-SVIDs as an attacker would make them: none but the authority's own tokens may pass.
import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PlatformError } from '../../../runtime/errors.ts';
import { backdateSeconds } from '../../../runtime/identity/workload/x509.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import type { SigningKey } from './signing-key.ts';
import { botId, scope, trustDomain } from './testing.ts';
import { signJwtSvid } from './tokens.ts';
import { validateJwtSvid } from './validate.ts';

const test = suite('validate');
const now = 1_800_000_000;
const audience = 'vault';
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key: SigningKey = {
  ...{ kind: 'jwt', id: 'key-1', preparedAt: 0, activatesAt: 0, expiresAt: now * 2000 },
  ...{ ...pair, publicPart: pair.publicKey.export({ type: 'spki', format: 'der' }) },
};
const good = { sub: botId, aud: [audience], iat: now, exp: now + 300 };

const base64url = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A token with any header and claims (text stands for itself), really signed with RS256. */
function token(claims: unknown = good, header: unknown = {}, by: KeyObject = pair.privateKey) {
  const whole =
    typeof header === 'string' ? header : { alg: 'RS256', kid: 'key-1', ...(header as object) };
  const input = `${base64url(whole)}.${base64url(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), by).toString('base64url')}`;
}

interface Judged {
  at?: number;
  audience?: string;
  deniedBefore?: number;
}

/** The SPIFFE ID, or the code and rule of the refusal. */
async function judge(text: string, by: Judged = {}): Promise<string> {
  const { deniedBefore = 0 } = by;
  try {
    const { spiffeId } = await validateJwtSvid(text, by.audience ?? audience, {
      ...{ trustDomain, scope, now: by.at ?? now },
      findKey: (kid) => (kid === 'key-1' ? key : undefined),
      denied: { isDenied: (_, issuedAt) => issuedAt < deniedBefore },
    });
    return spiffeId;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return `${error.code} ${error.data.rule}`;
  }
}

const of = (change: JsonObject) => judge(token({ ...good, ...change }));
const without = (name: string) => judge(token({ ...good, [name]: undefined }));

test('what the authority signs is good, and so is one audience as text', async () => {
  const claims = { spiffeId: botId, audience: [audience, 'b'], issuer: 'https://issuer.example' };
  const signed = await signJwtSvid(key, claims, { issuedAt: now, expiresAt: now + 300 });
  assert.is(await judge(signed), botId);
  assert.is(await judge(token()), botId);
  assert.is(await of({ aud: audience }), botId);
  assert.is(await judge(token(good, { typ: 'JWT' })), botId);
  assert.is(await judge(token(good, { typ: 'JOSE' })), botId);
});

test('no algorithm but RS256, whichever key it is signed with', async () => {
  const der = pair.publicKey.export({ type: 'spki', format: 'der' });
  const pem = pair.publicKey.export({ type: 'spki', format: 'pem' });
  for (const alg of ['HS256', 'HS384', 'HS512']) {
    for (const secret of [der, pem, '']) {
      const input = `${base64url({ alg, kid: 'key-1' })}.${base64url(good)}`;
      const hash = `sha${alg.slice(2)}`;
      const mac = createHmac(hash, secret).update(input).digest('base64url');
      assert.is(await judge(`${input}.${mac}`), 'svid_invalid alg');
    }
  }
  for (const alg of [
    'none',
    'None',
    'NONE',
    '',
    'RS512',
    'PS256',
    'ES256',
    'rs256',
    null,
    0,
    ['RS256'],
  ]) {
    assert.is(await judge(token(good, { alg })), 'svid_invalid alg', String(alg));
    const bare = `${base64url({ alg, kid: 'key-1' })}.${base64url(good)}.`;
    assert.is(await judge(bare), 'svid_invalid form');
  }
});

test('a signature counts only by the key of the bundle that the token names', async () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  assert.is(await judge(token(good, {}, other.privateKey)), 'svid_invalid signature');
  assert.is(await judge(token(good, { kid: 'key-2' })), 'svid_invalid key_unknown');
  assert.is(await judge(token(good, { kid: undefined })), 'svid_invalid kid');
  for (const kid of [null, 1, ['key-1'], {}]) {
    assert.is(await judge(token(good, { kid })), 'svid_invalid kid');
  }
  assert.is(await judge(token(good, { kid: '__proto__' })), 'svid_invalid key_unknown');
  const jwk = createPublicKey(other.privateKey).export({ format: 'jwk' });
  const helpful = [{ jwk }, { jku: 'https://evil.example' }, { x5u: 'https://evil.example' }];
  for (const header of [
    ...helpful,
    { crit: ['exp'] },
    { b64: false },
    { zip: 'DEF' },
    { x5c: ['A'] },
  ]) {
    assert.is(await judge(token(good, header, other.privateKey)), 'svid_invalid header_parameter');
  }
});

test('a token of another kind is none of ours, though we signed it', async () => {
  for (const typ of ['wit+jwt', 'platform-deny-list', 'at+jwt', 'jwt', '', null, ['JWT']]) {
    assert.is(await judge(token(good, { typ })), 'svid_invalid typ', String(typ));
  }
});

test('every claim that must be there must be there, in its one form', async () => {
  assert.is(await without('sub'), 'svid_invalid sub');
  assert.is(await without('aud'), 'svid_invalid aud');
  assert.is(await without('exp'), 'svid_invalid exp');
  assert.is(await without('iat'), 'svid_invalid iat');
  for (const aud of [null, 1, {}, [], [1], [audience, 1], [audience, ''], [[audience]], '']) {
    assert.is(await of({ aud }), 'svid_invalid aud', JSON.stringify(aud));
  }
  for (const aud of ['vaul', 'vault ', 'VAULT', ['a', 'b'], 'vault,gateway']) {
    assert.is(await of({ aud }), 'svid_audience_mismatch aud');
  }
  for (const value of [null, '1', -1, 1.5, true, [now], {}, 2 ** 53, String(now + 300)]) {
    assert.is(await of({ exp: value }), 'svid_invalid exp', String(value));
    assert.is(await of({ iat: value }), 'svid_invalid iat', String(value));
    assert.is(await of({ nbf: value }), 'svid_invalid nbf', String(value));
  }
});

test('the subject is a workload of this trust domain, by the rules of SPIFFE IDs', async () => {
  const td = 'spiffe://platform.local';
  for (const sub of [
    'spiffe://other.example/a',
    'spiffe://platform.local.evil/a',
    'spiffe://a/b',
  ]) {
    assert.is(await of({ sub }), 'svid_foreign trust_domain');
    // Also where no key of ours signed it, which says nothing about who did.
    const foreign = token({ ...good, sub }, { kid: 'theirs' });
    assert.is(await judge(foreign), 'svid_foreign trust_domain');
  }
  const wrong = [
    td,
    `${td}/`,
    `${td}/a/`,
    `${td}//a`,
    `${td}/./a`,
    `${td}/%61`,
    `${td}:1/a`,
    'a',
    '',
  ];
  for (const sub of [
    ...wrong,
    `${td}/a?b`,
    `${td}/a#b`,
    'SPIFFE://platform.local/a',
    1,
    null,
    [botId],
  ]) {
    assert.is(await of({ sub }), 'svid_invalid sub', String(sub));
  }
});

test('times are taken to the second, and an age beyond any of ours is refused', async () => {
  const at = (seconds: number) => judge(token(), { at: seconds });
  assert.is(await at(now + 299.999), botId);
  assert.is(await at(now + 300), 'svid_expired exp');
  // The clock of who issued it may be five minutes ahead, and not a second more.
  assert.is(await at(now - backdateSeconds), botId);
  assert.is(await at(now - backdateSeconds - 1), 'svid_expired iat');
  const nbf = now + 1000;
  assert.is(await of({ nbf, exp: now + 2000 }), 'svid_expired nbf');
  assert.is(await of({ exp: now + 24 * 3600 }), botId);
  assert.is(await of({ exp: now + 24 * 3600 + 1 }), 'svid_invalid lifetime');
  assert.is(await of({ exp: Number.MAX_SAFE_INTEGER }), 'svid_invalid lifetime');
  assert.is(await of({ exp: now }), 'svid_invalid lifetime');
});

test('who is taken away is refused up to the second, and not after it', async () => {
  assert.is(await judge(token(), { deniedBefore: now }), botId);
  assert.is(await judge(token(), { deniedBefore: now + 1 }), 'svid_denied denied');
});

test('JSON that two readers could read differently is refused', async () => {
  const text = JSON.stringify(good);
  const twice = `{"sub":"spiffe://platform.local/service/vault",${text.slice(1)}`;
  const spellings = [twice, ` ${text}`, text.replace(String(now + 300), '1.8000003e9')];
  spellings.push(
    text.replace('"sub"', '"s\\u0075b"'),
    `${text}\u0000`,
    '[]',
    'null',
    '1',
    '"a"',
    '{',
  );
  for (const claims of spellings) {
    assert.is(await judge(token(claims)), 'svid_invalid claims', claims);
  }
  const header = '{"alg":"none","alg":"RS256","kid":"key-1"}';
  assert.is(await judge(token(good, header)), 'svid_invalid header');
  const latin1 = `${base64url({ alg: 'RS256', kid: 'key-1' })}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}`;
  assert.is(await judge(`${latin1}.AAAA`), 'svid_invalid claims');
});

test('a token has one spelling', async () => {
  const whole = token();
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  // The last character of a signature of 256 bytes has four bits that say nothing.
  const last = alphabet.indexOf(whole.at(-1)!);
  const others = [1, 2, 4, 8].map((bit) => whole.slice(0, -1) + alphabet[last ^ bit]);
  for (const other of [...others, `${whole}=`, `${whole}==`, `${whole}\n`, ` ${whole}`]) {
    assert.is(await judge(other), 'svid_invalid form');
  }
  assert.is(await judge(whole.replaceAll('_', '/').replaceAll('-', '+')), 'svid_invalid form');
});

test('huge tokens cost nothing', async () => {
  assert.is(await judge('a'.repeat(10_000_000)), 'svid_invalid size');
  assert.is(await judge('.'.repeat(16 * 1024)), 'svid_invalid form');
  assert.is(await of({ padding: 'x'.repeat(16 * 1024) }), 'svid_invalid size');
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  assert.is(await judge(token(deep)), 'svid_invalid claims');
});

test('any text is refused, and any change of a good token', async () => {
  const whole = token();
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.base64String().map((part) => `${part}.${part}.A`),
  );
  await fc.assert(
    fc.asyncProperty(text, async (each) => assert.match(await judge(each), /^svid_invalid /)),
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.string({ maxLength: 2 }), async (at, piece) => {
      const changed = whole.slice(0, at) + piece + whole.slice(at + 1);
      if (changed !== whole) assert.match(await judge(changed), /^svid_/);
    }),
    { numRuns: 500 },
  );
});

test('claims changed at random pass only when they are still good', async () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.integer(),
    fc.constantFrom(now, now + 1, botId, audience),
  );
  const name = fc.constantFrom('sub', 'aud', 'exp', 'iat', 'nbf', 'x');
  await fc.assert(
    fc.asyncProperty(name, value, async (claim, changed) => {
      const claims = { ...good, [claim]: changed };
      if ((await judge(token(claims))) !== botId) return;
      const { exp, iat } = claims;
      assert.ok(Number.isSafeInteger(exp) && Number.isSafeInteger(iat) && exp > now && iat < exp);
      assert.ok([claims.aud].flat().includes(audience));
      assert.is(claims.sub, botId);
    }),
  );
});

test.run();
