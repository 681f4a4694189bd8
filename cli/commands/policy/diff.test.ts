// `platform policy diff` and `bench` as a user runs them: folders, bundles, pairs, accepted flips, exit codes.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildDataBundle } from '../../../runtime/bundle/build.ts';
import { writeBundle } from '../../../runtime/bundle/write.ts';
import { sampleData } from '../../../runtime/testing/sample-data.ts';

const platform = fileURLToPath(new URL('../../platform.ts', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'diff-verb-'));
test.after(() => rmSync(root, { recursive: true, force: true }));
const at = (...names: string[]) => join(root, ...names);

function policy(...argv: string[]): Promise<{ code: number; out: string; error: string }> {
  const env = { ...process.env, NO_COLOR: '1', PLATFORM_STATE: at('no-state') };
  return new Promise((resolve) => {
    execFile(process.execPath, [platform, 'policy', ...argv], { env }, (error, out, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, error: stderr });
    });
  });
}

const refuse = (amount: number) => `package platform.tool.operator

deny contains {"code": "large", "message": "too large"} if {
	input.resource.name == "orders_refund"
	input.arguments.amount > ${amount}
}
`;
const data = at('data.json');
writeFileSync(data, JSON.stringify(sampleData(8)));
for (const [name, amount] of [
  ['old', 100],
  ['new', 101],
] as const) {
  mkdirSync(at(name));
  writeFileSync(at(name, 'a.rego'), refuse(amount));
}
// Enough for every stage of the search to have its share.
const few = ['--boundary', 'tool', '--count', '12000'];
const wider = {
  ...{ name: 'tool:operator.large:granted', boundary: 'tool' },
  ...{ from: 'platform.tool.operator.large', to: 'platform.tool.granted' },
  change: '',
};
const accepting = (file: string, ...entries: object[]): string => {
  writeFileSync(at(file), JSON.stringify({ accepted: entries }));
  return at(file);
};

test('two folders: what widens fails by name, with rules and an input; what narrows does not', async () => {
  const { code, out } = await policy('diff', at('old'), at('new'), '--data', data, ...few);
  assert.is(code, 1);
  assert.match(out, /deny → allow {2}tool:operator\.large:granted/);
  assert.match(out, /- operator\/old\/a\.rego:3 \| deny contains/);
  assert.match(out, /\+ operator\/new\/a\.rego:3 \| deny contains/);
  assert.match(out, /not accepted 1 flips/);
  wider.change = /^ {2}change: ([0-9a-f]{16})$/m.exec(out)?.[1] ?? 'none';
  assert.ok(out.includes(JSON.stringify({ ...wider, why: '' })), 'the entry to add, word for word');
  const back = await policy('diff', at('new'), at('old'), '--data', data, ...few);
  assert.is(back.code, 0);
  assert.match(back.out, /allow → deny {2}tool:granted:operator\.large/);
  assert.match(back.out, /ok nothing widens in \d+ generated inputs and 0 rows/);
});

test('a folder and a bundle, and a pair of bundles: the pair’s own data count', async () => {
  const bundle = at('old.tar.gz');
  assert.is((await policy('build', at('old'), '--output', bundle)).code, 0);
  const one = await policy('diff', bundle, at('new'), '--data', data, ...few, '--json');
  assert.is(one.code, 1);
  const found = JSON.parse(one.out);
  assert.equal(found.refused, [wider.name]);
  assert.match(found.old.revision, /^sha256:/);
  assert.is(found.new.revision, null);
  for (const [name, agents] of [
    ['released', 8],
    ['next', 9],
  ] as const) {
    mkdirSync(at(name));
    const policyBundle = at(name, 'policy');
    assert.is((await policy('build', at('old'), '--output', policyBundle)).code, 0);
    await writeBundle(buildDataBundle(sampleData(agents)).files, at(name, 'data'));
  }
  const argv = ['diff', at('released'), at('next'), '--boundary', 'tool', '--json'];
  const pair = JSON.parse((await policy(...argv)).out);
  assert.is(pair.old.revision, pair.new.revision);
  assert.equal([pair.old.data, pair.new.data], [at('released', 'data'), at('next', 'data')]);
  assert.ok(pair.refused.includes('tool:unknown_agent:granted'), 'an agent more');
});

