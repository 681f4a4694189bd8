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
import { isMarked } from './mark.ts';
import { attestOperator } from './operator.ts';
import { peerOf } from './peer.ts';
import { requireProcess } from './process.ts';
import { createEntryRegistry, type EntryRegistry } from './registry.ts';
import { becomeSubreaper } from './subreaper.ts';

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
      world.server.emit('answered');
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
async function runAgent(
  world: World,
  body: string,
  launcher = { pid: 1, startTime: '0' }, // by default none of its ancestors
): Promise<void> {
  const child = spawn('python3', ['-c', knock + body, world.socketPath], {
    stdio: ['pipe', 'inherit', 'inherit'],
    timeout: 20_000,
  });
  world.registry.create({
    ...{ trustDomain: 'platform.local', tenant: 'acme', agent: 'bot', roles: [] },
    process: requireProcess(child.pid ?? -1),
    launcher,
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

const daemon = `
root = os.getpid()
told, tell = os.pipe()
if os.fork() == 0:
    os.setsid(); knock('before'); os.write(tell, b'x')
    while os.getppid() == root: time.sleep(0.01)
    knock('after'); os._exit(0)
os.read(told, 1)
`;

if (needs('python')) {
  test('a daemon that outlives its agent is no operator, though its launcher ended too', async (world) => {
    world.server.on('connection', () => {
      for (const { id } of world.registry.list()) world.registry.delete(id);
    });
    await runAgent(world, daemon);
    await untilAnswered(world, 'after');
    // It was nobody's already when it knocked first, and knew neither agent nor launcher any more.
    assert.equal([...world.answers.values()], ['caller_unknown', 'caller_unknown']);
  });

  test('what a launcher is left with is no operator, also when the agent is forgotten', async (world) => {
    assert.ok(becomeSubreaper());
    const launcher = requireProcess(process.pid);
    await runAgent(world, "if os.fork(): os._exit(0)\ntime.sleep(0.5); knock('late')", launcher);
    world.registry.deleteEnded();
    assert.equal(world.registry.list(), []);
    await untilAnswered(world, 'late');
    assert.is(world.answers.get('late'), 'caller_unknown');
  });

  test('the mark of agents is on all that they start, and comes off none of it', async (world) => {
    const mark = new URL('./mark.ts', import.meta.url).href;
    const script = `(await import('${mark}')).markThisThread();
      process.execve('/bin/sh', ['sh', '-c', 'exec python3 "$@"', 'sh', ...process.argv.slice(1)], {
        PATH: process.env.PATH });`;
    const body = `${knock}
knock('marked')
if os.fork(): os.wait(); os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.execvp('python3', ['python3', '-c', sys.argv[2] + "\\nknock('daemon')", sys.argv[1]])`;
    const child = spawn(
      process.execPath,
      ['--input-type=module', '-e', script, '--', '-c', body, world.socketPath, knock],
      { stdio: ['pipe', 'inherit', 'inherit'], timeout: 20_000 },
    );
    child.stdin.end('go\n');
    await once(child, 'exit');
    await untilAnswered(world, 'daemon');
    assert.equal([...world.answers.keys()], ['marked', 'daemon']);
    assert.equal([...world.answers.values()], ['caller_unknown', 'caller_unknown']);
    assert.is(isMarked(process.pid), false);
  });
}

async function untilAnswered(world: World, word: string): Promise<void> {
  while (!world.answers.has(word)) await once(world.server, 'answered');
}

test('a chain that is cut says so', () => {
  const self = requireProcess(process.pid);
  assert.is(ancestry(self, 1).isComplete, false);
  assert.is(ancestry(self, 4096).isComplete, true);
  const orphaned = { ...self, parentPid: 2 ** 22 + 1 }; // above any pid
  assert.is(ancestry(orphaned, 4096).isComplete, false);
});

test.run();
