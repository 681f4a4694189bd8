// The vault as a process of its own: a bad environment, a wrong key, and what outlives its sudden death.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { sampleAgent } from '../../runtime/testing/sample-data.ts';
import { startService } from '../common/testing-process.ts';

const agent = sampleAgent(1);
const folder = mkdtempSync(join(tmpdir(), 'vm-'));
test.after(() => rmSync(folder, { recursive: true }));

const run = (environment: Record<string, string>) =>
  startService(join(import.meta.dirname, 'main.ts'), environment);

async function environment(): Promise<Record<string, string>> {
  if (!existsSync(join(folder, 'keys.json'))) {
    const { trusted } = await writeSamplePair(join(folder, 'bundles'));
    writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: trusted }));
    writeFileSync(join(folder, 'seed'), randomBytes(32));
  }
  return {
    LISTEN_ADDRESS: `unix:${join(folder, 'vault.sock')}`,
    CONTROL_ADDRESS: `unix:${join(folder, 'control.sock')}`,
    DATABASE_URL: `file:${join(folder, 'database')}`,
    ENCRYPTION_KEY: 'c3'.repeat(32),
    BUNDLE_DIR: join(folder, 'bundles'),
    BUNDLE_KEYS_FILE: join(folder, 'keys.json'),
    EVIDENCE_DIR: join(folder, 'evidence'),
    CHECKPOINTS_DIR: join(folder, 'checkpoints'),
    EVIDENCE_SEED_FILE: join(folder, 'seed'),
  };
}

async function send(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const dispatcher = new Agent({ connect: { socketPath: join(folder, 'vault.sock') } });
  const answer = await request(`http://vault/api/v1/secrets/${path}`, {
    method: method as 'GET',
    headers: { 'content-type': 'application/json', 'x-platform-spiffe-id': agent },
    body: body === undefined ? null : JSON.stringify(body),
    dispatcher,
  });
  const parsed = (await answer.body.json()) as JsonObject;
  await dispatcher.destroy();
  return parsed;
}

test('a bad environment is told whole, and nothing starts', async () => {
  const { exited, output } = run({ LISTEN_ADDRESS: '0.0.0.0:8080', DATABASE_URL: 'mysql://x' });
  assert.is(await exited, 1);
  for (const part of [
    'configuration_invalid',
    'LISTEN_ADDRESS',
    'DATABASE_URL',
    'ENCRYPTION_KEY',
  ]) {
    assert.match(output.text, part);
  }
});

test('a key file that others may read is refused', async () => {
  const { ENCRYPTION_KEY, ...rest } = await environment();
  const file = join(folder, 'open.key');
  writeFileSync(file, `${ENCRYPTION_KEY}\n`);
  chmodSync(file, 0o640);
  const { exited, output } = run({ ...rest, ENCRYPTION_KEY_FILE: file });
  assert.is(await exited, 1);
  assert.match(output.text, 'others may read');
});

test('what was acknowledged outlives SIGKILL, and no file holds a value', async () => {
  const started = run(await environment());
  await started.ready;
  const value = `plain-${randomBytes(12).toString('hex')}`;
  const versions: number[] = [];
  for (let i = 0; i < 3; i++) {
    versions.push((await send('PUT', 'killed', { value: `${value}-${i}` })).version as number);
  }
  started.child.kill('SIGKILL');
  await started.exited;
  assert.equal(versions, [1, 2, 3]);
  const again = run(await environment());
  await again.ready;
  assert.is((await send('GET', 'killed')).value, `${value}-2`);
  again.child.kill('SIGTERM');
  assert.is(await again.exited, 0, again.output.text);
  for (const text of [started.output.text, again.output.text]) assert.not.match(text, value);
  const needles = [value, Buffer.from(value).toString('base64').slice(0, -4)];
  for (const file of filesOf(folder)) {
    const content = readFileSync(file);
    for (const needle of needles) assert.is(content.indexOf(needle), -1, file);
  }
});

test('another master key is refused at the start', async () => {
  const { exited, output } = run({ ...(await environment()), ENCRYPTION_KEY: 'd4'.repeat(32) });
  assert.is(await exited, 1);
  assert.match(output.text, 'master_key_wrong');
});

function filesOf(path: string): string[] {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test.run();
