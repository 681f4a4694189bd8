// go-spiffe against both roles of the proxy: a Go agent in front of our services, and our agent in front of a Go service.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadPair } from '../runtime/bundle/load.ts';
import { writeSamplePair } from '../runtime/bundle/testing.ts';
import { loadModules } from '../runtime/decide/local.ts';
import type { JsonObject } from '../runtime/json.ts';
import { meshFilter } from '../runtime/proxywasm/mesh-filter.ts';
import { needs } from '../runtime/testing/needs.ts';
import { trustDomain } from '../services/identity/testing/identity.ts';
import { type Answer, OrderProcess } from '../services/identity/testing/order-process.ts';
import { startWithAuthority, type TestPlatform } from '../services/identity/testing/platform.ts';
import { createInboundProxy } from '../services/proxy/inbound.ts';
import type { TcpAddress } from '../services/proxy/listen.ts';
import type { MeshProxy } from '../services/proxy/mesh-proxy.ts';
import { createOutboundProxy } from '../services/proxy/outbound.ts';
import { http1Service, type TestService } from '../services/proxy/testing/services.ts';

const sources = fileURLToPath(new URL('../runtime/testing/go-workload', import.meta.url));
const idOf = (agent: string) => `spiffe://${trustDomain}/agent/acme/${agent}/main`;
const vaultId = `spiffe://${trustDomain}/service/vault`;
const serverName = 'vault.platform-system';
const { scope } = loadModules();

const test = suite('go-spiffe and the proxy');
let folder = '';
let program = '';
let platform: TestPlatform;
let service: TestService;
let inbound: MeshProxy;
let address = '';
const workloads: OrderProcess[] = [];
const lines: JsonObject[] = [];

test.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'go-'));
  program = join(folder, 'workload');
  execFileSync('go', ['build', '-o', program, '.'], { cwd: sources });
  platform = await startWithAuthority();
  await platform.enter('/service/vault', ['service:vault']);
  await platform.enter('/agent/acme/caller/main', ['service:gateway']);
  service = await http1Service(join(folder, 'vault.sock'), Promise.resolve());
  const agent = (name: string, more: JsonObject = {}) => [
    idOf(name),
    { tenant: 'acme', agent: name, role: 'main', resources: {}, ...more },
  ];
  const agents = [agent('friend'), agent('leaver'), agent('narrow', { services: {} })];
  const { trusted } = await writeSamplePair(folder, {
    data: {
      agents: Object.fromEntries(agents),
      ...{ operators: {}, tools: {}, limits: { agent_minute: 120, tenant_minute: 600 } },
      services: { vault: { agents: true, callers: {} } },
    },
  });
  const filter = meshFilter(await loadPair(folder, trusted), { service: 'vault', trustDomain });
  inbound = createInboundProxy({
    listen: { host: '127.0.0.1', port: 0 },
    ...{ trustDomain, scope, denied: platform.authority.denied },
    source: platform.server.sourceFor(vaultId),
    services: [
      {
        ...{ name: 'vault', spiffeId: vaultId, serverNames: [serverName], protocol: 'http1' },
        upstream: { path: join(folder, 'vault.sock') },
      },
    ],
    filterFor: () => filter,
    accessLog: (line) => void lines.push(line),
  });
  await inbound.listen();
  const { host, port } = inbound.address() as TcpAddress;
  address = `${host}:${port}`;
});

