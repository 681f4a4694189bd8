// A tool's credential on its whole way: kept in the vault, read for the agent, sent, and out of every answer.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf, PlatformError } from '../runtime/errors.ts';
import type { JsonObject } from '../runtime/json.ts';
import { SAMPLE_GATEWAY } from '../runtime/testing/sample-data.ts';
import type { Caller } from '../services/common/caller.ts';
import { openPglite } from '../services/common/database/pglite.ts';
import type { Database } from '../services/common/database/port.ts';
import {
  type CredentialSource,
  firstCredential,
  operatorCredentials,
} from '../services/gateway/credentials.ts';
import {
  type SendToVault,
  vaultCredentials,
  vaultOverSocket,
} from '../services/gateway/credentials-vault.ts';
import {
  AGENT,
  READER,
  registerTestTools,
  startGateway,
  type TestGateway,
  testDecider,
} from '../services/gateway/testing.ts';
import { startVault, type TestVault } from '../services/vault/testing.ts';

const value = 'orders key: 7f/+"quoted" & 42%';
const agentWide = AGENT.replace(/[^/]*$/, '*');
const test = suite<{ database: Database; vault: TestVault; gateway: TestGateway }>('credentials');
let send: SendToVault;

test.before(async (context) => {
  context.database = await openPglite();
  context.vault = await startVault(context.database, { decider: await testDecider() });
  // In place of the proxies: the vault's side says who asks.
  const overVault: SendToVault = async ({ method, path, headers }) => {
    const answer = await context.vault.call(SAMPLE_GATEWAY, method, path, undefined, headers);
    return { status: answer.status, body: Buffer.from(answer.text) };
  };
  send = overVault;
  context.gateway = await startGateway(() => ({
    credentials: firstCredential([
      operatorCredentials(undefined, { PLATFORM_CREDENTIAL_OTHER_KEY: 'operator' }),
      vaultCredentials({ send: (request) => send(request) }),
    ]),
  }));
  await registerTestTools(context.gateway);
});
test.before.each(({ gateway }) => {
  gateway.upstream.seen.length = 0;
});
test.after(async ({ database, vault, gateway }) => {
  await gateway.close();
  await vault.close();
  await database.close();
});

test('without a secret the call is denied, nothing is sent, and both services say so', async ({
  gateway,
  vault,
}) => {
  const { body } = await gateway.execute('orders_get', { id: '1' });
  assert.is((body.error as JsonObject).code, 'credential_missing');
  assert.is(gateway.upstream.seen.length, 0);
  const vaultOnly = await startGateway(() => ({ credentials: vaultCredentials({ send }) }));
  try {
    await registerTestTools(vaultOnly);
    const denied = await vaultOnly.execute('orders_get', { id: '1' });
    assert.is((denied.body.error as JsonObject).code, 'secret_denied');
    assert.is(vaultOnly.upstream.seen.length, 0);
    const outcome = (await vaultOnly.rows()).at(-1)!;
    assert.is(outcome.outcome, 'denied');
    assert.is(outcome.reason?.code, 'secret_denied');
    const row = (await vault.rows()).at(-1)!;
    assert.is(row.spiffe_id, AGENT);
    assert.is(row.kind, 'denial');
    assert.is(row.request, outcome.request, 'one request through both services');
  } finally {
    await vaultOnly.close();
  }
});

test('the secret is sent under the identity of the agent, and a new version at the next call', async ({
  gateway,
  vault,
}) => {
  const put = (text: string) =>
    vault.operate('PUT', '/api/v1/secrets/orders-key', { value: text, scope: agentWide });
  assert.is((await put('first-value')).status, 201);
  const { body } = await gateway.execute('orders_get', { id: '1' });
  assert.is(body.success, true);
  assert.is(gateway.upstream.seen.at(-1)?.headers.authorization, 'Bearer first-value');
  await put(value);
  await gateway.execute('orders_get', { id: '1' });
  assert.is(gateway.upstream.seen.at(-1)?.headers.authorization, `Bearer ${value}`);
  const row = (await vault.rows()).at(-1)!;
  assert.is(row.spiffe_id, AGENT);
  assert.match(JSON.stringify(row), SAMPLE_GATEWAY);
});

test('no tool acts on a secret of the agent’s own, also not once the operator’s is gone', async ({
  gateway,
  vault,
}) => {
  const scope = `${agentWide.split('/').slice(0, 5).join('/')}/*`;
  const path = '/api/v1/secrets/orders-key';
  const sent = async () => {
    gateway.upstream.seen.length = 0;
    const { body } = await gateway.execute('orders_get', { id: '1' });
    return gateway.upstream.seen.at(-1)?.headers.authorization ?? (body.error as JsonObject).code;
  };
  const expires_at = new Date(vault.clock.now + 1000).toISOString();
  await vault.operate('PUT', path, { value: 'of-the-tenant', scope, expires_at });
  assert.is(await sent(), `Bearer ${value}`, 'the operator’s override for this agent counts first');
  await vault.call(AGENT, 'PUT', path, { value: 'own', scope: 'main' });
  assert.is(await sent(), `Bearer ${value}`);
  await vault.call(AGENT, 'PUT', path, { value: 'own' });
  assert.is(await sent(), 'Bearer of-the-tenant');
  const own = await vault.call(AGENT, 'GET', path);
  assert.is(own.body.value, 'own', 'the agent itself reads the most specific one');
  vault.clock.now += 1000;
  assert.is(await sent(), 'credential_missing');
  await vault.operate('PUT', path, { value: 'of-the-tenant', scope });
  assert.is(await sent(), 'Bearer of-the-tenant');
  await vault.operate('DELETE', `${path}?scope=${scope}`);
  assert.is(await sent(), 'credential_missing');
  await vault.operate('PUT', path, { value, scope: agentWide });
  assert.is(await sent(), `Bearer ${value}`);
});

