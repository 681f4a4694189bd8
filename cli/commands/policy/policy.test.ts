import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readBundle } from '../../../runtime/bundle/files.ts';
import { createBundleKey, writeBundleKey } from '../../../runtime/bundle/keys.ts';
import { loadPolicy } from '../../../runtime/bundle/load.ts';
import { sampleAgent, sampleData, sampleService } from '../../../runtime/testing/sample-data.ts';

const platform = fileURLToPath(new URL('../../platform.ts', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'policy-'));
test.after(() => rmSync(root, { recursive: true, force: true }));
const operator = join(root, 'operator');
mkdirSync(operator);
const rego = join(operator, 'night.rego');
const write = (body: string) => writeFileSync(rego, `package platform.tool.operator\n\n${body}`);

function policy(...argv: string[]): Promise<{ code: number; out: string; error: string }> {
  const env = { ...process.env, NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, [platform, 'policy', ...argv], { env }, (error, out, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, error: stderr });
    });
  });
}

const input = join(root, 'input.json');
const data = join(root, 'data.json');
writeFileSync(data, JSON.stringify(sampleData(3)));
writeFileSync(
  input,
  JSON.stringify({
    action: 'call',
    identity: { spiffe_id: sampleAgent(0) },
    resource: { kind: 'tool', name: 'x', service: sampleService(0), action: 'write' },
    arguments: { amount: 5 },
    counters: { agent_minute: 1, tenant_minute: 1 },
    context: { time: '2026-01-01T23:00:00.000Z', request_id: 'r' },
  }),
);

test('check shows file, line, column, the line with a caret, and a hint', async () => {
  write('deny contains {"code": "night"} if {\n\ttime.now_ns() > 1\n}\n');
  const { code, out } = await policy('check', operator);
  assert.is(code, 1);
  assert.match(out, /operator\/night\.rego:4:2: the built-in time\.now_ns/);
  assert.match(out, / {2}4 \| \ttime\.now_ns\(\) > 1\n {4}\| \t\^/);
  assert.match(out, /hint: the time of the decision is input\.context\.time/);
  const json = await policy('check', operator, '--json');
  assert.is(json.code, 1);
  assert.is(JSON.parse(json.out).errors[0].code, 'builtin_not_portable');
});

test('test runs the tests, names uncovered lines, and holds a threshold', async () => {
  write('deny contains {"code": "big"} if input.arguments.amount > 100\n');
  const bad = await policy('test', operator, '--threshold', '100');
  assert.is(bad.code, 1);
  assert.match(bad.out, /not covered: operator\/operator\/night\.rego:3/);
  writeFileSync(
    join(operator, 'night_test.rego'),
    `package platform.tool.operator_test

import data.platform.tool.operator

test_big if operator.deny == {{"code": "big"}} with input as {"arguments": {"amount": 101}}
`,
  );
  const good = await policy('test', operator, '--threshold', '100', '--run', 'operator_test');
  assert.match(good.out, /^1 passed, 0 failed/m);
  assert.is((await policy('test', operator, '--threshold', '100')).code, 0);
  rmSync(join(operator, 'night_test.rego'));
});

test('eval answers as the compiled module does, and queries with prints', async () => {
  write(
    'deny contains {"code": "late", "message": "not at night"} if {\n\tinput.context.time > "2026-01-01T22"\n}\n',
  );
  const refused = await policy('eval', operator, '--input', input, '--data', data);
  assert.is(refused.code, 1);
  assert.match(refused.out, /deny platform\.tool\.operator\.late\n {2}late: not at night/);
  const allowed = await policy('eval', '--input', input, '--data', data, '--json');
  assert.is(allowed.code, 0);
  assert.is(JSON.parse(allowed.out).rule, 'platform.tool.granted');
  const query = ['--query', 'x := input.arguments.amount + 1', '--json'];
  assert.is((await policy('eval', '--input', input, ...query)).code, 0);
});

test('build writes a bundle that the loader verifies', async () => {
  const keys = await createBundleKey();
  await writeBundleKey(join(root, 'key'), keys);
  const output = join(root, 'policy.tar.gz');
  const built = await policy(
    'build',
    operator,
    '--output',
    output,
    '--key',
    join(root, 'key'),
    '--filter',
    root,
    '--json',
  );
  const { revision, signed, filter } = JSON.parse(built.out);
  assert.is(signed, true);
  const loaded = await loadPolicy(await readBundle(output), [keys.publicKey]);
  assert.is(loaded.revision, revision);
  assert.equal(readFileSync(join(root, 'filter.wasm')), Buffer.from(loaded.filter!));
  for (const name of ['authorization', 'arguments', 'guard', 'scope', 'record']) {
    assert.is(loaded.modules[name]?.filter, filter.digest);
  }
});

test('fmt says what it would change, then changes it', async () => {
  writeFileSync(rego, 'package platform.tool.operator\ndeny contains 1 if   false\n');
  assert.is((await policy('fmt', operator, '--check')).code, 1);
  assert.is((await policy('fmt', operator)).code, 0);
  assert.match(readFileSync(rego, 'utf8'), /operator\n\ndeny contains 1 if false/);
  assert.is((await policy('fmt', operator, '--check')).code, 0);
});

test('a wrong command line is exit code 2, a missing file a clear error', async () => {
  assert.is((await policy('chekc')).code, 2);
  assert.is((await policy('eval')).code, 2);
  assert.is((await policy('test', '--threshold', 'all')).code, 2);
  const missing = await policy('check', join(root, 'nowhere'));
  assert.is(missing.code, 1);
  assert.match(missing.error, /cannot read the folder/);
});

test.run();
