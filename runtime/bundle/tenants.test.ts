// Whatever a tenant writes, it narrows what its own agents may do, and nobody else's decisions change.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { Authorization } from '../modules/authorization.ts';
import { Record as RecordModule } from '../modules/record.ts';
import { RegoCompiler, type RegoFile } from '../modules/rego.ts';
import { moduleBytes } from '../modules/source.ts';
import { sampleAgent, sampleData } from '../testing/sample-data.ts';
import { sampleRequests } from '../testing/sample-requests.ts';
import { tenantPolicies } from '../testing/tenant-policies.ts';
import { readPolicies } from './compile.ts';
import { ownerOf, withTenants } from './tenants.ts';
import { POLICIES } from './testing.ts';

// Some boundaries stand for all: each passes on contributions in the same words.
const boundaries = ['credential', 'exchange', 'mesh', 'message', 'tool'];
const whole = await readPolicies(POLICIES);
const others = Object.keys(whole.schemas ?? {}).filter((name) => !boundaries.includes(name));
const own = {
  ...whole,
  files: whole.files.filter(
    ({ path }) => !others.includes(path.split('/')[0]!) && !path.endsWith('_test.rego'),
  ),
  schemas: Object.fromEntries(boundaries.map((name) => [name, whole.schemas![name]!])),
  entrypoints: boundaries.map((boundary) => `platform/${boundary}/decision`),
};
const compiler = await RegoCompiler.load();
const data = Buffer.from(JSON.stringify(sampleData(220)));
/** Half of the sample's tenants write policies. */
const writers = Array.from({ length: 10 }, (_, number) => `tenant-${number}`);

const file = (tenant: string, content: string): RegoFile => ({
  path: `operator/mine/tenants/${tenant}/policy.rego`,
  content,
  tenant,
});
const sourcesWith = (files: readonly RegoFile[]) => ({
  ...own,
  files: withTenants([...own.files, ...files], boundaries),
});

function built(files: readonly RegoFile[]): Authorization {
  const { wasm, reads } = compiler.build({ ...sourcesWith(files), schemas: {} });
  return Authorization.create({ wasm, data, reads });
}

function answered(policies: Authorization, boundary: string, input: Uint8Array): string {
  try {
    return Buffer.from(
      policies.decideBytes(`platform/${boundary}/decision`, input).bytes,
    ).toString();
  } catch (error) {
    return codeOf(error);
  }
}

interface Question {
  boundary: string;
  input: Uint8Array;
  /** By the entries of who asks and, between agents, who is asked; of a deploy, whose agent it is. */
  tenants: (string | undefined)[];
}

const entries = sampleData(220).agents as JsonObject;
/** The tenant of the agent that a member of the input names. */
function tenantOf(value: unknown): string | undefined {
  const entry = isJsonObject(value) ? entries[value.spiffe_id as string] : undefined;
  return isJsonObject(entry) ? (entry.tenant as string) : undefined;
}

function tenantsOf(boundary: string, value: unknown): (string | undefined)[] {
  if (!isJsonObject(value)) return [];
  if (boundary === 'exchange') return [tenantOf(value)];
  if (boundary === 'message') return [tenantOf(value.identity), tenantOf(value.target)];
  if (boundary !== 'deploy') return [tenantOf(value.identity)];
  return isJsonObject(value.resource) ? [value.resource.tenant as string] : [];
}

const questions: Question[] = [];
const record = RecordModule.create(moduleBytes('record'));
for (const request of sampleRequests(3000, 11)) {
  const { boundary, module } = request;
  if (module !== 'authorization' || !boundaries.includes(boundary)) continue;
  let input: Uint8Array;
  try {
    input = record.canonicalize(request.input);
  } catch {
    continue;
  }
  const value: unknown = JSON.parse(Buffer.from(input).toString());
  questions.push({ boundary, input, tenants: tenantsOf(boundary, value) });
}

/** The files that compile beside each other; every refused one is named by a finding. */
function accepted(files: RegoFile[]): RegoFile[] {
  // Without the schemas, so that members which no input has can be read as well.
  const check = compiler.check({ ...sourcesWith(files), schemas: {} });
  if (check.ok) return files;
  const refused = new Set(check.errors.map((finding) => finding.file));
  const left = files.filter(({ path }) => !refused.has(path));
  assert.ok(left.length < files.length, JSON.stringify(check.errors));
  return accepted(left);
}

