// Tests of the vault client against a server that speaks the vault's wire, over a Unix socket and TCP.

import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlatformError } from './index.ts';
import {
  AuthenticationError,
  ConfigurationError,
  CredentialError,
  InputError,
  platformAgent,
  secret,
  secretsBatch,
  VaultClient,
  vault,
} from './index.ts';
import { keepSpans } from './testing-spans.ts';

const scope = 'spiffe://platform.local/agent/acme/bot/*';
const time = '2026-11-21T07:00:00.000Z';
const denial = {
  title: 'No secret of this name is in scope',
  status: 403,
  code: 'secret_denied',
  decision_id: 'd'.repeat(64),
};

const { spans, telemetry } = keepSpans();

type Body = { [name: string]: unknown };
const kept = new Map<string, string[]>();
const seen: { method: string; url: string; headers: IncomingMessage['headers']; body: Body }[] = [];
/** Replaces the answer to the next request. */
let instead: [number, string] | undefined;

function answer(method: string, url: string, body: Body): [number, object] {
  const { pathname, searchParams } = new URL(url, 'http://vault');
  const [key = '', verb] = pathname.split('/').slice(4).map(decodeURIComponent);
  if (key === 'batch') {
    const read = (key: string) => {
      const values = kept.get(key);
      if (values === undefined) return { key, error: { code: 'secret_denied' } };
      return { key, value: values.at(-1), version: values.length, scope };
    };
    return [200, { secrets: (body.keys as string[]).map(read) }];
  }
  if (key === '') {
    const limit = 2;
    const after = searchParams.get('after') ?? '';
    const prefix = searchParams.get('prefix') ?? '';
    const keys = [...kept.keys()].toSorted().filter((k) => k.startsWith(prefix) && k > after);
    return [
      200,
      { keys: keys.slice(0, limit), next: keys.length > limit ? keys[limit - 1] : null },
    ];
  }
  const values = kept.get(key) ?? [];
  if (method === 'PUT') {
    if (body.check !== undefined && body.check !== values.length) {
      return [409, { code: 'secret_version_conflict', detail: 'version 1 is the current one' }];
    }
    kept.set(key, [...values, String(body.value)]);
    return [values.length === 0 ? 201 : 200, { key, scope, version: values.length + 1 }];
  }
  if (values.length === 0) return [403, denial];
  if (verb === 'versions') {
    return [200, { versions: values.map((_, at) => ({ version: at + 1, created_at: time })) }];
  }
  if (verb === 'restore') return [200, { key, scope, version: values.length }];
  if (method === 'DELETE') {
    kept.delete(key);
    return [200, { key, scope, deleted_at: time }];
  }
  const version = Number(searchParams.get('version') ?? values.length);
  const times = { created_at: time, updated_at: time, expires_at: null };
  return [200, { key, value: values[version - 1], version, scope, ...times }];
}

const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const { method = '', url = '', headers } = request;
  const body = text === '' ? {} : JSON.parse(text);
  seen.push({ method, url, headers, body });
  const [status, said] = instead ?? answer(method, url, body);
  instead = undefined;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof said === 'string' ? said : JSON.stringify(said));
});
const overTcp = createServer((request, response) => void server.emit('request', request, response));
const folder = mkdtempSync(join(tmpdir(), 'vault-'));
const client = new VaultClient({ baseUrl: `unix:${join(folder, 's')}` });

test.before(async () => {
  await new Promise<void>((resolve) => server.listen(join(folder, 's'), resolve));
  await new Promise<void>((resolve) => overTcp.listen(0, '127.0.0.1', resolve));
  process.env.PLATFORM_VAULT_URL = `unix:${join(folder, 's')}`;
});
test.before.each(() => {
  kept.clear();
  seen.length = 0;
  spans.length = 0;
});
test.after(async () => {
  await telemetry.shutdown();
  client.close();
  server.close();
  server.closeAllConnections();
  overTcp.close();
  overTcp.closeAllConnections();
  rmSync(folder, { recursive: true });
});

async function failure(work: Promise<unknown>): Promise<PlatformError> {
  try {
    await work;
  } catch (error) {
    return error as PlatformError;
  }
  throw new Error('nothing failed');
}

test('a secret is kept, read, listed, restored and taken away', async () => {
  assert.equal(await client.put('db-password', 'one'), { key: 'db-password', scope, version: 1 });
  await client.put('db-password', 'two', { scope: 'writer', expiresAt: new Date(time), check: 1 });
  assert.equal(seen.at(-1)?.body, { value: 'two', scope: 'writer', expires_at: time, check: 1 });
  assert.is(seen.at(-1)?.headers.host, 'vault.platform-system');
  assert.is(await client.get('db-password'), 'two');
  assert.is(await client.get('db-password', { version: 1 }), 'one');
  assert.is((await client.versions('db-password')).length, 2);
  assert.is((await client.restore('db-password', { version: 1 })).version, 2);
  assert.equal(seen.at(-1)?.body, { version: 1 });
  await client.delete('db-password', { purge: true });
  assert.is(seen.at(-1)?.url, '/api/v1/secrets/db-password?purge=true');
  const gone = await failure(client.get('db-password'));
  assert.instance(gone, CredentialError);
  assert.is(gone.code, 'secret_denied');
  assert.is((gone as CredentialError).decisionId, denial.decision_id);
});

test('a value is not shown by whatever shows the secret', async () => {
  await client.put('token', 'hunter2-hunter2');
  const read = await client.read('token');
  assert.is(read.value, 'hunter2-hunter2');
  assert.equal(read.createdAt, new Date(time));
  for (const shown of [JSON.stringify(read), inspect(read), JSON.stringify({ ...read })]) {
    assert.match(shown, 'token');
    assert.not.match(shown, 'hunter2');
  }
});

