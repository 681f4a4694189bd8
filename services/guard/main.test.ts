// The guard as a process of its own: a bad environment, every setting, and scans over TCP.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import { codeOf } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { sampleAgent } from '../../runtime/testing/sample-data.ts';
import { sampleGithubToken } from '../../runtime/testing/tokens.ts';
import { startService } from '../common/testing-process.ts';
import { readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'gm-'));
test.after(() => rmSync(folder, { recursive: true }));

const needed = {
  BUNDLE_DIR: join(folder, 'bundles'),
  BUNDLE_KEYS_FILE: join(folder, 'keys.json'),
  EVIDENCE_DIR: join(folder, 'evidence'),
  CHECKPOINTS_DIR: join(folder, 'checkpoints'),
  EVIDENCE_SEED_FILE: join(folder, 'seed'),
};

test('what the environment leaves out is as the specification has it', () => {
  const config = readConfig(needed);
  assert.equal(config.listen, { host: '127.0.0.1', port: 8000 });
  assert.equal(config.settings, {
    ...{ enabled: 'all', enforcement: 'block', thresholds: {}, tokenEncoding: 'cl100k_base' },
  });
  assert.is(config.injectionModel, undefined);
});

test('every setting, and every problem at once', () => {
  const { settings, injectionModel, listen } = readConfig({
    ...needed,
    LISTEN_ADDRESS: 'unix:/run/guard.sock',
    ENABLED_SCANNERS: 'Secrets, PII',
    BLOCK_ON_DETECTION: 'false',
    PII_DETECTION_THRESHOLD: '0.9',
    INJECTION_DETECTION_MODEL: 'https://models.local/predict?key=a',
    TOKEN_LIMIT: '4096',
    TOKEN_ENCODING: 'o200k_base',
    FORBIDDEN_TOPICS: 'weapons, gambling',
  });
  assert.equal(listen, { path: '/run/guard.sock' });
  assert.equal(settings, {
    enabled: ['Secrets', 'PII'],
    enforcement: 'warn',
    thresholds: { PII: 900 },
    topics: { allowed: [], forbidden: ['weapons', 'gambling'] },
    tokensMax: 4096,
    tokenEncoding: 'o200k_base',
  });
  assert.equal(injectionModel, { url: 'https://models.local/predict?key=a' });
  assert.equal(readConfig({ ...needed, INJECTION_DETECTION_MODEL: '/m/a.onnx' }).injectionModel, {
    file: '/m/a.onnx',
  });
  const wrong = {
    LISTEN_ADDRESS: '0.0.0.0:8000',
    ENABLED_SCANNERS: 'Secrets,Magic',
    BLOCK_ON_DETECTION: 'maybe',
    PII_DETECTION_THRESHOLD: '1.5',
    INJECTION_DETECTION_MODEL: 'model.onnx',
    TOKEN_LIMIT: '-1',
    TOKEN_ENCODING: 'gpt2',
    ALLOWED_TOPICS: 'a,,b',
  };
  try {
    readConfig(wrong);
    assert.unreachable();
  } catch (error) {
    assert.is(codeOf(error), 'configuration_invalid');
    for (const name of [...Object.keys(wrong), 'BUNDLE_DIR']) {
      assert.match((error as Error).message, name);
    }
  }
});

test('it starts, scans, keeps evidence and stops when it is told to', async () => {
  const { trusted } = await writeSamplePair(needed.BUNDLE_DIR);
  writeFileSync(needed.BUNDLE_KEYS_FILE, JSON.stringify({ keys: trusted }));
  writeFileSync(needed.EVIDENCE_SEED_FILE, randomBytes(32));
  const socketPath = join(folder, 'guard.sock');
  const { child, output, exited, ready } = startService(join(import.meta.dirname, 'main.ts'), {
    ...{ ...needed, LISTEN_ADDRESS: `unix:${socketPath}`, TOKEN_LIMIT: '4' },
    ENABLED_SCANNERS: 'Secrets,TokenLimit',
  });
  await ready;
  const dispatcher = new Agent({ connect: { socketPath } });
  const scan = async (text: string): Promise<JsonObject> => {
    const answer = await request('http://guard/api/v1/scan/prompt', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-platform-spiffe-id': sampleAgent(0) },
      body: JSON.stringify({ text }),
      dispatcher,
    });
    return (await answer.body.json()) as JsonObject;
  };
  assert.is((await scan('hello')).is_valid, true);
  assert.ok('Secrets' in ((await scan(sampleGithubToken())).scanners as JsonObject));
  const long = await scan('one two three four five six');
  assert.equal([long.is_valid, Object.keys(long.scanners as JsonObject)], [false, ['TokenLimit']]);
  await dispatcher.destroy();
  child.kill('SIGTERM');
  assert.is(await exited, 0, output.text);
});

test('a bad environment is told, and nothing starts', async () => {
  const { exited, output } = startService(join(import.meta.dirname, 'main.ts'), {
    BLOCK_ON_DETECTION: 'x',
  });
  assert.is(await exited, 1);
  assert.match(output.text, 'BLOCK_ON_DETECTION');
});

test.run();
