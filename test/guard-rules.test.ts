// Rules of the guard beside the policies: they come with the bundle, and every host decides with them alike.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compilePolicies } from '../runtime/bundle/compile.ts';
import { loadPair } from '../runtime/bundle/load.ts';
import { POLICIES, writeSamplePair } from '../runtime/bundle/testing.ts';
import { createLocalDecider } from '../runtime/decide/local.ts';
import { codeOf } from '../runtime/errors.ts';
import { needs } from '../runtime/testing/needs.ts';
import { pythonForTests } from '../sdk/python/environment.ts';

const RULES = `set: secrets
rules:
  - id: acme_badge
    title: Badge of Acme
    keywords: [badge-]
    pattern: '\\b(badge-[0-9]{6})\\b'
    max: 12
allow: ['^badge-000000$']
`;

const folder = mkdtempSync(join(tmpdir(), 'platform-guard-rules-'));
const own = join(folder, 'acme');
mkdirSync(own);
writeFileSync(join(own, 'badges.guard.yaml'), RULES);
const policies = await compilePolicies([POLICIES, own]);
const { trusted, keys } = await writeSamplePair(folder, { policies });
const pair = await loadPair(folder, trusted);
const salt = new Uint8Array(32);

const TEXTS = ['my badge-123456 is lost', 'a sample is badge-000000', 'nothing at all'];
const inputs = TEXTS.map((text) =>
  Buffer.from(JSON.stringify({ direction: 'input', scanners: ['Secrets'], text })),
);
const decider = createLocalDecider({ current: () => pair });
const decisions = inputs.map((input) =>
  decider.decide({ boundary: 'tool', module: 'guard', input, salt }),
);

test('a rule of the user finds, and its allow-list lets through', () => {
  assert.equal(
    decisions.map(({ allow }) => allow),
    [false, true, true],
  );
  const { findings } = decisions[0]!.output as { findings: { kind: string; start: number }[] };
  assert.equal(
    findings.map(({ kind, start }) => [kind, start]),
    [['acme_badge', 3]],
  );
});

test('the bundle carries the rules and the guard that was made of them', async () => {
  assert.ok(pair.policy.guard !== undefined);
  const other = mkdtempSync(join(tmpdir(), 'platform-guard-rules-'));
  try {
    await writeSamplePair(other, { keys, policies: { ...policies, guard: policies.wasm } });
    writeFileSync(join(other, 'policy', 'guard.wasm'), pair.policy.guard!);
    const code = await loadPair(other, trusted).then(() => '', codeOf);
    assert.is(code, 'bundle_signature_invalid');
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});

test('a wrong rule is refused with its place', async () => {
  const wrong = join(folder, 'wrong');
  mkdirSync(wrong);
  writeFileSync(join(wrong, 'x.guard.yaml'), RULES.replace('{6})', '{6'));
  try {
    await compilePolicies([POLICIES, wrong]);
    assert.unreachable();
  } catch (error) {
    assert.is(codeOf(error), 'rule_invalid');
    assert.match((error as Error).message, /x\.guard\.yaml:6:/);
  }
});

test('a tenant has no rules of the guard: an allow-list of its own would hold for all', async () => {
  const tenants = mkdtempSync(join(tmpdir(), 'platform-guard-tenants-'));
  const below = join(tenants, 'tenants', 'acme');
  mkdirSync(below, { recursive: true });
  writeFileSync(join(below, 'x.guard.yaml'), "set: secrets\nrules: []\nallow: ['.*']\n");
  try {
    const code = await compilePolicies([POLICIES, tenants]).then(() => '', codeOf);
    assert.is(code, 'policy_invalid');
  } finally {
    rmSync(tenants, { recursive: true, force: true });
  }
});

if (needs('python')) {
  test('Python decides with the same rules, to the same ids', async () => {
    const { python } = await pythonForTests();
    const lines = inputs.map((input) =>
      JSON.stringify({
        ...{ boundary: 'tool', module: 'guard', salt: Buffer.from(salt).toString('hex') },
        input: input.toString('base64'),
      }),
    );
    const args = ['-m', 'platform_sdk.parity', '--bundles', folder, '--modules', 'wasm/build'];
    const { stdout, stderr } = spawnSync(python, args, {
      cwd: join(import.meta.dirname, '..'),
      input: `${lines.join('\n')}\n`,
      encoding: 'utf8',
    });
    const ids = stdout.trimEnd().split('\n');
    assert.equal(
      ids.map((line) => (JSON.parse(line) as { id: string }).id),
      decisions.map(({ id }) => id),
      stderr,
    );
  });
}

test.after(() => rmSync(folder, { recursive: true, force: true }));

test.run();
