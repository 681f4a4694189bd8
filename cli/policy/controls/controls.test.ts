// The catalogue is in order, every control that a shipped policy names is in it, and the report is what the rules say.
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPolicies } from '../../../runtime/bundle/compile.ts';
import { BOUNDARIES } from '../../../runtime/decide/boundary.ts';
import { RegoCompiler, type RegoRule } from '../../../runtime/modules/rego.ts';
import { knownControls, readCatalogue } from './catalogue.ts';
import { controlsReport } from './report.ts';

const policies = fileURLToPath(new URL('../../../policies', import.meta.url));
const catalogue = await readCatalogue();

const rule = (path: string, controls: string[]): RegoRule => ({
  ...{ path, file: 'x.rego', row: 3, title: `title of ${path}` },
  custom: { controls },
});

test('every id belongs to a framework with a source, and leads to others', () => {
  for (const id of knownControls(catalogue)) {
    const [framework = ''] = id.split(':');
    assert.ok(catalogue.frameworks[framework]?.source, id);
    assert.match(id, /^[A-Z0-9]+:[A-Za-z0-9.()-]+$/);
  }
  for (const [id, also] of Object.entries(catalogue.controls)) {
    assert.is(new Set(also).size, also.length, id);
    assert.ok(also.every((other) => other.split(':')[0] !== id.split(':')[0]));
  }
});

test('a rule supports its control and what asks for the same elsewhere, at its boundary', () => {
  const { frameworks, unknown } = controlsReport(
    [rule('data.platform.tool.grants', ['NIST:AC-6']), rule('data.platform.mesh.reasons', ['X:1'])],
    catalogue,
  );
  const of = (name: string) => frameworks[name]?.supported.find(({ id }) => id.endsWith('AC-6'));
  assert.equal(of('NIST')?.boundaries, { tool: ['title of data.platform.tool.grants'] });
  assert.equal(of('FEDRAMP')?.boundaries, of('NIST')?.boundaries);
  assert.ok(frameworks.PCI?.supported.some(({ id }) => id === 'PCI:7.2'));
  assert.ok(frameworks.NIST?.none.includes('NIST:AC-4'));
  assert.equal(unknown, [{ id: 'X:1', file: 'x.rego', row: 3 }]);
});

test('what any row of evidence supports needs no rule', () => {
  const { frameworks } = controlsReport([], catalogue);
  const logged = frameworks.NIST?.supported.find(({ id }) => id === 'NIST:AU-12');
  assert.equal(Object.keys(logged?.boundaries ?? {}), ['every decision']);
});

test('every control that a policy of the platform names is known, and each boundary supports some', async () => {
  const { rules } = (await RegoCompiler.load()).check(await readPolicies(policies));
  const report = controlsReport(rules, catalogue);
  assert.equal(report.unknown, []);
  const boundaries = new Set(
    Object.values(report.frameworks).flatMap(({ supported }) =>
      supported.flatMap((control) => Object.keys(control.boundaries)),
    ),
  );
  for (const boundary of BOUNDARIES) {
    assert.ok(boundaries.has(boundary), boundary);
  }
});

test.run();
