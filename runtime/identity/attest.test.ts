// Attestation of real child processes over a real Unix socket.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../errors.ts';
import { Caller, type CallerOptions, type SendAs } from '../testing/caller.ts';
import { attest } from './attest.ts';
import { attestOperator } from './operator.ts';
import { type Peer, peerOf } from './peer.ts';
import { readProcess, requireProcess } from './process.ts';
import { createEntryRegistry, type EntryDraft } from './registry.ts';
import { becomeSubreaper } from './subreaper.ts';

const folder = mkdtempSync(join(tmpdir(), 'attest-'));
const socketPath = join(folder, 'agent.sock');
const callerCommand = [
  process.execPath,
  fileURLToPath(new URL('../testing/caller-program.js', import.meta.url)),
];
const registry = createEntryRegistry();
const callers: Caller[] = [];
const peers: Peer[] = [];

const describe = (run: () => string): string => {
  try {
    return run();
  } catch (error) {
    return codeOf(error);
  }
};

/** Answers each connection with how its caller is attested, as an agent and as an operator. */
const server = createServer((socket: Socket) => {
  const peer = peerOf(socket);
  peers.push(peer);
  socket.on('error', () => {});
  socket.once('data', () => {
    const agent = describe(() => {
      const { spiffeId, roleSource } = attest(peer, registry);
      return `${spiffeId} by ${roleSource}`;
    });
    const operator = describe(() => {
      attestOperator(peer, registry, process.getuid?.() ?? 0);
      return 'operator';
    });
    socket.end(`${agent}; ${operator}`);
  });
});

function start(options: CallerOptions = {}): Caller {
  const caller = new Caller(options);
  callers.push(caller);
  return caller;
}

function draft(pid: number, change: Partial<EntryDraft> = {}): EntryDraft {
  return {
    trustDomain: 'platform.local',
    tenant: 'acme',
    agent: 'bot',
    roles: [{ name: 'writer' }, { name: 'reader', commandPattern: '*--read-only*' }],
    process: requireProcess(pid),
    // Unless a test says so, none of the processes here: a launcher's other children are nobody.
    launcher: { pid: 1, startTime: '0' },
    uid: process.getuid?.() ?? 0,
    ...change,
  };
}

async function agentSays(caller: Caller, as: SendAs = {}): Promise<string> {
  return (await caller.send(socketPath, 'who am I', as)).split('; ')[0] ?? '';
}

