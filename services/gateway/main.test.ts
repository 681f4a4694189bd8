// The gateway as a process of its own: what it says of a bad environment, how it starts, serves and stops.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { startService } from '../common/testing-process.ts';
import { AGENT, SECRET, startUpstream } from './testing.ts';

const run = (environment: Record<string, string>) =>
  startService(join(import.meta.dirname, 'main.ts'), environment);

test('a bad environment is told whole, and nothing starts', async () => {
  const { exited, output } = run({ LISTEN_ADDRESS: ':8080', MAX_TOOL_TIMEOUT: 'soon' });
  assert.is(await exited, 1);
  for (const part of [
    'configuration_invalid',
    'LISTEN_ADDRESS',
    'BUNDLE_DIR',
    'MAX_TOOL_TIMEOUT',
  ]) {
    assert.match(output.text, part);
  }
});

test('starts, serves agents and the operator on their sockets, and stops on a signal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gw-'));
  const upstream = await startUpstream();
  const { trusted } = await writeSamplePair(join(folder, 'bundles'));
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: trusted }));
  writeFileSync(join(folder, 'seed'), randomBytes(32));
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify({ key: SECRET }), { mode: 0o600 });
  const { child, exited, ready, output } = run({
    LISTEN_ADDRESS: `unix:${join(folder, 'gateway.sock')}`,
    CONTROL_ADDRESS: `unix:${join(folder, 'control.sock')}`,
    BUNDLE_DIR: join(folder, 'bundles'),
    BUNDLE_KEYS_FILE: join(folder, 'keys.json'),
    EVIDENCE_DIR: join(folder, 'evidence'),
    CHECKPOINTS_DIR: join(folder, 'checkpoints'),
    EVIDENCE_SEED_FILE: join(folder, 'seed'),
    CREDENTIALS_FILE: join(folder, 'credentials.json'),
  });
  await Promise.race([ready, exited.then(() => assert.unreachable(output.text))]);
  const send = async (socket: string, path: string, body: JsonObject) => {
    const dispatcher = new Agent({ connect: { socketPath: join(folder, socket) } });
    const { body: answer } = await request(`http://x${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-platform-spiffe-id': AGENT },
      body: JSON.stringify(body),
      dispatcher,
    });
    const parsed = (await answer.json()) as JsonObject;
    await dispatcher.destroy();
    return parsed;
  };
  const tool = {
    name: 'get',
    description: '',
    action: 'read',
    input_schema: { type: 'object' },
    http: { method: 'GET', path: '/orders' },
  };
  const credential = { name: 'key', header: 'authorization', format: 'Bearer {value}' };
  const common = { base_url: upstream.url, prefix: 'orders', service: 'orders', credential };
  await send('control.sock', '/api/v1/tools/register', { ...common, tools: [tool] });
  const called = await send('gateway.sock', '/api/v1/tools/orders_get/execute', { arguments: {} });
  assert.is(called.success, true, JSON.stringify(called));
  assert.is(upstream.seen[0]?.headers.authorization, `Bearer ${SECRET}`);
  child.kill('SIGTERM');
  assert.is(await exited, 0, output.text);
  assert.not.ok(existsSync(join(folder, 'gateway.sock')));
  await upstream.close();
  rmSync(folder, { recursive: true });
});

test.run();
