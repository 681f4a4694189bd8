// Agents that open as much of the Workload API as they can, as real processes: each is held to its bounds, and nobody else notices.
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { machineAttestor } from '../../../runtime/identity/attestor.ts';
import { DenyList } from '../../../runtime/identity/proto/platform/identity/v1/deny_list_pb.js';
import { eventually } from '../../../runtime/testing/eventually.ts';
import { grpcTo } from '../testing/identity.ts';
import { OrderProcess } from '../testing/order-process.ts';
import { startWithAuthority, type TestPlatform } from '../testing/platform.ts';
import { Signal } from './signal.ts';
import { Workloads } from './workloads.ts';

const program = join(import.meta.dirname, '..', 'testing', 'flood-program.ts');
const deadlineMs = 20_000;
const test = suite('bounds of an agent');
let platform: TestPlatform;
const processes: OrderProcess[] = [];

test.before(async () => {
  platform = await startWithAuthority({
    limits: {
      ...{ connectionsPerHolder: 20, connectionsPerUid: 24 },
      ...{ openingsPerHolder: 600, openingsPerSecond: 20 },
    },
  });
  await platform.enter('/service/gateway', ['service:gateway']);
});
test.after.each(async () => {
  for (const each of processes.splice(0)) await each.end();
  platform.events.length = 0;
});
test.after(() => platform.close());

async function startAgent(name: string): Promise<OrderProcess> {
  const agent = new OrderProcess(process.execPath, [program]);
  processes.push(agent);
  const root = platform.register(agent.pid, name);
  await platform.enter(`/agent/acme/${name}/main`, [root]);
  return agent;
}

const order = (what: 'flood' | 'child', connections: number, streams: number, more = {}) => ({
  ...{ do: what, socket: platform.workloadSocket, path: '/SpiffeWorkloadAPI/FetchX509Bundles' },
  ...{ connections: String(connections), streams: String(streams) },
  ...more,
});

async function flood(agent: OrderProcess, what: ReturnType<typeof order>) {
  const { text = '{}' } = await agent.get(what);
  return JSON.parse(text) as Record<string, number>;
}

function isRefused(part: string): boolean {
  return platform.events.some(
    ({ kind, reason }) => kind === 'workload_refused' && reason?.includes(part),
  );
}

const fetchOwn = () => platform.workload.fetchJWTSVID({ audience: ['a'] });

test('an agent has 64 streams, whichever of its processes opens them, and others are served', async () => {
  const agent = await startAgent('streams');
  const first = await flood(agent, order('flood', 2, 40));
  assert.equal(first, { served: 64, 'status 8': 16 });
  const other = await flood(agent, order('child', 2, 10));
  assert.equal(other, { 'status 8': 20 });
  assert.ok(isRefused('agent has 64 streams'));
  assert.is((await fetchOwn()).svids.length, 1);
  const neighbour = await startAgent('neighbour');
  assert.equal(await flood(neighbour, order('flood', 1, 3)), { served: 3 });
});

test('SDS and the deny-list count like every other stream', async () => {
  const agent = await startAgent('others');
  await flood(agent, order('flood', 1, 60));
  const denyList = { path: '/platform.identity.v1.DenyList/Watch' };
  assert.equal(await flood(agent, order('flood', 1, 20, denyList)), { served: 4, 'status 8': 16 });
  const secrets = { path: '/envoy.service.secret.v3.SecretDiscoveryService/FetchSecrets' };
  assert.equal(await flood(agent, order('flood', 1, 5, secrets)), { 'status 8': 5 });
});

test('an agent has so many connections with all its processes, and takes none from the platform', async () => {
  const agent = await startAgent('connections');
  assert.equal(await flood(agent, order('flood', 18, 1)), { served: 18 });
  assert.equal(await flood(agent, order('child', 10, 1)), { served: 2, cut: 8 });
  assert.ok(isRefused('agent has 20 connections'));
  const neighbour = await startAgent('full');
  assert.equal(await flood(neighbour, order('flood', 10, 1)), { served: 4, cut: 6 });
  assert.ok(isRefused('uid has 24 connections'));
  // A connection of the platform's own, while its user has all that a user may have.
  const denied = createClient(DenyList, grpcTo(platform.workloadSocket));
  const list = denied.watch({})[Symbol.asyncIterator]();
  assert.is((await list.next()).done, false);
  await list.return?.();
});

test('who opens and resets calls without end is refused, and nobody else is', async () => {
  const agent = await startAgent('churn');
  for (let round = 0; round < 10; round += 1) {
    await flood(agent, order('flood', 1, 100, { reset: 'true' }));
  }
  await eventually(() => isRefused('agent begins more than 20 calls a second'), deadlineMs);
  const opened = platform.events.filter(
    ({ kind, pid }) => kind === 'stream_opened' && pid === agent.pid,
  );
  assert.ok(opened.length < 1000, `${opened.length} were opened`);
  assert.is((await fetchOwn()).svids.length, 1);
  const refusals = platform.events.filter(({ kind }) => kind === 'workload_refused');
  assert.ok(refusals.length < 100, `${refusals.length} refusals were told`);
});

test('a flood of token requests is answered in turn, and another caller gets its token', async () => {
  const agent = await startAgent('tokens');
  const path = { path: '/SpiffeWorkloadAPI/FetchJWTSVID' };
  const [answers, own] = await Promise.all([
    flood(agent, order('flood', 10, 50, path)),
    fetchOwn(),
  ]);
  assert.is(own.svids.length, 1);
  assert.ok((answers['status 8'] ?? 0) > 0, JSON.stringify(answers));
});

test('a process is attested once a connection, and asked for once a second for all its streams', async () => {
  const counts = { attested: 0, asked: 0 };
  const machine = machineAttestor({
    ...{ registry: platform.registry, services: ['gateway'], ownPid: process.pid },
  });
  const signal = new Signal(() => {});
  const workloads = new Workloads({
    attestor: {
      selectorsOf(peer) {
        counts.attested += 1;
        const known = machine.selectorsOf(peer);
        const stillThere = () => {
          counts.asked += 1;
          return known.stillThere();
        };
        return { ...known, stillThere };
      },
    },
    ...{ store: platform.server.entries, signal, onEvent: () => {} },
  });
  const peer = { pid: process.pid, uid: 0, gid: 0, acceptedAt: 0, pidDescriptor: undefined };
  const end = new AbortController();
  const connection = { ...peer, close() {} };
  const context = { values: { get: () => connection }, signal: end.signal };
  let built = 0;
  const build = workloads.shared('x', async () => {
    built += 1;
    return { value: built, version: String(built) };
  });
  const streams = Array.from({ length: 50 }, () =>
    workloads.follow(context as never, 'x', build)[Symbol.asyncIterator](),
  );
  await Promise.all(streams.map((stream) => stream.next()));
  assert.is(counts.attested, 1);
  const before = { asked: counts.asked, built };
  const { epoch } = signal;
  await Promise.all(streams.map((stream) => stream.next()));
  const epochs = signal.epoch - epoch;
  assert.ok(counts.asked - before.asked <= epochs, `${counts.asked - before.asked} in ${epochs}`);
  assert.ok(built - before.built <= epochs);
  end.abort();
  signal.close();
  await Promise.all(streams.map((stream) => stream.return?.(undefined)));
});

test.run();
