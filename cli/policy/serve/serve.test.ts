// The commands serve, sign and verify as a user runs them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildDataBundle, buildPolicyBundle } from '../../../runtime/bundle/build.ts';
import { readBundle } from '../../../runtime/bundle/files.ts';
import { samplePolicies } from '../../../runtime/bundle/testing.ts';
import { writeBundle } from '../../../runtime/bundle/write.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import { eventually } from '../../../runtime/testing/eventually.ts';
import { policyCommand } from '../../commands/policy/index.ts';
import { UsageError } from '../../options.ts';
import { addressOf, isLoopback } from './address.ts';

const entry = fileURLToPath(new URL('../../platform.ts', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'policy-serve-'));
const at = (name: string) => join(root, name);
const running: ChildProcess[] = [];
test.after(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(root, { recursive: true });
});

function platform(...argv: string[]): ChildProcess {
  const child = spawn(process.execPath, [entry, 'policy', ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  running.push(child);
  return child;
}

async function run(...argv: string[]): Promise<{ code: number; out: string; error: string }> {
  const child = platform(...argv);
  let [out, error] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    error += chunk;
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, error };
}

/** Serves until `stop`; `said` is what it wrote to standard error. */
async function serve(...argv: string[]) {
  const child = platform('serve', '--addr', '127.0.0.1:0', '--json', ...argv);
  let [out, said] = ['', ''];
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  await eventually(() => out.includes('\n') || child.exitCode !== null, 120_000);
  const { url } = JSON.parse(out) as { url: string };
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, body: (await response.json()) as JsonObject };
  };
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    return child.exitCode;
  };
  return { get, stop, said: () => said };
}

const policy = buildPolicyBundle(await samplePolicies());
await writeBundle(policy.files, at('policy'));
await writeBundle(buildDataBundle({ limits: { agent_minute: 5 } }).files, at('data'));

test('sign makes keys and signs; verify says which bundle is right, and what is wrong', async () => {
  assert.is((await run('sign', '--new-key', at('key'))).code, 0);
  assert.is(statSync(at('key')).mode & 0o777, 0o600);
  const again = await run('sign', '--new-key', at('key'));
  assert.equal([again.code, /already/.test(again.error)], [1, true]);
  const signed = await run(
    'sign',
    at('policy'),
    '--key',
    at('key'),
    '--output',
    at('p.tar.gz'),
    '--json',
  );
  assert.is(JSON.parse(signed.out).revision, policy.revision);
  assert.is((await run('sign', at('data'), '--key', at('key'))).code, 0);
  const keys = ['--key', at('key.pub')];
  const right = await run('verify', at('p.tar.gz'), at('data'), ...keys, '--json');
  assert.equal([right.code, JSON.parse(right.out).ok], [0, true], right.out);
  const unsigned = await run('verify', at('data'), at('policy'), ...keys);
  assert.is(unsigned.code, 1);
  assert.match(unsigned.out, /^right .*data: data bundle/m);
  assert.match(
    unsigned.out,
    /^wrong .*policy: the policy bundle is not signed \[bundle_signature_missing\]/m,
  );
  assert.is((await run('sign', at('data'), ...keys)).code, 1);
  const changed = at('changed');
  await writeBundle(await readBundle(at('data')), changed);
  writeFileSync(join(changed, 'data.json'), '{}');
  const tampered = await run('verify', changed, ...keys, '--json');
  const [finding] = JSON.parse(tampered.out).bundles;
  assert.equal([finding.ok, finding.code], [false, 'bundle_signature_invalid']);
  const resigned = await run('sign', changed, '--key', at('key'));
  assert.match(resigned.error, /built: build it again/);
});

test('a folder is served, and follows what is changed in it', async () => {
  const own = at('own');
  mkdirSync(own);
  const rule = (limit: number) =>
    writeFileSync(join(own, 'own.rego'), `package platform.tool.operator\n\nlimit := ${limit}\n`);
  rule(1);
  const { get, stop, said } = await serve(own, '--data', at('data'));
  const limit = async () => (await get('/v1/data/platform/tool/operator/limit')).body.result;
  assert.is(await limit(), 1);
  assert.is((await get('/v1/data/limits/agent_minute')).body.result, 5);
  rule(2);
  await eventually(async () => (await limit()) === 2, 60_000);
  writeFileSync(join(own, 'own.rego'), 'package platform.tool.operator\n\nlimit := input.x y\n');
  await eventually(async () => (await get('/health?plugins')).status === 500, 60_000);
  assert.is(await limit(), 2);
  assert.match(said(), /policy_invalid/);
  assert.is(await stop(), 0);
});