test('keys come page by page', async () => {
  for (const key of ['b', 'a', 'c', 'd', 'db-x']) await client.put(key, 'value');
  seen.length = 0;
  assert.equal(await client.list(), ['a', 'b', 'c', 'd', 'db-x']);
  assert.is(seen.length, 3);
  assert.equal(await client.list({ prefix: 'd' }), ['d', 'db-x']);
  seen.length = 0;
  for await (const key of client.keys()) if (key === 'b') break;
  assert.is(seen.length, 1, 'a page that nobody asked for is not fetched');
});

test('a list that never ends is ended', async () => {
  await client.put('a', 'value');
  const pages = client.keys()[Symbol.asyncIterator]();
  const page: [number, string] = [200, '{"keys":["a"],"next":"same"}'];
  instead = page;
  await pages.next();
  instead = page;
  assert.is((await failure(pages.next())).code, 'service_unavailable');
});

test('functions get secrets as parameters, afresh at each call', async () => {
  const connect = secret('password', async (password, host: string, port = 1) => {
    return `${host}:${port}:${password}`;
  });
  assert.is((await failure(connect('h'))).code, 'secret_denied');
  await vault.put('password', 'one');
  assert.is(await connect('h', 2), 'h:2:one');
  await vault.put('password', 'two');
  assert.is(await connect('h'), 'h:1:two');

  await vault.put('user', 'ann');
  seen.length = 0;
  const both = secretsBatch(['user', 'password'], ([user, password], host: string) => {
    return [user, password, host];
  });
  assert.equal(await both('h'), ['ann', 'two', 'h']);
  assert.is(seen.length, 1);
  let ran = 0;
  const run = secretsBatch(['user', 'gone', 'away'], () => ran++);
  const missing = await failure(run());
  assert.is(missing.code, 'secret_denied');
  assert.instance(missing, CredentialError);
  assert.equal(missing.data.failed, [
    { key: 'gone', code: 'secret_denied' },
    { key: 'away', code: 'secret_denied' },
  ]);
  assert.is(ran, 0);
});

test('many keys are asked for in requests whose answers are bounded', async () => {
  const keys = Array.from({ length: 95 }, (_, at) => `key-${at}`);
  for (const key of keys) await client.put(key, `value of ${key}`);
  seen.length = 0;
  const values = await client.getBatch([...keys, 'key-0']);
  assert.is(seen.length, 3);
  assert.is(values.size, 95);
  assert.is(values.get('key-94'), 'value of key-94');
  instead = [200, '{"secrets":[]}'];
  assert.is((await failure(client.getBatch(['key-0']))).code, 'service_unavailable');
});

test('whatever the key, the request is for a secret of that key or there is none', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 30 }), async (key) => {
      seen.length = 0;
      const error = await failure(client.get(key));
      if (seen.length === 0) return assert.instance(error, Error);
      const [, ...path] = seen[0]!.url.split('/');
      assert.equal(path.slice(0, 3), ['api', 'v1', 'secrets']);
      assert.equal(path.slice(3).map(decodeURIComponent), [key]);
    }),
  );
  for (const key of ['', '.', '..', '\ud800']) {
    assert.instance(await failure(client.get(key)), InputError);
  }
});

test('failures say what failed and never a value', async () => {
  const problem = (status: number, code: string): [number, string] => [
    status,
    JSON.stringify({ code, title: 'no' }),
  ];
  instead = problem(401, 'unauthenticated');
  assert.instance(await failure(client.get('a')), AuthenticationError);
  instead = problem(413, 'secret_too_large');
  assert.instance(await failure(client.put('a', 'value')), InputError);
  await client.put('a', 'hunter2');
  const conflict = await failure(client.put('a', 'hunter3', { check: 0 }));
  assert.is(conflict.code, 'secret_version_conflict');
  assert.not.match(inspect(conflict), 'hunter');
  for (const text of ['hunter2', '{}', '{"value":"hunter2"}', '[]']) {
    instead = [200, text];
    const error = await failure(client.get('a'));
    assert.not.match(`${error.message} ${JSON.stringify(error)}`, 'hunter2');
  }
  const nowhere = new VaultClient({ baseUrl: 'unix:/nowhere.sock' });
  assert.is((await failure(nowhere.get('a'))).code, 'service_unavailable');
});

test('its address is the vault’s, else the gateway’s', async () => {
  const { env } = process;
  const { PLATFORM_VAULT_URL: url = '' } = env;
  const { port } = overTcp.address() as AddressInfo;
  await client.put('a', 'value');
  try {
    env.PLATFORM_VAULT_URL = `http://127.0.0.1:${port}`;
    const remote = new VaultClient();
    assert.is(await remote.get('a'), 'value');
    assert.is(seen.at(-1)?.headers.host, `127.0.0.1:${port}`);
    remote.close();
    env.PLATFORM_VAULT_URL = '';
    env.PLATFORM_GATEWAY_URL = url;
    const shared = new VaultClient();
    assert.is(await shared.get('a'), 'value');
    shared.close();
    delete env.PLATFORM_GATEWAY_URL;
    assert.throws(
      () => new VaultClient(),
      (error: unknown) => error instanceof ConfigurationError,
    );
  } finally {
    env.PLATFORM_VAULT_URL = url;
  }
});

test('spans name the key and the tenant, and no value', async () => {
  await client.put('a', 'hunter2-hunter2');
  const agent = platformAgent({ name: 'bot', tenant: 'acme' }, () => client.get('a'));
  await agent();
  const span = spans.find(({ name }) => name === 'platform.vault.get');
  assert.equal(span?.attributes, { path: 'a', tenant: 'acme' });
  assert.not.match(inspect(spans, { depth: 6 }), 'hunter2');
});

test.run();
