// OPA's conformance cases: their fixture is OPA's, and in the folders that use the plan most none fails but those known.
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RegoCompiler } from '../../runtime/modules/rego.ts';
import { needs } from '../../runtime/testing/needs.ts';
import { loadCases } from './cases.ts';
import { builtEngine } from './engine.ts';
import { currentPart } from './page.ts';
import { reportOf } from './report.ts';
import { runCases } from './run.ts';
import { runCase } from './run-case.ts';
import { digestOf, exportCases } from './vendor.ts';

const folders = ['every', 'elsekeyword', 'functions', 'partialobjectdoc', 'planner-ir', 'refheads'];

for (const folder of folders) {
  test(`cases of OPA: ${folder}`, async () => {
    const { failed, cases, compiled } = reportOf(await runCases({ folder }));
    assert.equal(failed, []);
    assert.is(compiled, cases);
  });
}

test('optimised by OPA, a folder gives the same', async () => {
  const { failed, optimised } = reportOf(await runCases({ folder: 'completedoc', optimize: 1 }));
  assert.equal(failed, []);
  assert.ok(optimised > 0);
});

test('a case whose expectation is wrong fails, with the reason', async () => {
  const compiler = await RegoCompiler.load();
  const tools = { compiler, engine: readFileSync(builtEngine), optimize: 0 as const };
  const [one] = await loadCases('helloworld');
  assert.ok((await runCase(one!, tools)).passed);
  const other = await runCase({ ...one!, results: '[{"x":"another"}]' }, tools);
  assert.not.ok(other.passed);
  assert.match(other.reason ?? '', / instead of .*another/);
  const error = await runCase({ ...one!, results: undefined, errorCode: 'eval_type_error' }, tools);
  assert.match(error.reason ?? '', /ends without eval_type_error/);
  const broken = await runCase({ ...one!, modules: ['package p\nx :='] }, tools);
  assert.match(broken.reason ?? '', /OPA does not plan it/);
  const time = await runCase({ ...one!, query: 'x = time.now_ns()' }, tools);
  assert.equal(time.nondeterministic, ['time.now_ns']);
});

test('the page lists the last whole run, with at least 95 % of the deterministic cases', async () => {
  const part = currentPart();
  const found = /Of (\d+) cases (\d+) are deterministic; (\d+) of those pass/.exec(part);
  assert.ok(found, 'run npm run conformance:rego -- --write');
  const [cases, deterministic, passed] = found.slice(1).map(Number);
  assert.is(cases, (await loadCases()).length);
  assert.ok(passed! >= deterministic! * 0.95);
  const failures = part
    .split('| case that is not')[0]!
    .split('\n')
    .filter((line) => /^\| [a-z]+\//.test(line));
  assert.is(failures.length, deterministic! - passed!);
});

if (needs('go')) {
  test('the fixture is what OPA’s loader reads from its module', () => {
    const pinned = readFileSync(new URL('fixtures/cases.sha256', import.meta.url), 'utf8').trim();
    assert.is(digestOf(exportCases()), pinned);
  });
}

test.run();
