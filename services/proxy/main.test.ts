// Both roles as processes of their own: identities from a Workload API, a call through both, an identity taken away.
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { CompactSign } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deniedKey } from '../../runtime/identity/workload/denied-key.ts';
import type { X509Svid } from '../../runtime/identity/workload/x509.ts';
import { FakeWorkloadApi } from '../../runtime/testing/workload-api.ts';
import { writeMeshPair } from './testing/policy.ts';
import { agentId, createWorld, trustDomain, until, type World } from './testing/world.ts';

const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keys = [
  { ...key.publicKey.export({ format: 'jwk' }), kid: 'a', use: 'jwt-svid', alg: 'RS256' },
];

function denyList(sequence: number, denied: Record<string, number>): Promise<string> {
  const issued_at = Math.floor(Date.now() / 1000);
  const payload = { trust_domain: trustDomain, sequence, issued_at, denied };
  return new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'RS256', typ: 'platform-deny-list', kid: 'a' })
    .sign(key.privateKey);
}

async function workloadApi(world: World, name: string, svids: X509Svid[]) {
  const api = new FakeWorkloadApi(join(world.folder, `${name}.sock`), {
    x509: { svids, bundle: world.ca.certificate },
    jwtBundles: { [`spiffe://${trustDomain}`]: JSON.stringify({ keys }) },
    denyList: await denyList(1, {}),
  });
  await api.start();
  return api;
}

interface Running {
  child: ChildProcess;
  addresses: Record<string, string>;
  output: () => string;
  stop(): Promise<number | null>;
}

async function start(environment: Record<string, string>): Promise<Running> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      ...{ METRICS_ADDRESS: '127.0.0.1:0', HEALTH_ADDRESS: '127.0.0.1:0' },
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, said] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await until(() => said.includes('health on') || child.exitCode !== null, 'the start of a proxy');
  const found = [...said.matchAll(/(listening|metrics|health) on (\S+?),?\s/g)];
  if (found.length !== 3) throw new Error(said);
  return {
    child,
    addresses: Object.fromEntries(found.map(([, what, where]) => [what, where])),
    output: () => output,
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

function call(address: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`http://${address}${path}`, { agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.end();
  });
}

const test = suite('proxy processes');

test('two processes carry a call, and refuse it once the identity is gone', async () => {
  const world = await createWorld();
  const [web] = world.services;
  const services = await workloadApi(world, 'services', [...world.source.current().svids]);
  const agents = await workloadApi(world, 'agents', [world.agent]);
  const at = (name: string) => join(world.folder, name);
  writeFileSync(at('keys.json'), JSON.stringify({ keys: await writeMeshPair(at('b'), ['web']) }));
  const { name, spiffeId, serverNames, upstream } = web!;
  const described = { name, spiffe_id: spiffeId };
  const hosted = {
    ...{ ...described, server_names: serverNames },
    upstream: `unix:${(upstream as { path: string }).path}`,
  };
  writeFileSync(at('in.json'), JSON.stringify({ services: [hosted] }));
  const inbound = await start({
    ...{ PROXY_ROLE: 'inbound', PROXY_CONFIG_FILE: at('in.json'), LISTEN_ADDRESS: '127.0.0.1:0' },
    SPIFFE_ENDPOINT_SOCKET: `unix://${services.socketPath}`,
    ...{ BUNDLE_DIR: at('b'), BUNDLE_KEYS_FILE: at('keys.json') },
  });
  const service = {
    ...described,
    server_name: serverNames[0],
    address: inbound.addresses.listening,
  };
  writeFileSync(at('out.json'), JSON.stringify({ routes: [{ paths: ['/'], service }] }));
  const outbound = await start({
    ...{ PROXY_ROLE: 'outbound', PROXY_CONFIG_FILE: at('out.json') },
    ...{ LISTEN_ADDRESS: '127.0.0.1:0', SPIFFE_ENDPOINT_SOCKET: `unix://${agents.socketPath}` },
  });
  assert.is(await call(outbound.addresses.listening!, '/echo?secret=1'), 200);
  const headers = Object.fromEntries(world.web.seen[0]!.headers);
  assert.is(headers['x-platform-spiffe-id'], agentId);
  assert.is(await call(inbound.addresses.health!, '/healthz/ready'), 200);
  assert.is(await call(outbound.addresses.health!, '/healthz/ready'), 200);
  assert.is(await call(inbound.addresses.metrics!, '/metrics'), 200);

  // Only the inbound side hears of it, as when the caller's own proxy is not to be trusted.
  const second = Math.floor(Date.now() / 1000) + 1;
  services.send({ denyList: await denyList(2, { [deniedKey(agentId)]: second }) });
  await until(() => inbound.output().includes('svid_denied'), 'the cut');
  assert.is(await call(outbound.addresses.listening!, '/echo'), 503);
  assert.is(world.web.seen.length, 1);

  assert.is(await outbound.stop(), 0);
  assert.is(await inbound.stop(), 0);
  const lines = inbound
    .output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.is(lines[0].status, 200);
  assert.is(lines[0].source_spiffe_id, agentId);
  assert.match(lines[0].decision_id, /^[0-9a-f]{64}$/);
  assert.not.match(inbound.output() + outbound.output(), 'secret');
  await Promise.all([services.stop(), agents.stop()]);
  await world.close();
});

test.run();
