// Agents that try to be taken for the operator, in real processes written as the attacker would.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../errors.ts';
import { needs } from '../testing/needs.ts';
import { ancestry } from './attest.ts';
import { attestOperator } from './operator.ts';
import { peerOf } from './peer.ts';
import { requireProcess } from './process.ts';
import { createEntryRegistry, type EntryRegistry } from './registry.ts';

interface World {
  folder: string;
  socketPath: string;
  registry: EntryRegistry;
  server: Server;
  /** What each knock was answered with, by the word it knocked with. */
  answers: Map<string, string>;
}

const test = suite<World>('operator');
test.before.each(async (world) => {
  world.folder = mkdtempSync(join(tmpdir(), 'operator-'));
  world.socketPath = join(world.folder, 'control.sock');
  world.registry = createEntryRegistry();
  world.answers = new Map();
  world.server = createServer((socket) => {
    const peer = peerOf(socket);
    socket.on('error', () => {});
    socket.once('data', (word) => {
      let answer = 'operator';
      try {
        attestOperator(peer, world.registry, process.getuid?.() ?? 0);
      } catch (error) {
        answer = codeOf(error);
      }
      world.answers.set(String(word), answer);
      peer.close();
      socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => world.server.listen(world.socketPath, resolve));
});
test.after.each(async (world) => {
  await new Promise((resolve) => world.server.close(resolve));
  rmSync(world.folder, { recursive: true });
});

const knock = `
import ctypes, os, socket, sys, threading, time
def knock(word):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(sys.argv[1]); s.sendall(word.encode()); s.recv(100)
sys.stdin.readline()
`;

/** Runs a Python agent that was registered before its first line, and waits for its end. */
async function runAgent(world: World, body: string): Promise<void> {
  const child = spawn('python3', ['-c', knock + body, world.socketPath], {
    stdio: ['pipe', 'inherit', 'inherit'],
    timeout: 20_000,
  });
  world.registry.create({
    ...{ trustDomain: 'platform.local', tenant: 'acme', agent: 'bot', roles: [] },
    process: requireProcess(child.pid ?? -1),
    // None of its ancestors: the agent itself has to be found among them.
    launcher: { pid: 1, startTime: '0' },
    uid: process.getuid?.() ?? 0,
  });
  const ended = once(child, 'exit');
  child.stdin.end('go\n');
  await ended;
}

if (needs('python')) {
  test('an agent’s process is no operator, however deep it has nested itself', async (world) => {
    const nested = (depth: number) => `
if os.fork() == 0:
    for _ in range(${depth}):
        child = os.fork()
        if child: os.waitpid(child, 0); os._exit(0)
    knock('depth ${depth}'); os._exit(0)
os.wait()
`;
    await runAgent(world, nested(0) + nested(70));
    const expected = ['depth 0', 'depth 70'].map((word) => [word, 'caller_unknown']);
    assert.equal([...world.answers], expected);
  });

  test('an ancestor whose first thread has ended still leads to its agent', async (world) => {
    await runAgent(
      world,
      `
child = os.fork()
if child == 0:
    def later():
        while open('/proc/self/stat').read().rsplit(')', 1)[1].split()[0] != 'Z': time.sleep(0.01)
        grandchild = os.fork()
        if grandchild == 0: knock('zombie'); os._exit(0)
        os.waitpid(grandchild, 0); os._exit(0)
    threading.Thread(target=later, daemon=True).start()
    ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[os.uname().machine], 0)
os.waitpid(child, 0)
`,
    );
    assert.is(world.answers.get('zombie'), 'caller_unknown');
  });
}

test('a chain that is cut says so', () => {
  const self = requireProcess(process.pid);
  assert.is(ancestry(self, 1).isComplete, false);
  assert.is(ancestry(self, 4096).isComplete, true);
  const orphaned = { ...self, parentPid: 2 ** 22 + 1 }; // above any pid
  assert.is(ancestry(orphaned, 4096).isComplete, false);
});

test.run();