const test = suite('attest');
test.before(async () => {
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
});
test.after(async () => {
  for (const caller of callers) await caller.end();
  for (const peer of peers) peer.close();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

test('the role comes from PLATFORM_ROLE first, even where a command pattern fits', async () => {
  const caller = start({ environment: { PLATFORM_ROLE: 'writer' }, marks: ['--read-only'] });
  registry.create(draft(caller.pid));
  assert.is(
    await agentSays(caller),
    'spiffe://platform.local/agent/acme/bot/writer by environment',
  );
});

test('without the variable the command pattern decides', async () => {
  const caller = start({ marks: ['--read-only'] });
  registry.create(draft(caller.pid));
  assert.is(await agentSays(caller), 'spiffe://platform.local/agent/acme/bot/reader by command');
});

test('a child without a role of its own has that of its nearest ancestor with one', async () => {
  const caller = start({ environment: { PLATFORM_ROLE: 'writer' } });
  registry.create(draft(caller.pid));
  const said = await agentSays(caller, { childEnvironment: { A: '1' } });
  assert.is(said, 'spiffe://platform.local/agent/acme/bot/writer by tree');
});

test('a child is another role of the same agent only where the entry says so', async () => {
  const caller = start();
  registry.create(draft(caller.pid, { subprocessRoles: true }));
  const said = await agentSays(caller, { childEnvironment: { PLATFORM_ROLE: 'reader' } });
  assert.is(said, 'spiffe://platform.local/agent/acme/bot/reader by environment');
});

test('an agent that was started as one role has no process of another', async () => {
  const caller = start({ environment: { PLATFORM_ROLE: 'reader' } });
  registry.create(draft(caller.pid));
  for (const role of ['writer', 'main']) {
    const claim = { childEnvironment: { PLATFORM_ROLE: role } };
    assert.is(await agentSays(caller, claim), 'role_not_allowed');
  }
  const same = await agentSays(caller, { childEnvironment: { PLATFORM_ROLE: 'reader' } });
  assert.is(same, 'spiffe://platform.local/agent/acme/bot/reader by tree');
  const main = start();
  registry.create(draft(main.pid));
  const claim = { childEnvironment: { PLATFORM_ROLE: 'writer' } };
  assert.is(await agentSays(main, claim), 'role_not_allowed');
});

test('a root that executes itself anew under another role is refused', async () => {
  const child = spawn(
    'sh',
    ['-c', 'read go; PLATFORM_ROLE=writer exec "$0" "$1"', ...callerCommand],
    {
      env: { PATH: process.env.PATH, PLATFORM_ROLE: 'reader' },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  registry.create(draft(child.pid ?? -1));
  const order = JSON.stringify({ do: 'send', socketPath, raw: 'who am I' });
  child.stdin.write(`go\n${order}\n`);
  const [line] = await once(child.stdout, 'data');
  child.kill('SIGKILL');
  assert.match(String(line), /^"role_not_allowed;/);
});

test('without anything the role is main', async () => {
  const caller = start();
  registry.create(draft(caller.pid));
  assert.is(await agentSays(caller), 'spiffe://platform.local/agent/acme/bot/main by fallback');
});

test('a role that the entry does not declare is refused, for roots and children', async () => {
  const admin = start({ environment: { PLATFORM_ROLE: 'admin' } });
  assert.throws(
    () => registry.create(draft(admin.pid)),
    (error: unknown) => codeOf(error) === 'role_not_allowed',
  );
  const caller = start();
  registry.create(draft(caller.pid, { subprocessRoles: true }));
  const child = { PLATFORM_ROLE: '../admin/main' };
  assert.is(await agentSays(caller, { childEnvironment: child }), 'role_not_allowed');
});

test('a process of no registered agent is unknown, and is an operator', async () => {
  const caller = start();
  assert.is(await agentSays(caller), 'caller_unknown');
});

test('a deleted entry is refused at once', async () => {
  const caller = start();
  const entry = registry.create(draft(caller.pid));
  assert.match(await agentSays(caller), 'bot/main');
  registry.delete(entry.id);
  assert.is(await agentSays(caller), 'caller_unknown');
});

test('an entry for an earlier process with the same pid does not count', async () => {
  const caller = start();
  const entries = {
    byProcess: () => undefined,
    isLauncher: () => false,
    isTainted: () => false,
  };
  const earlier = { pid: caller.pid, startTime: '1' };
  assert.throws(
    () => registry.create(draft(caller.pid, { process: earlier })),
    (error: unknown) => codeOf(error) === 'process_gone',
  );
  await caller.hold(socketPath);
  const peer = peers.at(-1) as Peer;
  assert.throws(
    () => attest(peer, entries),
    (error: unknown) => codeOf(error) === 'caller_unknown',
  );
});

test('a process that ran as another user than its agent is unknown', async () => {
  const caller = start();
  registry.create(draft(caller.pid, { uid: 4_000_000 }));
  assert.is(await agentSays(caller), 'caller_unknown');
});

test('a process that died after connecting is gone', async () => {
  const caller = start();
  registry.create(draft(caller.pid));
  await caller.hold(socketPath);
  const peer = peers.at(-1) as Peer;
  assert.is(peer.pid, caller.pid);
  assert.match(attest(peer, registry).spiffeId, 'bot/main');
  await caller.end();
  assert.throws(
    () => attest(peer, registry),
    (error: unknown) => codeOf(error) === 'process_gone',
  );
});

test('a process that got the pid of a dead one does not get its connection', async () => {
  const lastPid = '/proc/sys/kernel/ns_last_pid';
  const first = start();
  await first.hold(socketPath);
  const peer = peers.at(-1) as Peer;
  await first.end();
  const second = await startWithPid(first.pid, lastPid);
  if (second === undefined) {
    console.log('skipped: the pid of a process cannot be chosen here');
    return;
  }
  registry.create(draft(second.pid));
  assert.is(readProcess(peer.pid)?.pid, peer.pid);
  assert.throws(
    () => attest(peer, registry),
    (error: unknown) => codeOf(error) === 'process_gone',
  );
});

test('an agent is no operator, nor are its children and orphans; a stranger is', async () => {
  assert.ok(becomeSubreaper());
  const caller = start();
  const said = async (as: SendAs = {}) => (await caller.send(socketPath, '?', as)).split('; ')[1];
  assert.is(await said(), 'operator');
  registry.create(draft(caller.pid, { launcher: requireProcess(process.pid) }));
  assert.is(await said(), 'caller_unknown');
  assert.is(await said({ childEnvironment: {} }), 'caller_unknown');
  assert.is(await said({ childEnvironment: {}, orphan: true }), 'caller_unknown');
  assert.is(await agentSays(caller, { childEnvironment: {}, orphan: true }), 'caller_unknown');
});

async function startWithPid(pid: number, lastPid: string): Promise<Caller | undefined> {
  if (!existsSync(lastPid)) return undefined;
  for (let attempt = 0; attempt < 20; attempt += 1) {
    try {
      writeFileSync(lastPid, String(pid - 1));
    } catch {
      return undefined;
    }
    const caller = start();
    if (caller.pid === pid) return caller;
    await caller.end();
  }
  return undefined;
}

test.run();