test.after(async () => {
  for (const workload of workloads) await workload.end();
  await inbound.drain(100);
  await service.close();
  await platform.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A running Go agent with an entry of its own. */
async function start(agent: string): Promise<{ workload: OrderProcess; entry: string }> {
  const workload = new OrderProcess(program);
  workloads.push(workload);
  const entry = await platform.enter(`/agent/acme/${agent}/main`, [
    platform.register(workload.pid, agent),
  ]);
  await workload.get({ do: 'open', socket: platform.workloadSocket });
  return { workload, entry };
}

/** A Go agent's request to our inbound proxy, which has to be `peer`. */
function ask(workload: OrderProcess, peer = vaultId, name = serverName): Promise<Answer> {
  return workload.ask({ do: 'get', address, peer, name });
}

test('a Go agent reaches a service behind our proxy under its own name', async () => {
  const { workload } = await start('friend');
  const { text = '', error } = await ask(workload);
  assert.is(error, undefined);
  assert.match(text, /^200 \{/);
  const headers = Object.fromEntries(service.seen.at(-1)!.headers);
  assert.is(headers['x-platform-spiffe-id'], idOf('friend'));
  assert.match(headers['x-platform-mesh-decision']!, /^[0-9a-f]{64}$/);
});

test('a Go agent hears what policy denies, and with which decision', async () => {
  const { workload } = await start('narrow');
  const seen = service.seen.length;
  const { text = '' } = await ask(workload);
  assert.match(text, /^403 \{/);
  assert.match(text, '"code":"denied"');
  assert.match(text, '"decision_id":"');
  assert.is(service.seen.length, seen);
});

test('a Go agent refuses our proxy under another name than it expects', async () => {
  const { workload } = await start('friend');
  const seen = service.seen.length;
  assert.match((await ask(workload, idOf('friend'))).error ?? '', 'unexpected ID');
  assert.ok((await ask(workload, vaultId, 'nobody.platform-system')).error);
  assert.is(service.seen.length, seen);
});

test('our proxy refuses a Go agent whose identity was taken away', async () => {
  const { workload, entry } = await start('leaver');
  assert.match((await ask(workload)).text ?? '', /^200 /);
  const seen = service.seen.length;
  await platform.entries.batchDeleteEntry({ ids: [entry] });
  // It still holds the SVID: go-spiffe keeps the last one that it got.
  assert.match(
    (await ask(workload)).error ?? '',
    /bad certificate|certificate revoked|reset|EOF|broken pipe/,
  );
  assert.is(service.seen.length, seen);
});

/** What our agent `caller` gets through its outbound proxy from a Go service that takes `peer` alone. */
async function call(peer: string, expected: string): Promise<{ status: number; text: string }> {
  const { workload } = await start('service');
  const { text: at = '' } = await workload.get({ do: 'serve-http', peer });
  const [host = '', port = ''] = at.split(':');
  const source = platform.server.sourceFor(idOf('caller'));
  const path = join(folder, 'out.sock');
  const outbound = createOutboundProxy({
    listen: { path },
    ...{ trustDomain, scope, denied: platform.authority.denied },
    sourceFor: () => source,
    routes: [
      {
        paths: ['/'],
        service: {
          ...{ name: 'orders', spiffeId: expected, serverName: 'orders.platform-system' },
          address: { host, port: Number(port) },
        },
      },
    ],
    accessLog: (line) => void lines.push(line),
  });
  await outbound.listen();
  const dispatcher = new Agent({ connect: { socketPath: path } });
  try {
    const { statusCode, body } = await request('http://orders/hello', { dispatcher });
    return { status: statusCode, text: await body.text() };
  } finally {
    await dispatcher.destroy();
    await outbound.drain(100);
    await source.close();
    await workload.end();
  }
}

test('our agent reaches a Go service, which sees its name', async () => {
  const { status, text } = await call(idOf('caller'), idOf('service'));
  assert.is(status, 200, text);
  assert.is(text, `hello ${idOf('caller')} at /hello`);
});

test('a Go service refuses our agent where it takes another alone', async () => {
  const { status, text } = await call(idOf('friend'), idOf('service'));
  assert.ok([502, 503].includes(status), text);
  assert.not.match(text, 'hello');
});

test('our proxy refuses a Go service under another name than the route has', async () => {
  const { status, text } = await call(idOf('caller'), vaultId);
  assert.ok([502, 503].includes(status), text);
  assert.not.match(text, 'hello');
});

if (needs('go')) test.run();
