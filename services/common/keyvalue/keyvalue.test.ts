// Every key-value store through one contract: in this process, and a real Redis.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlatformError } from '../../../runtime/errors.ts';
import { needs } from '../../../runtime/testing/needs.ts';
import { type KeyValue, MemoryKeyValue } from './keyvalue.ts';
import { redisKeyValue } from './redis.ts';

function contract(
  name: string,
  open: () => KeyValue,
  passSeconds: (seconds: number) => Promise<void>,
) {
  const check = suite<{ store: KeyValue }>(`key-value: ${name}`);
  check.before((context) => {
    context.store = open();
  });
  check.after(({ store }) => store.close());

  check('sets, gets and deletes', async ({ store }) => {
    assert.is(await store.get('a'), undefined);
    await store.set('a', 'é\u0000"', 60);
    assert.is(await store.get('a'), 'é\u0000"');
    await store.delete('a');
    assert.is(await store.get('a'), undefined);
  });
  check('sets once where it is asked to', async ({ store }) => {
    assert.is(await store.setIfAbsent('once', '1', 60), true);
    assert.is(await store.setIfAbsent('once', '2', 60), false);
    assert.is(await store.get('once'), '1');
  });
  check('counts every increment, also those at one time', async ({ store }) => {
    const counts = await Promise.all(Array.from({ length: 50 }, () => store.increment('n', 60)));
    assert.equal(
      counts.sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => i + 1),
    );
  });
  check('adds and takes back more than one', async ({ store }) => {
    assert.is(await store.increment('sum', 60, 250), 250);
    assert.is(await store.increment('sum', 60, 0), 250);
    assert.is(await store.increment('sum', 60, -250), 0);
    assert.is(await store.increment('sum', 60), 1);
    assert.is(await store.increment('nothing', 60, 0), 0);
  });
  check('forgets what has expired, and a count begins again', async ({ store }) => {
    await store.set('short', '1', 1);
    await store.increment('minute', 1);
    await store.increment('minute', 1);
    await store.increment('zero', 1, 0);
    await passSeconds(1.1);
    assert.is(await store.get('short'), undefined);
    assert.is(await store.increment('minute', 1), 1);
    assert.is(await store.get('zero'), undefined);
    assert.is(await store.setIfAbsent('short', '2', 1), true);
  });
  check.run();
}

let late = 0;
contract(
  'memory',
  () => new MemoryKeyValue(() => new Date(Date.now() + late)),
  async (seconds) => {
    late += seconds * 1000;
  },
);

test('a full store refuses instead of forgetting a live count', async () => {
  const store = new MemoryKeyValue();
  for (let i = 0; i < 100_000; i++) await store.set(`k${i}`, '1', 60);
  const code = await store.increment('new', 60).catch((error: PlatformError) => error.code);
  assert.is(code, 'service_unavailable');
  assert.is(await store.increment('k7', 60), 2);
});

if (needs('redis')) {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  let server = await startRedis(port, folder);
  contract(
    'Redis',
    () => redisKeyValue(`redis://127.0.0.1:${port}`),
    (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
  );
  test('a killed Redis is a clear code, and works again without a restart of ours', async () => {
    const store = redisKeyValue(`redis://127.0.0.1:${port}`);
    assert.is(await store.increment('again', 60), 1);
    server.kill('SIGKILL');
    await new Promise((resolve) => server.once('exit', resolve));
    const code = await store.increment('again', 60).catch((error: PlatformError) => error.code);
    assert.is(code, 'service_unavailable');
    server = await startRedis(port, folder);
    let count: number | undefined;
    while (count === undefined) {
      count = await store.increment('again', 60).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.is(count, 1);
    await store.close();
  });
  test.after(() => {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
}

async function startRedis(port: number, folder: string): Promise<ChildProcess> {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const server = spawn('redis-server', options, { stdio: 'ignore' });
  const ready = () => {
    try {
      execFileSync('redis-cli', ['-p', String(port), 'ping'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  while (!ready()) await new Promise((resolve) => setTimeout(resolve, 20));
  return server;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

test.run();
