// What the identity server learns of real processes over a real Unix socket, and when that ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../errors.ts';
import { Caller, type CallerOptions } from '../testing/caller.ts';
import { type AttestedWorkload, machineAttestor } from './attestor.ts';
import { type Peer, peerOf } from './peer.ts';
import { requireProcess } from './process.ts';
import { createEntryRegistry } from './registry.ts';

const folder = mkdtempSync(join(tmpdir(), 'attestor-'));
const socketPath = join(folder, 'workload.sock');
const registry = createEntryRegistry();
const config = { registry, services: ['gateway', 'vault'], ownPid: process.pid };
const callers: Caller[] = [];
const peers: Peer[] = [];
const server = createServer((socket: Socket) => {
  peers.push(peerOf(socket));
  socket.on('error', () => {});
});

/** A process that has connected, and how the kernel knows it. */
async function connected(options: CallerOptions = {}): Promise<{ caller: Caller; peer: Peer }> {
  const caller = new Caller(options);
  callers.push(caller);
  await caller.hold(socketPath);
  return { caller, peer: peers.at(-1) as Peer };
}

function register(caller: Caller) {
  return registry.create({
    ...{ trustDomain: 'platform.local', tenant: 'acme', agent: 'bot' },
    roles: [{ name: 'writer' }],
    process: requireProcess(caller.pid),
    launcher: { pid: 1, startTime: '0' },
    uid: process.getuid?.() ?? 0,
  });
}

function textOf({ selectors }: AttestedWorkload): string[] {
  return selectors.map(({ type, value }) => `${type}:${value}`).sort();
}

function refusal(peer: Peer): string {
  try {
    return textOf(machineAttestor(config).selectorsOf(peer)).join(' ');
  } catch (error) {
    return codeOf(error);
  }
}

const test = suite('attestor');
test.before(() => new Promise<void>((resolve) => server.listen(socketPath, resolve)));
test.after(async () => {
  for (const caller of callers) await caller.end();
  for (const peer of peers) peer.close();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

test('an agent’s process has its tree, role, tenant and agent', async () => {
  const { caller, peer } = await connected({ environment: { PLATFORM_ROLE: 'writer' } });
  register(caller);
  const { startTime } = requireProcess(caller.pid);
  const workload = machineAttestor(config).selectorsOf(peer);
  assert.equal(textOf(workload), [
    'platform:agent:bot',
    'platform:process-role:writer',
    `platform:process:${caller.pid}@${startTime}`,
    'platform:tenant:acme',
  ]);
  assert.ok(workload.stillThere());
});

test('it is there no more once its agent is deleted', async () => {
  const { caller, peer } = await connected();
  const { id } = register(caller);
  const workload = machineAttestor(config).selectorsOf(peer);
  assert.ok(workload.stillThere());
  registry.delete(id);
  assert.not(workload.stillThere());
  assert.is(refusal(peer), 'caller_unknown');
});

test('it is there no more once the process has ended', async () => {
  const { caller, peer } = await connected();
  register(caller);
  const workload = machineAttestor(config).selectorsOf(peer);
  assert.ok(workload.stillThere());
  await caller.end();
  assert.not(workload.stillThere());
  assert.is(refusal(peer), 'process_gone');
});

test('the platform’s own process has its services, and nobody else has them', async () => {
  const own = { ...(await connected()).peer, pid: process.pid };
  const workload = machineAttestor(config).selectorsOf(own);
  assert.equal(textOf(workload), ['platform:service:gateway', 'platform:service:vault']);
  assert.ok(workload.stillThere());
  const { caller, peer } = await connected();
  assert.is(refusal(peer), 'caller_unknown');
  register(caller);
  assert.not.match(refusal(peer), 'service:');
});

test('a role that is not open to a process gives it no selectors at all', async () => {
  const { caller, peer } = await connected();
  register(caller);
  const child = await connected({ environment: { PLATFORM_ROLE: 'admin' } });
  assert.throws(
    () => register(child.caller),
    (error: unknown) => codeOf(error) === 'role_not_allowed',
  );
  assert.is(refusal(child.peer), 'caller_unknown');
  assert.match(refusal(peer), 'process-role:main');
});

test.run();
