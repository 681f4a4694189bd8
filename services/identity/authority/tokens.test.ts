// WIT-SVIDs bind a fresh key, and no document of one kind passes for one of another.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPglite } from '../../common/database/pglite.ts';
import type { Database } from '../../common/database/port.ts';
import type { Authority } from './port.ts';
import { botId, failure, openAuthority, TestClock } from './testing.ts';

const test = suite<{ database: Database; clock: TestClock; authority: Authority }>('tokens');

test.before(async (context) => {
  context.database = await openPglite();
  context.clock = new TestClock();
  context.authority = await openAuthority(context.database, context.clock);
});
test.after(async ({ database, authority }) => {
  await authority.close();
  await database.close();
});

test('a WIT-SVID is what its standard asks for', async ({ authority, clock }) => {
  const { token, privateKeyJwk, issuedAt, expiresAt } = await authority.issueWit({
    spiffeId: botId,
  });
  const header = decodeProtectedHeader(token);
  // Sections 2.1 to 2.3: these three headers and no other.
  assert.equal(Object.keys(header).sort(), ['alg', 'kid', 'typ']);
  assert.equal([header.alg, header.typ], ['ES256', 'wit+jwt']);
  const claims = decodeJwt(token) as { [name: string]: unknown };
  assert.equal([claims.sub, claims.iss], [botId, 'spiffe://platform.local']);
  assert.is(claims.aud, undefined);
  const second = Math.floor(clock.now / 1000);
  assert.equal([claims.iat, claims.nbf, claims.exp], [second, second - 300, second + 3600]);
  assert.equal([issuedAt.getTime(), expiresAt.getTime()], [second * 1000, (second + 3600) * 1000]);
  const [key] = authority.witBundle().keys.filter(({ kid }) => kid === header.kid);
  assert.is(key?.use, 'wit-svid');
  const publicKey = await importJWK({ ...key, use: 'sig' } as never, 'ES256');
  await jwtVerify(token, publicKey, { typ: 'wit+jwt', currentDate: clock.read() });
  // Section 3.2: the key in `cnf` has its algorithm, is public, and is the one that was handed out.
  const { jwk } = claims.cnf as { jwk: { [name: string]: string } };
  assert.equal([jwk.alg, jwk.crv, jwk.d], ['ES256', 'P-256', undefined]);
  const privateJwk = JSON.parse(privateKeyJwk);
  assert.is(privateJwk.alg, 'ES256');
  const proof = sign(
    'sha256',
    Buffer.from('x'),
    createPrivateKey({ key: privateJwk, format: 'jwk' }),
  );
  const bound = createPublicKey({ key: jwk as never, format: 'jwk' });
  assert.ok(verify('sha256', Buffer.from('x'), bound, proof));
});

test('every WIT-SVID has a key and an id of its own', async ({ authority }) => {
  const issued = await Promise.all(
    Array.from({ length: 20 }, () => authority.issueWit({ spiffeId: botId })),
  );
  assert.is(new Set(issued.map(({ privateKeyJwk }) => privateKeyJwk)).size, issued.length);
  assert.is(new Set(issued.map(({ token }) => decodeJwt(token).jti)).size, issued.length);
});

test('neither a WIT-SVID nor the deny-list is a JWT-SVID, though the same authority signed it', async ({
  authority,
}) => {
  const { token } = await authority.issueWit({ spiffeId: botId });
  assert.is(await failure(authority.validateJwt(token, 'vault')), 'svid_invalid');
  assert.is(await failure(authority.validateJwt(authority.denyList(), 'vault')), 'svid_invalid');
});

test('no key is published for two purposes', async ({ authority }) => {
  await authority.rotateNow('jwt');
  const [jwt, wit] = [authority.jwtBundle().keys, authority.witBundle().keys];
  const kids = [...jwt, ...wit].map(({ kid }) => kid);
  assert.is(kids.length, 4);
  assert.is(new Set(kids).size, kids.length);
  for (const key of [...jwt, ...wit]) assert.is(key.d, undefined);
  for (const key of jwt) assert.equal([key.kty, key.use], ['RSA', 'jwt-svid']);
  for (const key of wit) assert.equal([key.kty, key.crv, key.use], ['EC', 'P-256', 'wit-svid']);
});

test('a JWT-SVID holds its claims and nothing else', async ({ authority, clock }) => {
  const audience = ['a', 'spiffe://platform.local/service/vault'];
  const { token, expiresAt } = await authority.issueJwt({
    spiffeId: botId,
    audience,
    ttlSeconds: 9,
  });
  const iat = Math.floor(clock.now / 1000);
  assert.equal(decodeJwt(token), { sub: botId, aud: audience, iat, exp: iat + 9 });
  assert.is(expiresAt.getTime(), (iat + 9) * 1000);
  assert.equal(Object.keys(decodeProtectedHeader(token)).sort(), ['alg', 'kid', 'typ']);
});

test.run();
