// A third party that knows nothing but the issuer's URL checks our tokens over real HTTP.
import { createServer } from 'node:net';
import { createLocalJWKSet, createRemoteJWKSet, jwtVerify } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPglite } from '../../common/database/pglite.ts';
import type { Database } from '../../common/database/port.ts';
import { createHttpServer, type HttpServer, type Route } from '../../common/http/port.ts';
import type { Authority } from './port.ts';
import { botId, failure, hourMs, openAuthority, TestClock } from './testing.ts';

interface Context {
  database: Database;
  clock: TestClock;
  authority: Authority;
  issuer: string;
  server: HttpServer;
}

const test = suite<Context>('oidc');
const audience = 'sts.amazonaws.com';

test.before(async (context) => {
  context.database = await openPglite();
  context.clock = new TestClock();
  context.authority = await openAuthority(context.database, context.clock);
  const port = await freePort();
  context.issuer = `http://127.0.0.1:${port}`;
  const routes = context.authority.oidcRoutes({ issuer: context.issuer });
  context.server = createHttpServer({ routes });
  await context.server.listen({ host: '127.0.0.1', port });
});
test.after(async ({ server, authority, database }) => {
  await server.close(0);
  await authority.close();
  await database.close();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function document(url: string) {
  const response = await fetch(url);
  assert.is(response.status, 200);
  assert.is(response.headers.get('content-type'), 'application/json');
  return { body: await response.json(), cache: response.headers.get('cache-control') };
}

const discover = async (issuer: string) =>
  (await document(`${issuer}/.well-known/openid-configuration`)).body;

test('the discovery document has what AWS, Google Cloud and Azure ask for', async ({ issuer }) => {
  const body = await discover(issuer);
  // OpenID Connect Discovery 1.0, section 3: the required members.
  assert.is(body.issuer, issuer);
  assert.is(new URL(body.jwks_uri).origin, issuer);
  assert.ok(URL.canParse(body.authorization_endpoint));
  assert.equal(body.response_types_supported, ['id_token']);
  assert.equal(body.subject_types_supported, ['public']);
  assert.equal(body.id_token_signing_alg_values_supported, ['RS256']);
  assert.ok(['iss', 'sub', 'aud'].every((claim) => body.claims_supported.includes(claim)));
});

test('the keys are RSA keys to check RS256 with, and nothing else', async ({ issuer }) => {
  const { body, cache } = await document((await discover(issuer)).jwks_uri);
  assert.ok(body.keys.length >= 1);
  for (const key of body.keys) {
    assert.equal(Object.keys(key).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
    assert.equal([key.kty, key.use, key.alg], ['RSA', 'sig', 'RS256']);
    assert.is(Buffer.from(key.n, 'base64url').length, 256);
  }
  assert.is(new Set(body.keys.map((key: { kid: string }) => key.kid)).size, body.keys.length);
  assert.is(cache, 'public, max-age=300');
});

test('tokens are good for whoever knows the issuer, through every rotation', async (context) => {
  const { authority, clock, issuer } = context;
  const options = () => ({ issuer, audience, currentDate: clock.read(), typ: 'JWT' });
  // So that the hours at which keys are made and sign fall between the steps below.
  clock.advance(3 * hourMs - 30_000);
  for (let hour = 3; hour < 48; hour += 3) {
    await authority.refresh();
    const { token } = await authority.issueJwt({ spiffeId: botId, audience: [audience] });
    const { jwks_uri } = await discover(issuer);
    const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(jwks_uri)), options());
    assert.is(payload.sub, botId);
    assert.is(payload.iss, issuer);
    await assertRefused(
      jwtVerify(token, createRemoteJWKSet(new URL(jwks_uri)), {
        ...options(),
        audience: 'another',
      }),
    );
    // Whoever fetched the keys just now and keeps them for max-age takes what is signed meanwhile,
    // and a token that was signed just now stays good until it ends.
    const kept = createLocalJWKSet((await document(jwks_uri)).body);
    for (const minutes of [1, 4]) {
      clock.advance(minutes * 60_000 - 1000);
      await authority.refresh();
      const later = await authority.issueJwt({ spiffeId: botId, audience: [audience] });
      await jwtVerify(later.token, kept, options());
      await jwtVerify(token, createRemoteJWKSet(new URL(jwks_uri)), options());
    }
    clock.advance(3 * hourMs - 298_000);
  }
});

async function assertRefused(work: Promise<unknown>): Promise<void> {
  assert.ok(
    await work.then(
      () => false,
      () => true,
    ),
  );
}

test('nothing that a request holds changes what is published', async ({ issuer, server }) => {
  for (const { path, boundary } of server.list()) {
    assert.is(boundary, 'published');
    const plain = await (await fetch(`${issuer}${path}`)).text();
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      accept: 'text/html',
    };
    for (const url of [`${issuer}${path}?issuer=evil`, `${issuer}${path}?`]) {
      assert.is(await (await fetch(url, { headers })).text(), plain);
    }
    for (const method of ['POST', 'PUT', 'DELETE']) {
      assert.is((await fetch(`${issuer}${path}`, { method })).status, 405, method);
    }
  }
});

test('a published document takes neither parameters nor another method', async (context) => {
  const [route] = context.authority.oidcRoutes({ issuer: context.issuer });
  for (const change of [{ method: 'POST' }, { path: '/keys/:kid' }] as Partial<Route>[]) {
    const routes = [{ ...route!, ...change }];
    assert.is(await failure(() => createHttpServer({ routes })), 'configuration_invalid');
  }
});

test('the issuer is one, plain and safe', async ({ database, clock, authority }) => {
  const another = () => authority.oidcRoutes({ issuer: 'https://another.example' });
  assert.is(await failure(another), 'configuration_invalid');
  const fresh = await openAuthority(database, clock);
  const unsafe = ['http://identity.example', 'https://a.example/', 'https://a.example?b', 'a', ''];
  for (const issuer of [...unsafe, 'https://a.example#b', 'https://u:p@a.example', 'ftp://a.b']) {
    assert.is(await failure(() => fresh.oidcRoutes({ issuer })), 'configuration_invalid', issuer);
  }
  assert.is(fresh.oidcRoutes({ issuer: 'https://a.example/tenant' }).length, 2);
  await fresh.close();
});

test.run();
