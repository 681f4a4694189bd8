// `platform policy lint` as a user runs it: folders, fixes, one JSON document, exit codes.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const platform = fileURLToPath(new URL('../../bin/platform.js', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'lint-'));
const mine = join(folder, 'mine');
await mkdir(mine);

const source = `# METADATA
# title: Orders
# custom:
#   controls: ["NIST:AC-3"]
# schemas:
#   - input: schema.tool
package platform.tool.operator

# METADATA
# title: Nothing for another tenant
# custom:
#   controls: ["SOC2:CC6.1"]
deny contains {"code": "other_tenant", "message": "another tenant", "controls": ["NIST:AC-3"]} if {
	startswith(input.identity.spiffe_id, "spiffe://platform.local/agent/acme")
}
`;

const suite = `package platform.tool.operator_test

import data.platform.tool.operator

test_other_tenant if {
	some reason in operator.deny with input.identity.spiffe_id as "spiffe://platform.local/agent/acme/bot/main"
	reason.code == "other_tenant"
}
`;

test.before.each(async () => {
  await writeFile(join(mine, 'orders.rego'), source);
  await writeFile(join(mine, 'orders_test.rego'), suite);
});

test.after(() => rm(folder, { recursive: true, force: true }));

async function run(...args: string[]): Promise<{ code: number; out: string }> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      platform,
      'policy',
      'lint',
      ...args,
    ]);
    return { code: 0, out: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout + stderr };
  }
}

test('findings name the file on disk, and exit with 1', async () => {
  const { code, out } = await run(mine, '--json');
  const answer = JSON.parse(out);
  assert.is(code, 1);
  assert.is(answer.ok, false);
  assert.is(answer.files, 2);
  assert.equal(
    answer.findings.map((one: { code: string; file: string; row: number; fixable: boolean }) => [
      ...[one.code, one.file, one.row, one.fixable],
    ]),
    [
      ['controls', join(mine, 'orders.rego'), 13, true],
      ['spiffe-prefix', join(mine, 'orders.rego'), 14, true],
    ],
  );
});

test('fixes are written once, and leave nothing to find', async () => {
  const first = await run(mine, '--fix', '--json');
  assert.is(first.code, 0, first.out);
  assert.equal(JSON.parse(first.out).fixed, [join(mine, 'orders.rego')]);
  const text = await readFile(join(mine, 'orders.rego'), 'utf8');
  assert.match(text, '"spiffe://platform.local/agent/acme/"');
  assert.match(text, '"controls": ["SOC2:CC6.1"]');
  assert.equal(JSON.parse((await run(mine, '--fix', '--json')).out).fixed, []);
  assert.is(await readFile(join(mine, 'orders.rego'), 'utf8'), text);
});

test('one rule alone, and a rule that there is not', async () => {
  const { out } = await run(mine, '--rule', 'controls', '--json');
  assert.equal(
    JSON.parse(out).findings.map(({ code }: { code: string }) => code),
    ['controls'],
  );
  const wrong = await run(mine, '--rule', 'control');
  assert.is(wrong.code, 2);
  assert.match(wrong.out, 'did you mean controls');
});

test.run();