interface Output {
  allow?: unknown;
  obligations?: unknown[];
}

function read(text: string): Output {
  return text.startsWith('{') ? (JSON.parse(text) as Output) : {};
}

function assertNarrowed(before: string, after: string, what: string): boolean {
  const [without, with_] = [read(before), read(after)];
  if (with_.allow !== true) return without.allow === true;
  assert.is(without.allow, true, `${what} was refused without the tenant's policy`);
  const obliged = new Set(with_.obligations?.map((each) => JSON.stringify(each)));
  for (const obligation of without.obligations ?? []) {
    assert.ok(obliged.has(JSON.stringify(obligation)), `${what} lost an obligation`);
  }
  return before !== after;
}

test('generated policies of tenants only narrow, and only for their own agents', () => {
  const plain = built([]);
  const before = questions.map(({ boundary, input }) => answered(plain, boundary, input));
  let compiled = 0;
  let narrowed = 0;
  const rounds = fc.sample(fc.tuple(...writers.map(() => tenantPolicies(boundaries))), {
    numRuns: 3,
    seed: 3,
  });
  for (const [round, texts] of rounds.entries()) {
    const files = accepted(
      texts.map((text, n) => file(writers[n]!, text.replaceAll('TENANT', writers[n]!))),
    );
    compiled += files.length;
    const all = built(files);
    const absent = files[round % files.length];
    const rest = built(files.filter((each) => each !== absent));
    for (const [index, { boundary, input, tenants }] of questions.entries()) {
      const after = answered(all, boundary, input);
      const what = `${tenants} ${Buffer.from(input).toString()} with ${JSON.stringify(files)}`;
      if (files.some((each) => tenants.includes(each.tenant))) {
        if (assertNarrowed(before[index]!, after, what)) narrowed++;
      } else assert.is(after, before[index], what);
      if (!tenants.includes(absent?.tenant))
        assert.is(answered(rest, boundary, input), after, what);
    }
  }
  assert.ok(compiled > 7, `${compiled} policies`);
  assert.ok(narrowed > 15, `${narrowed} decisions`);
});

/** A mesh connection of a sample agent, who says that it is another tenant's. */
function connection(number: number, stated: string): Uint8Array {
  const spiffe_id = sampleAgent(number);
  return Buffer.from(
    JSON.stringify({
      action: 'connect',
      identity: {
        spiffe_id,
        trust_domain: 'platform.local',
        tenant: stated,
        agent: 'a',
        role: 'main',
      },
      resource: { kind: 'service', name: 'gateway' },
      context: { time: '2026-01-01T00:00:00.000Z', request_id: 'r' },
    }),
  );
}

test('the tenant is that of the entry, not the one that the caller states', () => {
  const closed = file(
    'tenant-2',
    'package platform.mesh.tenant["tenant-2"]\n\ndeny contains {"code": "closed"}\n',
  );
  const policies = built([closed]);
  for (const stated of ['tenant-1', 'tenant-2', '']) {
    const rule = (number: number) =>
      (JSON.parse(answered(policies, 'mesh', connection(number, stated))) as JsonObject).rule;
    assert.is(rule(2), 'platform.mesh.tenant.closed', stated);
    assert.is(rule(1), 'platform.mesh.agent_admitted', stated);
  }
});

test('rules that conflict or never end cost only the decisions of their tenant', () => {
  const list = '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]';
  const loops = [...'abcdefghijkl'].map((name) => `some ${name} in ${list}`).join('\n\t');
  const policies = built([
    file(
      'tenant-1',
      `package platform.mesh.tenant["tenant-1"]\n\nx := 1 if input.action\n\nx := 2 if input.identity\n\ndeny contains x\n`,
    ),
    file(
      'tenant-2',
      `package platform.mesh.tenant["tenant-2"]\n\ndeny contains 1 if {\n\t${loops}\n\ta + b + c + d + e + f + g + h + i + j + k + l == -1\n}\n`,
    ),
  ]);
  const plain = built([]);
  assert.is(answered(policies, 'mesh', connection(1, '')), 'module_trapped');
  for (const number of [0, 3, 4, 5]) {
    const input = connection(number, 'tenant-2');
    assert.is(answered(policies, 'mesh', input), answered(plain, 'mesh', input));
  }
});