test('an accepted flip passes; a stale, an expired and a wrong entry fail, each by name', async () => {
  const run = (file: string) =>
    policy('diff', at('old'), at('new'), '--data', data, ...few, '--accept', file, '--json');
  const why = 'the desk may refund 101';
  const accepted = await run(accepting('accepted.json', { ...wider, why, expires: '2999-12-31' }));
  assert.is(accepted.code, 0);
  const { ok, flips, refused } = JSON.parse(accepted.out);
  assert.equal([ok, refused], [true, []]);
  const flip = flips.find(({ name }: { name: string }) => name === wider.name);
  assert.equal([flip.accepted, flip.widening], [why, true]);

  const other = { ...wider, name: 'tool:operator.other:granted', why };
  const stale = await run(accepting('stale.json', { ...wider, why }, other));
  assert.is(stale.code, 1);
  assert.equal(JSON.parse(stale.out).stale, [{ name: other.name, right: null }]);

  const earlier = await run(accepting('earlier.json', { ...wider, change: 'f'.repeat(16), why }));
  assert.is(earlier.code, 1, 'what was accepted once accepts no later change');
  const again = JSON.parse(earlier.out);
  assert.equal(again.stale, [{ name: wider.name, right: wider.change }]);
  assert.equal(again.refused, [wider.name]);

  const expired = await run(accepting('expired.json', { ...wider, why, expires: '2020-01-01' }));
  assert.is(expired.code, 1);
  const late = JSON.parse(expired.out);
  assert.equal([late.refused, late.expired, late.stale], [[wider.name], [wider.name], []]);

  const wrong = await run(accepting('wrong.json', { ...wider, why: '' }));
  assert.is(wrong.code, 1);
  assert.is(JSON.parse(wrong.error.trim().split('\n').at(-1)!).error.code, 'configuration_invalid');
});

test('accepted-flips.json in the new folder is taken by itself', async () => {
  accepting('new/accepted-flips.json', { ...wider, why: 'wanted' });
  const { code, out } = await policy('diff', at('old'), at('new'), '--data', data, ...few);
  rmSync(at('new/accepted-flips.json'));
  assert.is(code, 0);
  assert.match(out, /accepted: wanted/);
  assert.match(out, /ok every flip that widens is accepted/);
});

test('--json is one document on standard output; progress goes to standard error', async () => {
  const { code, out, error } = await policy('diff', at('old'), at('old'), ...few, '--json');
  assert.is(code, 0);
  const { ok, flips, boundaries, evidence, seed } = JSON.parse(out);
  assert.equal([ok, flips, evidence, seed], [true, [], null, '1']);
  assert.is(boundaries.length, 1);
  assert.ok(boundaries[0].inputs > 500 && boundaries[0].allowedNew > 0);
  assert.is(boundaries[0].isCut, false);
  assert.match(error, /has no data: made-up agents/);
  assert.match(error, /tool: \d+ inputs/);
});

test('a wrong command line is 2, what cannot be read is 1', async () => {
  for (const argv of [
    [],
    [at('old')],
    [at('old'), at('new'), 'third'],
    [at('old'), at('new'), '--count', '0'],
    [at('old'), at('new'), '--nothing'],
  ]) {
    assert.is((await policy('diff', ...argv)).code, 2, argv.join(' '));
  }
  const there = await policy('diff', at('old'), at('new'), '--boundary', 'none');
  assert.is(there.code, 1);
  assert.match(there.error, /there is no boundary none/);
  const evidence = await policy('diff', at('old'), at('new'), '--evidence', at('old'));
  assert.is(evidence.code, 1);
  assert.match(evidence.error, /object_missing/);
});

test('bench times a folder’s policy beside stock opa-wasm', async () => {
  const { code, out } = await policy('bench', at('old'), '--data', data, '--json');
  assert.is(code, 0);
  const { boundary, unit, cases } = JSON.parse(out);
  assert.equal([boundary, unit], ['tool', 'µs']);
  assert.ok(cases.length > 0);
  for (const { ours, peers } of cases) {
    for (const { p50, p99 } of [ours, ...(Object.values(peers) as (typeof ours)[])]) {
      assert.ok(p50 > 0 && p99 >= p50);
    }
  }
});

test.run();
