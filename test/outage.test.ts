// An hour without the identity server, through both proxies: calls go on until the SVIDs expire, and again when it is back.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { machineAttestor, platformSelector } from '../runtime/identity/attestor.ts';
import { entryClient } from '../runtime/identity/entry-client.ts';
import { createEntryRegistry } from '../runtime/identity/registry.ts';
import { agentSpiffeId, nodeSpiffeId, serviceSpiffeId } from '../runtime/identity/spiffe-id.ts';
import { followDenyList } from '../runtime/identity/workload/deny-list.ts';
import { openWorkloadSource } from '../runtime/identity/workload/source.ts';
import { Scope } from '../runtime/modules/scope.ts';
import { moduleBytes } from '../runtime/modules/source.ts';
import { eventually } from '../runtime/testing/eventually.ts';
import { openPglite } from '../services/common/database/pglite.ts';
import { createAuthority } from '../services/identity/authority/authority.ts';
import { createIdentityServer } from '../services/identity/server.ts';
import { createInboundProxy } from '../services/proxy/inbound.ts';
import type { TcpAddress } from '../services/proxy/listen.ts';
import { createOutboundProxy } from '../services/proxy/outbound.ts';
import { testFilter } from '../services/proxy/testing/filter.ts';
import { http1Service } from '../services/proxy/testing/services.ts';

const minuteMs = 60_000;
const trustDomain = 'platform.local';
const scope = Scope.create(moduleBytes('scope'));
const agentId = agentSpiffeId({ trustDomain, tenant: 'acme', agent: 'bot', role: 'main' });
const webId = serviceSpiffeId(trustDomain, 'web');
const folder = mkdtempSync(join(tmpdir(), 'out-'));
const at = (name: string) => join(folder, `${name}.sock`);
const closing: (() => unknown)[] = [];

/**
 * Everybody's clock. TLS itself checks certificates by the machine's, so the hour begins 58 minutes
 * ago: the documents from its beginning and those from after its end are both good today.
 */
const begunAt = Date.now() - 58 * minuteMs;
let elapsedMs = 0;
const clock = () => new Date(begunAt + elapsedMs);

const test = suite('an hour without the identity server');
test.after(async () => {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
});

async function startIdentity() {
  const database = await openPglite();
  const authority = await createAuthority({
    ...{ trustDomain, database, keyEncryptionKey: randomBytes(32), clock },
    ...{ pollMs: 0, publishAheadMs: 0 },
  });
  closing.push(
    () => authority.close(),
    () => database.close(),
  );
  const services = ['web', 'bot'];
  const serve = async () => {
    const server = createIdentityServer({
      ...{ authority, database, clock },
      workloads: machineAttestor({
        ...{ registry: createEntryRegistry(), services, ownPid: process.pid },
      }),
      allowAdmin: (_, peer) => peer.pid === process.pid,
    });
    await server.listen({ workloadSocket: at('w'), adminSocket: at('a') });
    return server;
  };
  const first = await serve();
  const entries = entryClient(at('a'));
  const draft = (spiffeId: string, service: string) => ({
    ...{ spiffeId, parentId: nodeSpiffeId(trustDomain) },
    selectors: [platformSelector('service', service)],
  });
  const made = await entries.create([draft(webId, 'web'), draft(agentId, 'bot')]);
  assert.ok(made.every(({ error }) => error === undefined));
  await entries.close();
  return { first, serve };
}

/** What each proxy's process holds, over connections of its own. */
async function clients() {
  const source = await openWorkloadSource({ socketPath: at('w'), clock, timeoutMs: 10_000 });
  const denied = await followDenyList({
    ...{ socketPath: at('w'), trustDomain, clock, timeoutMs: 10_000 },
  });
  closing.unshift(
    () => source.close(),
    () => denied.close(),
  );
  await eventually(() => source.current().svids.length === 2);
  return { source, denied };
}

async function startProxies() {
  const web = await http1Service(at('web'), Promise.resolve());
  const common = { trustDomain, scope, clock, accessLog() {} };
  const free = { host: '127.0.0.1', port: 0 };
  const { source, denied } = await clients();
  const inbound = createInboundProxy({
    ...{ ...common, source, denied, listen: free, healthListen: free },
    services: [
      {
        ...{ name: 'web', spiffeId: webId, serverNames: ['web.platform-system'] },
        ...{ upstream: { path: at('web') }, protocol: 'http1' as const },
      },
    ],
    filterFor: () => testFilter(),
  });
  await inbound.listen();
  const callers = await clients();
  const outbound = createOutboundProxy({
    ...{ ...common, denied: callers.denied, listen: { path: at('out') }, healthListen: free },
    attest: () => ({ spiffeId: agentId, stillThere: () => true }),
    sourceFor: () => callers.source,
    routes: [
      {
        paths: ['/'],
        service: {
          ...{ name: 'web', spiffeId: webId, serverName: 'web.platform-system' },
          address: inbound.address() as TcpAddress,
        },
      },
    ],
  });
  await outbound.listen();
  closing.unshift(async () => {
    await outbound.drain(100);
    await inbound.drain(100);
    await web.close();
  });
  return { inbound, web };
}

/** `200`, or the status and code of a refusal. */
function call(): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: at('out'), path: '/echo', agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => {
        const { code } = JSON.parse(text);
        resolve([answer.statusCode, code].filter(Boolean).join(' '));
      });
    });
    sent.on('error', reject).end();
  });
}

async function healthAt(address: TcpAddress) {
  const answer = await fetch(`http://127.0.0.1:${address.port}/healthz/ready`);
  const facts = (await answer.json()) as Record<string, Record<string, unknown>>;
  return { status: answer.status, connected: facts.identity_server?.connected, facts };
}

test('calls go on until the SVIDs expire, are refused then, and go on when it is back', async () => {
  const { first, serve } = await startIdentity();
  const { inbound, web } = await startProxies();
  const health = () => healthAt(inbound.healthAddress() as TcpAddress);
  assert.is(await call(), '200');
  const whole = await health();
  assert.equal([whole.status, whole.connected], [200, true]);
  const { svid_expires_at: expiresAt } = whole.facts;
  const lastsMs = Date.parse(String(expiresAt)) - begunAt;
  assert.ok(lastsMs > 59 * minuteMs && lastsMs <= 61 * minuteMs, String(expiresAt));

  await first.close(0);
  await eventually(async () => !(await health()).connected);
  for (elapsedMs = 0; elapsedMs < 60 * minuteMs; elapsedMs += 10 * minuteMs) {
    assert.is(await call(), '200', `after ${elapsedMs / minuteMs} minutes`);
  }
  elapsedMs = lastsMs - 1000;
  assert.is(await call(), '200', 'in the last second');
  const away = await health();
  assert.equal([away.status, away.connected, away.facts.svid_near_expiry], [200, false, true]);
  assert.is(away.facts.identity_server?.updated_at, new Date(begunAt).toISOString());

  elapsedMs = lastsMs + 1000;
  const seen = web.seen.length;
  for (let count = 0; count < 3; count += 1) assert.is(await call(), '503 svid_expired');
  assert.is(web.seen.length, seen, 'nothing reached the service');
  const expired = await health();
  assert.equal([expired.status, expired.connected], [503, false]);

  const second = await serve();
  closing.unshift(() => second.close(0));
  await eventually(async () => (await health()).status === 200);
  await eventually(async () => (await call()) === '200');
  for (let count = 0; count < 3; count += 1) assert.is(await call(), '200');
  assert.is((await health()).connected, true);
  assert.is(web.seen.at(-1)?.isComplete, true);
});

test.run();
