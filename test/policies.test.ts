// Every policy that comes with the platform, boundaries and examples, is covered by tests and documented.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { groupOf, isTest } from '../cli/policy/mutate/groups.ts';
import { type PolicySources, readPolicies } from '../runtime/bundle/compile.ts';
import { RegoCompiler } from '../runtime/modules/rego.ts';
import type { AstModule, AstRule, AstTerm } from '../runtime/modules/rego-ast.ts';

const policies = fileURLToPath(new URL('../policies', import.meta.url));
const examples = fileURLToPath(new URL('../examples/policies', import.meta.url));
const compiler = await RegoCompiler.load();

const folders: { name: string; sources: PolicySources }[] = [];
const platform = await readPolicies(policies);
for (const folder of new Set(platform.files.map(({ path }) => path.split('/')[0]!))) {
  folders.push({ name: folder, sources: platform });
}
for (const { name } of readdirSync(examples, { withFileTypes: true }).filter((entry) =>
  entry.isDirectory(),
)) {
  const sources = await readPolicies([policies, `${examples}/${name}`]);
  folders.push({ name: `operator/${name}`, sources });
}

for (const { name, sources } of folders) {
  test(`${name}: its own tests pass and reach every line`, () => {
    const group = groupOf(sources, name);
    const answer = compiler.test(group.sources);
    assert.equal(answer.errors, []);
    assert.equal(
      answer.tests.filter(({ pass }) => !pass).map((outcome) => outcome.name),
      [],
    );
    assert.ok(answer.tests.length > 0);
    for (const { path } of group.targets) assert.equal(answer.coverage.files[path], [], path);
  });

  test(`${name}: every rule has a title and controls, and cites its own`, () => {
    const { targets } = groupOf(sources, name);
    assert.ok(targets.length > 0);
    const parsed = compiler.parse({ ...sources, files: targets });
    assert.equal(parsed.errors, []);
    assert.equal(undocumented(Object.values(parsed.modules)), []);
  });
}

/** The places of rules that lack a title or controls, or whose element has other controls than it. */
function undocumented(modules: readonly AstModule[]): string[] {
  const packages = modules.flatMap(({ annotations = [] }) =>
    annotations.filter(({ scope }) => scope === 'package' || scope === 'subpackages'),
  );
  const inherited = packages.some(({ custom }) => isControls(custom?.controls));
  const rules = modules.flatMap(({ rules = [] }) => rules);
  const documented = new Map<string, AstRule>();
  for (const rule of rules) {
    if (rule.annotations?.some(({ title }) => title)) documented.set(nameOf(rule), rule);
  }
  return rules.flatMap((rule) => {
    const place = `${rule.location?.file}:${rule.location?.row} ${nameOf(rule)}`;
    const about = (rule.annotations ? rule : documented.get(nameOf(rule)))?.annotations;
    if (!about?.some(({ title }) => title)) return [`${place} has no title`];
    const stated = about.map(({ custom }) => custom?.controls).find(isControls);
    if (stated === undefined && !inherited) return [`${place} has no controls`];
    const cited = citedControls(rule.head.key);
    const same = cited === undefined || JSON.stringify(cited) === JSON.stringify(stated);
    return same ? [] : [`${place} cites ${cited}, but its METADATA has ${stated ?? 'no controls'}`];
  });
}

function isControls(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === 'string');
}

function nameOf(rule: AstRule): string {
  return String(rule.head.ref[0]?.value);
}

/** The controls that the element of a set is written with. */
function citedControls(element: AstTerm | undefined): string[] | undefined {
  if (element?.type !== 'object') return undefined;
  const members = element.value as [AstTerm, AstTerm][];
  const controls = members.find(([key]) => key.value === 'controls')?.[1];
  if (controls?.type !== 'array') return undefined;
  return (controls.value as AstTerm[]).map(({ value }) => String(value));
}

test('a rule without metadata is found', () => {
  const content = `# METADATA
# title: T
package platform.x

a := 1

# METADATA
# title: B
b := 1

# METADATA
# title: C
# custom:
#   controls: ["A"]
deny contains {"controls": ["B"]} if input.c

# METADATA
# title: D
# custom:
#   controls: ["A"]
d contains {"controls": ["A"]} if input.d
`;
  const { modules } = compiler.parse({ ...platform, files: [{ path: 'x.rego', content }] });
  assert.equal(undocumented(Object.values(modules)), [
    'x.rego:5 a has no title',
    'x.rego:9 b has no controls',
    'x.rego:15 deny cites B, but its METADATA has A',
  ]);
  assert.is(isTest('x.rego'), false);
});

test.run();
