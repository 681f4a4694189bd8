// The playground of a real platform: its files, and what it reads of bundles and evidence through the gate.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../runtime/json.ts';
import { startMachine, type TestMachine } from './testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'up-playground-'));
const test = suite('up playground');
let machine: TestMachine;
let origin: string;
let authorization: string;

test.before(async () => {
  machine = await startMachine(join(folder, 'state'));
  const [, address = '', token] = machine.cli.output.match(/page\s+(\S+)\/#(\S+)/) ?? [];
  origin = address;
  authorization = `Bearer ${token}`;
});
test.after(async () => {
  await machine.cli.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function ask(path: string): Promise<{ status: number; body: JsonObject }> {
  const url = `${origin}/api/v1/playground${path}`;
  const response = await fetch(url, { headers: { authorization } });
  return { status: response.status, body: (await response.json()) as JsonObject };
}

test('serves its files, and the compiler with the digest that it names', async () => {
  for (const path of ['', '/page.js', '/page.css', '/worker.js', '/icon.svg', '/guard.wasm']) {
    const { status, headers } = await fetch(`${origin}/playground${path}`);
    assert.is(status, 200, path);
    assert.is(headers.get('cross-origin-embedder-policy'), 'require-corp');
  }
  const { compiler } = (await ask('')).body as { compiler: { digest: string } };
  for (const encoding of ['br', 'identity']) {
    const url = `${origin}/playground/compiler.wasm`;
    const response = await fetch(url, { headers: { 'accept-encoding': encoding } });
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.is(createHash('sha256').update(bytes).digest('hex'), compiler.digest, encoding);
  }
});

test('gives the bundles in force, and no private key', async () => {
  const { body } = await ask('');
  const status = await machine.control.call('GET', '/api/v1/status');
  assert.is(body.policy_revision, (status.bundles as JsonObject).policy);
  assert.ok((body.keys as JsonObject[]).length > 0);
  assert.ok((body.keys as JsonObject[]).every((key) => !('d' in key)));
  for (const revision of [body.policy_revision, body.data_revision]) {
    const { files } = (await ask(`/bundles/${revision}`)).body as { files: [string, string][] };
    assert.ok(files.some(([name]) => name === '.signatures.json'));
  }
  const absent = `sha256:${'0'.repeat(64)}`;
  assert.equal((await ask(`/bundles/${absent}`)).body, { files: null });
  assert.equal((await ask(`/objects/${absent}`)).body, { bytes: null });
});

test('gives recorded decisions, newest first, and one by its id', async () => {
  const { body } = await ask('/decisions?boundary=console');
  const decisions = body.decisions as { time: string; decision: JsonObject }[];
  assert.ok(decisions.length > 1);
  const times = decisions.map(({ time }) => time);
  assert.equal(times, times.toSorted().reverse());
  const { id } = decisions[0]!.decision;
  assert.equal((await ask(`/decisions/${id}`)).body.decision, decisions[0]!.decision);
  assert.is((await ask(`/decisions/${'0'.repeat(64)}`)).body.code, 'object_missing');
});

test.run();
