// A certificate is accepted when it is right, and refused when anything of it was made up.
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  buildDataBundle,
  buildPolicyBundle,
  MODULES,
  POLICY_MODULE,
} from '../../../runtime/bundle/build.ts';
import { compilePolicies } from '../../../runtime/bundle/compile.ts';
import { readJson, setManifest } from '../../../runtime/bundle/revision.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import { sampleData } from '../../../runtime/testing/sample-data.ts';
import { compute } from './builtins.ts';
import { checkCertificate } from './check.ts';
import { type Property, readProperty } from './property.ts';
import { fromJson, RegoSet } from './values.ts';

const policies = fileURLToPath(new URL('../../../policies', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
const compiler = await RegoCompiler.load();

const grants = `package platform.credential

default allow := false

allow if {
	some _ in grants
	count(reasons) == 0
}

decision := {"allow": true, "controls": ["SOC2:CC6.1"]} if allow

else := {"allow": false, "controls": []}

grants contains "granted" if data.agents[input.identity.spiffe_id].resources[input.resource.service]

reasons contains "frozen" if data.agents[input.identity.spiffe_id].frozen
`;

await mkdir(join(folder, 'credential'));
await cp(join(policies, 'capabilities.json'), join(folder, 'capabilities.json'));
await writeFile(join(folder, 'credential/credential.rego'), grants);
await writeFile(join(folder, 'credential/input.schema.json'), '{}');

const id = (tenant: string, agent: string) =>
  `spiffe://platform.local/agent/${tenant}/${agent}/main`;
const entry = (tenant: string, agent: string, services: string[], more: JsonObject = {}) => ({
  [id(tenant, agent)]: {
    ...{ tenant, agent, role: 'main' },
    resources: Object.fromEntries(services.map((service) => [service, { actions: {} }])),
    ...more,
  },
});

const policy = buildPolicyBundle(await compilePolicies(folder));
const data = buildDataBundle({
  agents: {
    ...entry('acme', 'bot', ['bank', 'mail']),
    ...entry('acme', 'clerk', ['mail']),
    ...entry('globex', 'bot', ['files', 'bank'], { frozen: true }),
    ...entry('globex', 'clerk', ['files']),
  },
});

const cases = [
  ['acme', 'bot', 'bank'],
  ['acme', 'bot', 'mail'],
  ['acme', 'clerk', 'mail'],
  ['globex', 'clerk', 'files'],
].map(([tenant, agent, service]) => ({
  when: { '/identity/spiffe_id': id(tenant!, agent!), '/resource/service': service! },
}));

const right = {
  format: 'platform/policy-proof/v1',
  property: { text: 'no identity outside tenant acme reaches service bank at credential' },
  bundle: { policy: policy.revision, data: data.revision },
  entrypoint: 'platform/credential/decision',
  assumptions: [],
  cases,
};

const check = (certificate: unknown, files = policy.files) =>
  checkCertificate({
    ...{ certificate: certificate as JsonValue, compiler },
    ...{ policy: files, data: data.files },
  });

async function refuses(certificate: unknown, code: string, files = policy.files) {
  const answer = await check(certificate, files);
  assert.is(answer.ok, false);
  assert.is(answer.problems[0]?.code, code, JSON.stringify(answer.problems));
}

test('a right certificate is accepted, and says what was checked', async () => {
  const answer = await check(right);
  assert.equal(answer.problems, []);
  assert.ok(answer.ok);
  assert.is(answer.checked.cases, 4);
  assert.ok(answer.checked.combinations > 4);
  assert.equal(answer.revision, right.bundle);
  assert.match(answer.summary, /at credential: 4 cases hold it/);
});

test('a certificate that leaves out any case is refused, with the input that it forgot', async () => {
  for (const dropped of cases) {
    const answer = await check({ ...right, cases: cases.filter((one) => one !== dropped) });
    assert.is(answer.ok, false);
    assert.is(answer.problems[0]?.code, 'not_covered');
    for (const value of Object.values(dropped.when))
      assert.match(answer.problems[0]!.message, value);
  }
});

test('more cases than the policy allows prove the same', async () => {
  const when = { '/identity/spiffe_id': id('acme', 'clerk'), '/resource/service': 'bank' };
  assert.ok((await check({ ...right, cases: [...cases, { when }] })).ok);
});

test('a case that breaks the sentence is refused, allowed or not', async () => {
  const when = { '/identity/spiffe_id': id('globex', 'bot'), '/resource/service': 'bank' };
  await refuses({ ...right, cases: [...cases, { when }] }, 'property_broken');
  // A registered identity of another form, and the same name in another trust domain’s tenant.
  for (const other of ['spiffe://platform.local/operator/local', id('acmeX', 'bot'), 7, null]) {
    const foreign = { '/identity/spiffe_id': other, '/resource/service': 'bank' };
    await refuses({ ...right, cases: [...cases, { when: foreign }] }, 'property_broken');
  }
});

test('swapped identities are refused', async () => {
  const swapped = cases.map(({ when }) => ({
    when: { ...when, '/identity/spiffe_id': when['/identity/spiffe_id'].replace('acme', 'globex') },
  }));
  assert.is((await check({ ...right, cases: swapped })).ok, false);
});

test('each sentence is read by the checker itself', async () => {
  const says = (text: string) => ({ ...right, property: { text, kind: 'tenant_only' } });
  await refuses(
    says('no identity outside tenant globex reaches service bank at credential'),
    'property_broken',
  );
  await refuses(says('no identity outside tenant acme reaches service bank'), 'entrypoint_differs');
  await refuses(
    says('agents acme/bot and acme/clerk share no service at credential'),
    'property_broken',
  );
  await refuses(says('agents bot and clerk share no service at credential'), 'property_invalid');
  await refuses(
    says('agents acme/bot and acme/nobody share no service at credential'),
    'property_invalid',
  );
  await refuses(
    says('agents acme/bot and globex/bot cannot talk at credential'),
    'property_invalid',
  );
  await refuses(says('everything is well'), 'property_invalid');
  assert.ok(
    (await check(says('agents acme/bot and globex/clerk share no service at credential'))).ok,
  );
  const everything = { ...right, cases: [{ when: {} }] };
  const carries = (control: string) => ({
    ...everything,
    property: { text: `every allow of credential carries control ${control}` },
  });
  assert.ok((await check(carries('SOC2:CC6.1'))).ok);
  await refuses(carries('SOC2:CC6.2'), 'not_shown');
  await refuses(everything, 'case_incomplete');
});

test('a sentence with characters that are not what they look like is refused', async () => {
  const sentence = 'agents acme/bot and globex/clerk share no service at credential';
  for (const bad of ['\u200b', '\u043e', '\x1b[2K', '\x7f', '\u00a0', '\u202e', '\n', '\ud800']) {
    for (const at of [0, 15, sentence.length]) {
      const text = sentence.slice(0, at) + bad + sentence.slice(at);
      await refuses({ ...right, property: { text } }, 'sentence_characters');
    }
  }
  const text = 'no identity outside tenant acme reaches service b\u0430nk at credential';
  await refuses({ ...right, property: { text } }, 'sentence_characters');
});

test('a sentence about a tenant, a service or a scope that nothing knows is refused', async () => {
  for (const [text, why] of [
    [
      'no identity outside tenant acne reaches service bank at credential',
      'no agent of tenant acne',
    ],
    ['no identity outside tenant acme reaches service bnak at credential', 'nothing .* bnak'],
    ['only acme/bot reach secret scope spiffe://platform.local/agent/acne/*', 'nothing .*/acne'],
  ] as const) {
    const answer = await check({ ...right, property: { text } });
    assert.is(answer.problems[0]?.code, 'property_invalid');
    assert.match(answer.summary, new RegExp(why));
  }
  const agents = data.files.get('data.json')!;
  const value = fromJson(JSON.parse(Buffer.from(agents).toString()));
  const scope = (name: string, sources: string[] = []) =>
    readProperty(`only acme/bot reach secret scope ${name}`, value, new Set(sources));
  assert.type(scope('spiffe://platform.local/agent/acm/*'), 'string');
  assert.type(scope('s'), 'string');
  assert.type(scope('s', ['s']), 'object');
  const known = scope('spiffe://platform.local/agent/acme/*');
  assert.match((known as Property).note!, /^reads are not covered/);
});

test('concat over a set is not computed, because its order is the module’s own', () => {
  assert.is(compute('concat', [',', new RegoSet(['b', 'a'])]), 'unknown');
  assert.equal(compute('concat', [',', ['b', 'a']]), { value: 'b,a' });
});

test('a certificate about other bundles is refused', async () => {
  const other = `sha256:${'0'.repeat(64)}`;
  await refuses({ ...right, bundle: { ...right.bundle, policy: other } }, 'revision_differs');
  await refuses({ ...right, bundle: { ...right.bundle, data: other } }, 'revision_differs');
});

test('a bundle whose module is not what its sources compile to is refused', async () => {
  const changed = (change: (files: Map<string, Uint8Array>) => void) => {
    const files = new Map(policy.files);
    change(files);
    const { roots } = readJson(files, '.manifest') as { roots: string[] };
    const revision = setManifest(files, { roots, rego_version: 1 });
    return [{ ...right, bundle: { ...right.bundle, policy: revision } }, files] as const;
  };
  const [kinder, loose] = changed((files) =>
    files.set(
      'credential/credential.rego',
      Buffer.from(grants.replace('count(reasons) == 0', 'true')),
    ),
  );
  await refuses(kinder, 'module_differs', loose);
  const [swapped, module] = changed((files) => {
    const bytes = Buffer.from(files.get(POLICY_MODULE)!);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    files.set(POLICY_MODULE, bytes);
  });
  await refuses(swapped, 'module_differs', module);
  const [reads, blind] = changed((files) => {
    const listed = readJson(files, MODULES);
    listed.reads = { 'platform/credential/decision': ['/resource'] };
    files.set(MODULES, Buffer.from(JSON.stringify(listed)));
  });
  await refuses(reads, 'module_differs', blind);
  for (const name of ['data.json', 'credential/extra_test.rego', 'platform/data.yaml']) {
    const [more, added] = changed((files) => files.set(name, Buffer.from('package platform.x')));
    await refuses(more, 'bundle_file_unexpected', added);
  }
});

test('hostile certificates are refused, and never throw', async () => {
  const when = cases[0]!.when;
  const bad: unknown[] = [
    ...[null, 1, 'x', [], {}, { ...right, format: 'platform/policy-proof/v2' }],
    { ...right, extra: 1 },
    { ...right, cases: {} },
    { ...right, cases: [{}] },
    { ...right, cases: [{ when, more: 1 }] },
    { ...right, cases: [{ when: { ...when, '/resource/service': { a: 1 } } }] },
    { ...right, cases: [{ when: { ...when, '/resource/service': 0.5 } }] },
    { ...right, cases: [{ when }, { when: { '/identity/spiffe_id': 'x' } }] },
    { ...right, cases: [{ when: { '/list/0': 'x' } }] },
    { ...right, cases: [{ when: { 'no-pointer': 'x' } }] },
    { ...right, cases: [{ when: { '/a~2b': 'x' } }] },
    { ...right, cases: [{ when: { '/a': 1, '/b': 1, '/c': 1, '/d': 1, '/e': 1 } }] },
    { ...right, entrypoint: 'platform/credential/allow' },
    { ...right, assumptions: 'none' },
    JSON.parse('{"__proto__": {"format": "platform/policy-proof/v1"}}'),
    { ...right, cases: new Array(100_001).fill({ when }) },
  ];
  for (const certificate of bad) await refuses(certificate, 'certificate_invalid');
  await refuses(
    { ...right, cases: [...cases, { when: JSON.parse('{"/__proto__/x": 1, "/b": 2}') }] },
    'certificate_invalid',
  );
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => {
      assert.is((await check(value as JsonValue)).ok, false);
      const odd = await check({
        ...right,
        bundle: { policy: 'x', data: 'y' },
        cases: [{ when: value }],
      });
      assert.is(odd.ok, false);
    }),
    { numRuns: 100 },
  );
});

test('the platform’s own policies are followed without a doubt', async () => {
  const own = buildPolicyBundle(await compilePolicies(policies));
  const sample = buildDataBundle(sampleData(40));
  const holds = (boundary: string, control: string) =>
    checkCertificate({
      certificate: {
        ...right,
        property: { text: `every allow of ${boundary} carries control ${control}` },
        bundle: { policy: own.revision, data: sample.revision },
        entrypoint: `platform/${boundary}/decision`,
        cases: [{ when: {} }],
      },
      compiler,
      policy: own.files,
      data: sample.files,
    });
  for (const [boundary, control] of [
    ['credential', 'NIST:IA-5'],
    ['message', 'NIST:AC-4'],
    ['exchange', 'SOC2:CC6.1'],
  ] as const) {
    const answer = await holds(boundary, control);
    assert.ok(answer.ok, answer.summary);
  }
  assert.is((await holds('credential', 'NIST:AC-4')).ok, false);
});

test.after(() => rm(folder, { recursive: true, force: true }));

test.run();
