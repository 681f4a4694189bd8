// The commands that show why: explain of an input, and the trace of a failed test, once and followed.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleAgent, sampleData, sampleService } from '../../../runtime/testing/sample-data.ts';

const platform = fileURLToPath(new URL('../../platform.ts', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'explain-'));
test.after(() => rmSync(root, { recursive: true, force: true }));
const folder = join(root, 'mine');
mkdirSync(folder);
const env = { ...process.env, NO_COLOR: '1' };

function policy(...argv: string[]): Promise<{ code: number; out: string; error: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [platform, 'policy', ...argv], { env }, (error, out, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, error: stderr });
    });
  });
}

const [input, data] = [join(root, 'input.json'), join(root, 'data.json')];
writeFileSync(data, JSON.stringify(sampleData(3)));
writeFileSync(
  input,
  JSON.stringify({
    action: 'call',
    identity: { spiffe_id: sampleAgent(0) },
    resource: {
      kind: 'tool',
      name: '<img src=x>\u001b[31m',
      service: sampleService(0),
      action: 'write',
    },
    arguments: { amount: 500 },
    counters: { agent_minute: 1, tenant_minute: 1 },
    context: { time: '2026-01-01T23:00:00.000Z', request_id: 'r' },
  }),
);
const rule = (limit: number) => `package platform.tool.operator

deny contains {"code": "big", "message": "too much"} if {
	input.resource.name != "free"
	input.arguments.amount > ${limit}
}
`;
const tests = `package platform.tool.operator_test

import data.platform.tool.operator

test_big if {
	found := operator.deny with input as {"resource": {"name": "x"}, "arguments": {"amount": 101}}
	count(found) == 1
}
`;
writeFileSync(join(folder, 'big.rego'), rule(100));
writeFileSync(join(folder, 'big_test.rego'), tests);

test('explain names the rule, its conditions and their values, as text, JSON and a page', async () => {
  const html = join(root, 'why.html');
  const given = ['explain', folder, '--input', input, '--data', data];
  const { code, out } = await policy(...given, '--html', html);
  assert.is(code, 1);
  assert.match(out, /^deny platform\.tool\.operator\.big\n {2}big: too much\n/);
  assert.match(out, /✓ input\.arguments\.amount > 100\n +input\.arguments\.amount = 500/);
  assert.not.match(out, '\u001b');
  const page = readFileSync(html, 'utf8');
  assert.match(page, 'input.arguments.amount');
  assert.match(page, '&lt;img src=x&gt;');
  assert.not.match(page, /<img|<script/);
  const json = JSON.parse((await policy(...given, '--json')).out);
  assert.is(json.allow, false);
  assert.is(json.rule, 'platform.tool.operator.big');
  assert.ok(json.why.length === 1 && json.others.length > 0 && json.tree.length === 1);
});

test('explain answers wrong command lines and policies that do not compile', async () => {
  for (const wrong of [
    [],
    ['--input', input, '--decision', 'a'.repeat(64)],
    ['--decision', 'a'.repeat(64), '--data', data],
    ['--input', input, '--boundary', 'nowhere'],
  ]) {
    assert.is((await policy('explain', ...wrong)).code, 2, wrong.join(' '));
  }
  const broken = join(root, 'broken');
  mkdirSync(broken);
  writeFileSync(
    join(broken, 'b.rego'),
    'package platform.tool.operator\n\ndeny contains x if true\n',
  );
  const { code, out } = await policy('explain', broken, '--input', input, '--json');
  assert.is(code, 1);
  assert.is(JSON.parse(out).errors[0].file, join(broken, 'b.rego'));
});

test('test shows what a failed test saw, and follows the files until it is interrupted', async () => {
  writeFileSync(join(folder, 'big.rego'), rule(200));
  const argv = [platform, 'policy', 'test', folder, '--run', 'operator_test', '--watch'];
  const watching = spawn(process.execPath, argv, { env });
  let out = '';
  const printed = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => pattern.test(out) && resolve();
      watching.stdout.on('data', look);
      watching.once('exit', () => reject(new Error(out)));
      look();
    });
  watching.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  try {
    await printed(/0 passed, 1 failed.*waiting/s);
    assert.match(out, /failed \S*\/mine\/big_test\.rego:5 test_big/);
    assert.match(out, /✗ count\(found\) == 1\n +count\(found\) = 0, found = set\(\)/);
    out = '';
    writeFileSync(join(folder, 'big.rego'), rule(100));
    await printed(/1 passed, 0 failed.*waiting/s);
  } finally {
    watching.removeAllListeners('exit').kill('SIGINT');
  }
  assert.is(await new Promise((resolve) => watching.once('close', resolve)), 0);
});

test.run();
