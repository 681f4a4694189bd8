// What the server keeps of the documents that it has issued: shared until half their life, and never beyond its bound.
import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPglite } from '../../common/database/pglite.ts';
import type { Database } from '../../common/database/port.ts';
import { createAuthority } from '../authority/authority.ts';
import type { Authority } from '../authority/port.ts';
import type { Entry } from '../entries/entry.ts';
import type { Issuer } from '../issuer.ts';
import { SvidCache } from './svid-cache.ts';

const trustDomain = 'example.org';
const bound = 20_000;
let database: Database;
let authority: Authority;

const test = suite('SVID cache');
test.before(async () => {
  database = await openPglite();
  authority = await createAuthority({
    ...{ trustDomain, database, keyEncryptionKey: randomBytes(32), pollMs: 0, publishAheadMs: 0 },
  });
});
test.after(async () => {
  await authority.close();
  await database.close();
});

function entry(number: number): Entry {
  return {
    ...{ id: `e${number}`, ordinal: number, spiffeId: `spiffe://${trustDomain}/w/${number}` },
    ...{ parentId: `spiffe://${trustDomain}/node/local`, selectors: [], x509SvidTtl: 0 },
    ...{ jwtSvidTtl: 0, federatesWith: [], admin: false, downstream: false, expiresAt: 0 },
    ...{ dnsNames: [], revisionNumber: 0, storeSvid: false, hint: '', createdAt: 0 },
  };
}

/**
 * Issues one real document of each kind over and over: of what is kept only the number counts, and
 * 40,000 signatures would take a minute.
 */
async function countingIssuer() {
  const [svid, token] = await Promise.all([
    authority.issueX509({ spiffeId: entry(0).spiffeId }),
    authority.issueJwt({ spiffeId: entry(0).spiffeId, audience: ['a'] }),
  ]);
  const issued: string[] = [];
  const issuer = {
    denied: authority.denied,
    async issueX509({ spiffeId }: { spiffeId: string }) {
      issued.push(spiffeId);
      return { ...svid, spiffeId };
    },
    async issueJwt({ spiffeId }: { spiffeId: string }) {
      issued.push(spiffeId);
      return token;
    },
  };
  return { issued, issuer: issuer as unknown as Issuer };
}

function cacheOf(issuer: Issuer): SvidCache {
  const store = { isCurrent: () => true };
  return new SvidCache({ issuer, store, clock: () => new Date(), onEvent() {} });
}

test('10,000 entries have their SVIDs at hand, each signed once', async () => {
  const { issued, issuer } = await countingIssuer();
  const cache = cacheOf(issuer);
  for (let round = 0; round < 2; round += 1) {
    for (let number = 0; number < 10_000; number += 1) {
      const asked = await Promise.all([cache.x509(entry(number)), cache.x509(entry(number))]);
      assert.is(asked[0], asked[1]);
    }
  }
  assert.is(issued.length, 10_000);
  assert.equal(cache.sizes(), { x509: 10_000, tokens: 0, issuing: 0 });
});

test('beyond the bound what was asked for longest ago goes, for SVIDs and tokens alike', async () => {
  const { issued, issuer } = await countingIssuer();
  const cache = cacheOf(issuer);
  const asks = {
    x509: (number: number) => cache.x509(entry(number)),
    jwt: (number: number) => cache.jwt(entry(number), ['a']),
  };
  for (const ask of Object.values(asks)) {
    for (let number = 0; number < bound; number += 1) await ask(number);
    await ask(0);
    for (let number = bound; number < bound + 500; number += 1) await ask(number);
    issued.length = 0;
    await ask(0);
    await ask(bound + 499);
    assert.equal(issued, [], 'what was asked for again stays');
    await ask(1);
    assert.equal(issued, [entry(1).spiffeId]);
  }
  assert.equal(cache.sizes(), { x509: bound, tokens: bound, issuing: 0 });
});

test('a caller that asks for ever new audiences fills no more than the bound', async () => {
  const { issuer } = await countingIssuer();
  const cache = cacheOf(issuer);
  for (let number = 0; number < bound + 100; number += 1) {
    await cache.jwt(entry(0), [`audience-${number}`]);
  }
  assert.equal(cache.sizes(), { x509: 0, tokens: bound, issuing: 0 });
});

test('an SVID that fails is not kept, and the next one to ask gets one', async () => {
  let isAway = true;
  const issuer = {
    denied: authority.denied,
    async issueX509(request: Parameters<Authority['issueX509']>[0]) {
      if (isAway) throw new Error('away');
      return await authority.issueX509(request);
    },
  };
  const cache = cacheOf(issuer as unknown as Issuer);
  const first = await cache.x509(entry(1)).catch((error: Error) => error.message);
  assert.is(first, 'away');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(cache.sizes(), { x509: 0, tokens: 0, issuing: 0 });
  isAway = false;
  assert.is((await cache.x509(entry(1))).spiffeId, entry(1).spiffeId);
});

test.run();
