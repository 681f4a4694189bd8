// The deny-list as a verifier sees it: what is believed, what is not, and how old it is.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompactSign } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../errors.ts';
import { eventually } from '../../testing/eventually.ts';
import { FakeWorkloadApi } from '../../testing/workload-api.ts';
import { deniedKey } from './denied-key.ts';
import { type FollowedDenyList, followDenyList } from './deny-list.ts';

const trustDomain = 'platform.local';
const bot = 'spiffe://platform.local/agent/acme/bot/main';
const other = 'spiffe://platform.local/agent/acme/other/main';
const folder = mkdtempSync(join(tmpdir(), 'deny-'));
const servers: FakeWorkloadApi[] = [];
const lists: FollowedDenyList[] = [];
const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
const nextKey = generateKeyPairSync('rsa', { modulusLength: 2048 });

const bundle = (keys: Record<string, KeyObject>) => ({
  [`spiffe://${trustDomain}`]: JSON.stringify({
    keys: Object.entries(keys).map(([kid, publicKey]) => ({
      ...publicKey.export({ format: 'jwk' }),
      ...{ kid, use: 'jwt-svid', alg: 'RS256' },
    })),
  }),
});

interface Signed {
  sequence: unknown;
  denied: unknown;
  trust_domain: string;
  header: Record<string, string>;
  signingKey: KeyObject | Uint8Array;
}

async function signed(change: Partial<Signed> = {}): Promise<string> {
  const { header = {}, signingKey = key.privateKey, ...rest } = change;
  const issued_at = Math.floor(Date.now() / 1000);
  const payload = { trust_domain: trustDomain, sequence: 1, issued_at, denied: {}, ...rest };
  return await new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'RS256', typ: 'platform-deny-list', kid: 'a', ...header })
    .sign(signingKey);
}

async function serve(denyList: string): Promise<FakeWorkloadApi> {
  const path = join(folder, `${servers.length}.sock`);
  const server = new FakeWorkloadApi(path, {
    ...{ x509: { svids: [], bundle: new Uint8Array() }, denyList },
    jwtBundles: bundle({ a: key.publicKey }),
  });
  servers.push(server);
  await server.start();
  return server;
}

interface Follower {
  list: FollowedDenyList;
  troubles: string[];
}

async function followed(server: FakeWorkloadApi, clock?: () => Date): Promise<Follower> {
  const troubles: string[] = [];
  const onTrouble = (trouble: unknown) => troubles.push(codeOf(trouble));
  const { socketPath } = server;
  const list = await followDenyList({ socketPath, trustDomain, clock, onTrouble, timeoutMs: 5000 });
  lists.push(list);
  return { list, troubles };
}

const test = suite('deny-list');
test.after(async () => {
  for (const list of lists) await list.close();
  for (const server of servers) await server.stop();
  rmSync(folder, { recursive: true });
});

test('refuses what was issued before the second of the list, and nothing else', async () => {
  const { list } = await followed(
    await serve(await signed({ denied: { [deniedKey(bot)]: 1000 } })),
  );
  assert.ok(list.isDenied(bot, 999));
  assert.not(list.isDenied(bot, 1000));
  assert.not(list.isDenied(other, 0));
  assert.not(list.isDenied('__proto__', 0));
  assert.not(list.isDenied('toString', 0));
});

test('a newer list is in force at once and is told', async () => {
  const server = await serve(await signed());
  const { list } = await followed(server);
  let told = 0;
  list.onChange(() => {
    told += 1;
  });
  assert.not(list.isDenied(bot, 10));
  server.send({ denyList: await signed({ sequence: 2, denied: { [deniedKey(bot)]: 11 } }) });
  await eventually(() => list.isDenied(bot, 10));
  assert.is(told, 1);
  server.send({ denyList: await signed({ sequence: 3 }) });
  await eventually(() => !list.isDenied(bot, 10));
  assert.is(told, 2);
});

test('an older list is refused, and the one in force stays', async () => {
  const old = await signed({ sequence: 4 });
  const server = await serve(await signed({ sequence: 5, denied: { [deniedKey(bot)]: 11 } }));
  const { list, troubles } = await followed(server);
  server.send({ denyList: old });
  await eventually(() => troubles.length > 0);
  assert.equal(troubles, ['deny_list_invalid']);
  assert.ok(list.isDenied(bot, 10));
});