test('another agent does not get it', async ({ gateway }) => {
  const { body } = await gateway.execute('orders_get', { id: '1' }, { spiffeId: READER });
  assert.is(body.success ?? false, false);
  assert.is(gateway.upstream.seen.length, 0);
});

test('what echoes it does not reach the agent, in results, errors and rows', async ({
  gateway,
  vault,
}) => {
  for (const tool of ['orders_headers', 'orders_fail', 'orders_encoded']) {
    const answer = await gateway.execute(tool, {});
    const shown = JSON.stringify(answer.body) + JSON.stringify(answer.headers);
    assert.match(shown, '[redacted]', tool);
    for (const echo of ['7f/+', 'quoted', Buffer.from(value).toString('base64').slice(4, 20)]) {
      assert.not.match(shown, echo, tool);
    }
  }
  assert.not.match(JSON.stringify([await gateway.rows(), await vault.rows()]), '7f/+');
});

test('a vault that is away, slow or confused ends the call before anything is sent', async ({
  gateway,
}) => {
  const answers: [string, SendToVault][] = [
    ['service_unavailable', () => Promise.reject(new Error(`connect ECONNREFUSED ${value}`))],
    ['service_unavailable', async () => ({ status: 503, body: Buffer.from('{}') })],
    ['service_unavailable', async () => ({ status: 200, body: Buffer.from(`{"value":"${value}`) })],
    ['service_unavailable', async () => ({ status: 200, body: Buffer.from('{"value":7}') })],
    [
      'service_unavailable',
      async () => ({ status: 200, body: Buffer.from('{"key":"other","value":"abcd"}') }),
    ],
    [
      'credential_unusable',
      async () => ({ status: 200, body: Buffer.from('{"key":"orders-key","value":"a\\r\\nb"}') }),
    ],
  ];
  const usual = send;
  for (const [code, answer] of answers) {
    send = answer;
    const { body } = await gateway.execute('orders_get', { id: '1' });
    assert.is((body.error as JsonObject).code, code);
    assert.not.match(JSON.stringify(body), '7f/+');
  }
  send = usual;
  assert.is(gateway.upstream.seen.length, 0);
});

const salt = new Uint8Array(32).fill(7);
const caller: Caller = {
  identity: {
    ...{ spiffe_id: AGENT, trust_domain: 'platform.local' },
    ...{ tenant: 'tenant-0', agent: 'agent-0', role: 'main' },
  },
  context: { requestId: 'request-1', time: '2026-11-21T07:00:00.000Z', salt },
};

test('a source is asked after another only when that has nothing of this name', async () => {
  const source = (answer: string | PlatformError): CredentialSource => ({
    read: async () => {
      if (typeof answer === 'string') return answer;
      throw answer;
    },
  });
  const error = (code: ConstructorParameters<typeof PlatformError>[0]) =>
    source(new PlatformError(code, code));
  const read = (...sources: CredentialSource[]) =>
    firstCredential(sources).read('a', 'https://a.example', caller).catch(codeOf);
  assert.is(await read(error('credential_missing'), source('second')), 'second');
  assert.is(await read(error('secret_denied'), source('second')), 'second');
  for (const code of ['service_unavailable', 'credential_unusable', 'internal'] as const) {
    assert.is(await read(error(code), source('second')), code);
  }
  assert.is(await read(error('secret_denied'), error('credential_missing')), 'secret_denied');
  assert.is(await read(), 'credential_missing');
});

test('a secret that an agent gave the name of an operator’s credential is not used', async ({
  vault,
}) => {
  const path = '/api/v1/secrets/orders-key';
  assert.ok((await vault.call(AGENT, 'PUT', path, { value: 'of the agent' })).status < 300);
  const operator = operatorCredentials(undefined, { PLATFORM_CREDENTIAL_ORDERS_KEY: 'operators' });
  const sources = firstCredential([operator, vaultCredentials({ send })]);
  assert.is(await sources.read('orders-key', 'https://a.example', caller), 'operators');
});

test('over a socket the request names the agent and its facts, and the answer is bounded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vault-'));
  const path = join(folder, 's');
  const seen: { url?: string | undefined; headers: NodeJS.Dict<string | string[]> }[] = [];
  let body = JSON.stringify({ key: 'a/../b', value: 'the value' });
  const server = createServer((request, response) => {
    seen.push({ url: request.url, headers: request.headers });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const socket = vaultOverSocket(path);
  const source = vaultCredentials(socket);
  try {
    assert.is(await source.read('a/../b', '', caller), 'the value');
    assert.is(seen[0]?.url, '/api/v1/secrets/a%2F..%2Fb');
    const { headers } = seen[0]!;
    assert.is(headers['x-platform-on-behalf-of'], AGENT);
    assert.is(headers['x-platform-request-id'], 'request-1');
    assert.is(headers['x-platform-time'], '2026-11-21T07:00:00.000Z');
    assert.is(headers['x-platform-salt'], '07'.repeat(32));
    body = JSON.stringify({ key: 'a', value: 'x'.repeat(1024 * 1024) });
    assert.is(await source.read('a', '', caller).catch(codeOf), 'service_unavailable');
    assert.is(await source.read('..', '', caller).catch(codeOf), 'secret_denied');
    server.close();
    server.closeAllConnections();
    assert.is(await source.read('a', '', caller).catch(codeOf), 'service_unavailable');
  } finally {
    await socket.close();
    rmSync(folder, { recursive: true });
  }
});

test.run();