test('a bundle server is polled, for signed bundles only', async () => {
  const archive = readFileSync(at('p.tar.gz'));
  const server = createServer((request, response) => {
    const etag = '"one"';
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { etag }).end(archive);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/p.tar.gz`;
  writeFileSync(at('token'), 'sixteen-bytes-or-more\n');
  const { get, stop } = await serve(
    ...['--bundle', url, '--key', at('key.pub'), '--token-file', at('token')],
    ...['--decision-logs', at('log.jsonl'), '--interval', '1'],
  );
  await eventually(async () => (await get('/health?bundles')).status === 200, 60_000);
  assert.is((await get('/v1/data')).status, 401);
  const headers = { authorization: 'Bearer sixteen-bytes-or-more' };
  const path = '/v1/data/platform/tool/decision';
  const body = '{"input": {"arguments": "secret-argument"}}';
  const { body: answer } = await get(path, { method: 'POST', headers, body });
  assert.is(await stop(), 0);
  const log = readFileSync(at('log.jsonl'), 'utf8');
  assert.is(JSON.parse(log).decision_id, answer.decision_id);
  assert.not.match(log, 'secret-argument');
  server.close();
});

test('what cannot be served ends at once, and says why', async () => {
  const bad = at('bad');
  mkdirSync(bad);
  writeFileSync(join(bad, 'bad.rego'), 'package platform.tool.operator\n\nallow := \n');
  const broken = await run('serve', bad, '--addr', '127.0.0.1:0');
  assert.equal([broken.code, /bad\.rego:\d+:\d+: /.test(broken.out)], [1, true], broken.out);
  const missing = await run('serve', at('none.tar.gz'), '--addr', '127.0.0.1:0');
  assert.equal([missing.code, /bundle_missing/.test(missing.error)], [1, true], missing.error);
  const unsigned = await run('serve', at('policy'), '--key', at('key.pub'));
  assert.match(unsigned.error, /bundle_signature_missing/);
});

test('a wrong command line is told before anything is done', async () => {
  const wrong = [
    ['serve', '--addr', '0.0.0.0:8181'],
    ['serve', '--addr', 'example.com:8181'],
    ['serve', '--bundle', 'https://example.com/b.tar.gz'],
    ['serve', '--bundle', 'file:///b.tar.gz', '--key', 'k'],
    ['serve', '--data', 'https://example.com/d.tar.gz'],
    ['serve', '--interval', '0'],
    ['serve', 'a.tar.gz', 'b.tar.gz'],
    ['sign', 'a.tar.gz'],
    ['sign', '--key', 'k'],
    ['verify', 'a.tar.gz'],
  ];
  for (const argv of wrong) {
    const thrown = await policyCommand.run(argv).catch((error: unknown) => error);
    assert.instance(thrown, UsageError, argv.join(' '));
  }
});

test('an address is loopback, or is known not to be', () => {
  assert.equal(addressOf(':8181'), { host: '127.0.0.1', port: 8181 });
  assert.equal(addressOf('[::1]:0'), { host: '::1', port: 0 });
  for (const local of ['127.0.0.1:1', '127.9.9.9:1', 'localhost:1', '[::1]:1']) {
    assert.ok(isLoopback(addressOf(local)), local);
  }
  for (const other of ['0.0.0.0:1', '[::]:1', '10.0.0.1:1', '[::ffff:127.0.0.1]:1']) {
    assert.not.ok(isLoopback(addressOf(other)), other);
  }
  for (const bad of [
    '',
    '8181',
    '127.0.0.1',
    '127.1:1',
    '1.2.3.4:65536',
    '::1:1',
    '[127.0.0.1]:1',
  ]) {
    assert.throws(() => addressOf(bad), /--addr/, bad);
  }
});

test.run();