const refused: [string, string][] = [
  ['tenant_package_required', 'package platform.tool.tenant.other'],
  ['tenant_package_required', 'package platform.tool.operator'],
  ['tenant_package_required', 'package platform.tool.tenant.acme.more'],
  ['tenant_boundary_unknown', 'package platform.tols.tenant.acme'],
];
for (const [code, rule] of [
  ['tenant_contribution_invalid', 'deny := false'],
  ['tenant_contribution_invalid', 'default oblige := false'],
  ['tenant_contribution_invalid', 'require_approval.a contains 1'],
  ['tenant_rule_reserved', 'grants contains 1'],
  ['tenant_import_forbidden', 'import data.agents'],
  ['tenant_with_forbidden', 'deny contains 1 if input.a with input as {"a": 1}'],
  ['tenant_input_shadowed', 'deny contains 1 if { some input in [1]; input }'],
  ['tenant_input_shadowed', 'deny contains 1 if { some [_, input] in [[1, 2]]; input }'],
  ['tenant_reference_forbidden', 'deny contains data'],
  ['tenant_reference_forbidden', 'deny contains 1 if data.agents[_].tenant'],
  ['tenant_reference_forbidden', 'deny contains 1 if data.agents["spiffe://a/b"]'],
  ['tenant_reference_forbidden', 'deny contains 1 if data.tenants.other.open'],
  ['tenant_reference_forbidden', 'deny contains $"{data.limits.agent_minute}"'],
  ['tenant_reference_forbidden', 'a[data.limits.x] := 1'],
  ['tenant_reference_forbidden', 'x := 1 if input.a else := data.limits'],
  ['tenant_reference_forbidden', 'f(x) := data.platform.tool.allow if x'],
]) {
  refused.push([code!, `package platform.tool.tenant.acme\n\n${rule}`]);
}
for (const [code, text] of refused) {
  test(`${code}: ${text.split('\n').at(-1)}`, () => {
    const { errors } = compiler.check(sourcesWith([file('acme', `${text}\n`)]));
    assert.ok(
      errors.some((finding) => finding.code === code && finding.hint && finding.row),
      JSON.stringify(errors),
    );
  });
}

test('a folder names its tenants, and the bundle carries the rules that choose', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenants-'));
  try {
    mkdirSync(join(folder, 'tenants', 'acme.corp-1'), { recursive: true });
    const text = 'package platform.tool.tenant["acme.corp-1"]\n\ndeny contains 1\n';
    writeFileSync(join(folder, 'tenants', 'acme.corp-1', 'tool.rego'), text);
    const { files } = await readPolicies([POLICIES, folder]);
    assert.is(files.find(({ tenant }) => tenant !== undefined)?.tenant, 'acme.corp-1');
    const paths = files.filter(({ generated }) => generated).map(({ path }) => path);
    const every = Object.keys(whole.schemas ?? {}).sort();
    assert.equal(
      paths,
      every.map((boundary) => `tenants/${boundary}.rego`),
    );
    assert.is(compiler.check({ ...whole, files }).ok, true);
    assert.equal(
      compiler.format(files).files.map(({ path }) => path),
      [],
    );
    // As when a bundle's sources are read again.
    const again = files.map(({ path, content }) => ({ path, content, ...ownerOf(path) }));
    const read = files.map(({ origin, ...rest }) => rest);
    assert.equal(withTenants(again, every), read);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('without tenants nothing is added', () => {
  assert.equal(
    own.files.some(({ path }) => path.startsWith('tenants/')),
    false,
  );
});

for (const path of [
  'tenants/acme.rego',
  'sub/tenants/acme/a.rego',
  'Tenants/acme/a.rego',
  'tenants/acme/tenants/b/a.rego',
]) {
  test(`nobody owns ${path}`, () => {
    assert.throws(() => ownerOf(`operator/mine/${path}`), /not clear whose/);
  });
}

test('no line separator makes a tenant an operator', () => {
  assert.equal(ownerOf('operator/mine/tenants/acme/x\u2028y.rego'), { tenant: 'acme' });
});

for (const name of ['a b', 'a%2fb', '..', 'ü', 'x'.repeat(64), '"']) {
  test(`no tenant is called ${name}`, () => {
    assert.throws(() => ownerOf(`operator/mine/tenants/${name}/a.rego`), /cannot be the name/);
  });
}

test.run();
