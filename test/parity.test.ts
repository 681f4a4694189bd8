// One decision everywhere: the same inputs through Node, Python and the command line give the same ids.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeBundleKey } from '../runtime/bundle/keys.ts';
import { loadPair } from '../runtime/bundle/load.ts';
import { writeSamplePair } from '../runtime/bundle/testing.ts';
import { BOUNDARIES } from '../runtime/decide/boundary.ts';
import type { Decision } from '../runtime/decide/decision.ts';
import { createLocalDecider } from '../runtime/decide/local.ts';
import { needs } from '../runtime/testing/needs.ts';
import { sampleData } from '../runtime/testing/sample-data.ts';
import type { SampleRequest } from '../runtime/testing/sample-requests.ts';
import { sampleRequests } from '../runtime/testing/sample-requests.ts';
import { pythonForTests } from '../sdk/python/environment.ts';

const COUNT = Number(process.env.PLATFORM_PARITY_COUNT ?? 20_000);
const SEED = 20260101;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(tmpdir(), 'platform-parity-'));
const requests = sampleRequests(COUNT, SEED);
const { keys, trusted } = await writeSamplePair(folder, { data: sampleData(220) });
const keysFile = join(folder, 'bundle.jwk');
await writeBundleKey(keysFile, keys);
const pair = await loadPair(folder, trusted);
const decider = createLocalDecider({ current: () => pair });
/** What a caller can do that honours everything but questions; it does not enter the id. */
const honours = ['max_bytes', 'rate', 'budget', 'redact'];
const decisions: Decision[] = requests.map((request) => decider.decide({ ...request, honours }));

/** One request as the other hosts read it: a line of JSON, bytes in base64. */
function toLine(request: SampleRequest): string {
  return JSON.stringify({
    boundary: request.boundary,
    module: request.module,
    input: Buffer.from(request.input).toString('base64'),
    salt: Buffer.from(request.salt).toString('hex'),
    ...(request.schema && { schema: Buffer.from(request.schema).toString('base64') }),
  });
}

/** Runs another host on all requests and returns the ids that it computed by itself. */
async function idsFrom(command: string, args: string[]): Promise<string[]> {
  const child = spawn(command, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  child.stdin.end(`${requests.map(toLine).join('\n')}\n`);
  assert.is(await closed, 0, `${command} ${args.join(' ')} failed`);
  const lines = Buffer.concat(chunks).toString().trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { id: string }).id);
}

function assertSameIds(host: string, ids: string[]): void {
  assert.is(ids.length, decisions.length, `${host} answered another number of requests`);
  ids.forEach((id, index) => {
    const { boundary, module, input } = requests[index]!;
    const shown = Buffer.from(input).toString().slice(0, 300);
    assert.is(id, decisions[index]!.id, `${host}: ${boundary} ${module} ${shown}`);
  });
}

test('the generated requests mean something: at least 30 % of each boundary are allowed', () => {
  assert.ok(requests.length >= 20_000);
  for (const boundary of BOUNDARIES) {
    const of = decisions.filter((decision) => decision.boundary === boundary);
    const allowed = of.filter((decision) => decision.allow).length;
    assert.ok(allowed >= 0.3 * of.length, `${boundary}: ${allowed} of ${of.length} allowed`);
    assert.ok(allowed <= 0.9 * of.length, `${boundary}: ${allowed} of ${of.length} allowed`);
  }
  const codes = new Set(decisions.map((decision) => decision.reason.code));
  for (const code of ['input_not_utf8', 'input_duplicate_key', 'input_number_not_portable']) {
    assert.ok(codes.has(code), `no request was refused with ${code}`);
  }
});

test('the same input gives the same id again, another one another', () => {
  for (let i = 0; i < requests.length; i += 97) {
    assert.is(decider.decide(requests[i]!).id, decisions[i]!.id);
  }
  const distinct = new Set(
    decisions.map(({ boundary, module, committedInput, outputBytes }) =>
      [boundary, module, Buffer.from(committedInput), Buffer.from(outputBytes)].join('\n'),
    ),
  );
  assert.is(new Set(decisions.map((decision) => decision.id)).size, distinct.size);
});

test('the command line gives the same ids, from the bundles on disk', async () => {
  const args = ['cli/platform.ts', 'decide', '--bundles', folder, '--keys', `${keysFile}.pub`];
  assertSameIds('command line', await idsFrom(process.execPath, args));
});

if (needs('python')) {
  test('the Python SDK gives the same ids, with its own host', async () => {
    const { python } = await pythonForTests();
    const args = ['-m', 'platform_sdk.parity', '--bundles', folder];
    assertSameIds('python', await idsFrom(python, [...args, '--modules', 'wasm/build']));
  });
}

test.after(() => rmSync(folder, { recursive: true, force: true }));
test.run();