test('a list that cannot be believed changes nothing', async () => {
  const good = await signed({ denied: { [deniedKey(bot)]: 11 } });
  const at = good.lastIndexOf('.') + 10;
  const forged = good.slice(0, at) + (good[at] === 'A' ? 'B' : 'A') + good.slice(at + 1);
  const [header, , signature] = good.split('.');
  const secret = Buffer.from(key.publicKey.export({ type: 'spki', format: 'pem' }));
  const none = Buffer.from('{"alg":"none","typ":"platform-deny-list"}').toString('base64url');
  const empty = Buffer.from('{"trust_domain":"platform.local","sequence":900,"denied":{}}');
  const hostile: Record<string, string> = {
    'another signature': forged,
    'another payload': `${header}.${empty.toString('base64url')}.${signature}`,
    'another key': await signed({ sequence: 900, signingKey: nextKey.privateKey }),
    'a key that is not known': await signed({ sequence: 900, header: { kid: 'b' } }),
    'no type': await signed({ sequence: 900, header: { typ: '' } }),
    'a token': await signed({ sequence: 900, header: { typ: 'JWT' } }),
    'another algorithm': await signed({ sequence: 900, header: { alg: 'PS256' } }),
    'the public key as a secret': await signed({
      ...{ sequence: 900, header: { alg: 'HS256' }, signingKey: secret },
    }),
    'no signature at all': `${none}.${empty.toString('base64url')}.`,
    'another trust domain': await signed({ sequence: 900, trust_domain: 'other.local' }),
    'no sequence': await signed({ sequence: undefined }),
    'half a sequence': await signed({ sequence: 900.5 }),
    'a list of names': await signed({ sequence: 900, denied: [bot] }),
    'no time': await signed({ sequence: 900, denied: { [deniedKey(bot)]: 'now' } }),
    'a time before 1970': await signed({ sequence: 900, denied: { [deniedKey(bot)]: -1 } }),
    'a name in place of its hash': await signed({ sequence: 900, denied: { [bot]: 11 } }),
    'no list': '',
  };
  const server = await serve(good);
  const { list, troubles } = await followed(server);
  let told = 0;
  list.onChange(() => {
    told += 1;
  });
  for (const [index, [what, denyList]] of Object.entries(hostile).entries()) {
    troubles.length = 0;
    server.send({ denyList });
    await eventually(() => troubles.length > 0);
    assert.equal(troubles, ['deny_list_invalid'], what);
    assert.ok(list.isDenied(bot, 10), what);
    // A good one in between, so that the next refusal is an outage of its own.
    server.send({
      denyList: await signed({ sequence: index + 2, denied: { [deniedKey(bot)]: 11 } }),
    });
    await eventually(() => told === index + 1);
  }
});

test('a list signed by the next key is taken once the key is in the bundle', async () => {
  const server = await serve(await signed());
  const { list, troubles } = await followed(server);
  server.send({ jwtBundles: bundle({ a: key.publicKey, b: nextKey.publicKey }) });
  const header = { kid: 'b' };
  const denied = { [deniedKey(bot)]: 11 };
  const signingKey = nextKey.privateKey;
  server.send({ denyList: await signed({ sequence: 2, denied, header, signingKey }) });
  await eventually(() => list.isDenied(bot, 10));
  assert.ok(troubles.every((code) => code === 'deny_list_invalid'));
});

test('while the server is away the last list stays in force and grows stale', async () => {
  let now = 1_000_000;
  const server = await serve(await signed({ denied: { [deniedKey(bot)]: 11 } }));
  const { list, troubles } = await followed(server, () => new Date(now));
  assert.is(list.staleForMs(), 0);
  await server.stop();
  await eventually(() => troubles.length > 0);
  now += 3_600_000;
  assert.is(list.staleForMs(), 3_600_000);
  assert.ok(list.isDenied(bot, 10));
  assert.equal(troubles, ['identity_unavailable']);
  await server.start();
  await eventually(() => list.staleForMs() === 0);
});

test('without a list that can be believed there is no view at all', async () => {
  const refusal = async (server: FakeWorkloadApi) => {
    const { socketPath } = server;
    try {
      lists.push(await followDenyList({ socketPath, trustDomain, timeoutMs: 300 }));
      return 'followed';
    } catch (error) {
      return codeOf(error);
    }
  };
  const forged = await serve(await signed({ signingKey: nextKey.privateKey }));
  assert.is(await refusal(forged), 'deny_list_invalid');
  const away = await serve('');
  await away.stop();
  assert.is(await refusal(away), 'identity_unavailable');
});

test.run();
