// Real policies with real edits: each must be found by generation alone, and equal policies must not flip.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PolicySources } from '../../../runtime/bundle/compile.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import { sampleAgent, sampleData } from '../../../runtime/testing/sample-data.ts';
import { policySources } from '../../commands/policy/sources.ts';
import { type DiffResult, diff } from './diff.ts';
import { WIDENING } from './judge.ts';
import type { Side } from './side.ts';

const root = mkdtempSync(join(tmpdir(), 'diff-'));
test.after(() => rmSync(root, { recursive: true, force: true }));
const compiler = await RegoCompiler.load();
const shipped = await policySources([]);
const sample = sampleData(40);

type Edit = [path: string, from: string, to: string];

function sideOf(sources: PolicySources, data: JsonObject = sample): Side {
  const { wasm, reads, files } = compiler.build(sources);
  return { label: 'test', wasm, reads, files, schemas: sources.schemas ?? {}, data };
}

/** The platform's own policies with an edit that must really be one. */
function edited(...[path, from, to]: Edit): Side {
  const files = shipped.files.map((file) => {
    if (file.path !== path) return file;
    assert.ok(file.content.includes(from), `${path} has no ${from}`);
    return { ...file, content: file.content.replace(from, to) };
  });
  return sideOf({ ...shipped, files });
}

let folders = 0;
/** The platform's policies with an operator's folder beside them. */
async function withOperator(files: Record<string, string>): Promise<Side> {
  const folder = join(root, String(folders++), 'operator');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  mkdirSync(folder, { recursive: true });
  return sideOf(await policySources([folder]));
}

const own = sideOf(shipped);
/** Enough for every stage of the search to reach what only some agents' grants allow. */
const MANY = 12_000;
const ask = (old: Side, now: Side, boundary: string, count = 6000): Promise<DiffResult> =>
  diff(old, now, { count, seed: '1', boundaries: [boundary], threads: 1 });
const kindsOf = ({ flips }: DiffResult) =>
  Object.fromEntries(flips.map(({ name, kind }) => [name, kind]));

test('equal policies never flip, and every boundary has requests that are allowed', async () => {
  const { flips, boundaries } = await diff(own, sideOf(shipped), { count: MANY, seed: '1' });
  assert.equal(flips, []);
  for (const { boundary, inputs, allowedOld, allowedNew } of boundaries) {
    assert.ok(inputs > 500, `${boundary}: ${inputs} inputs`);
    assert.ok(allowedOld > 0, `${boundary}: nothing was allowed`);
    assert.is(allowedOld, allowedNew);
  }
});

test('a condition that was dropped', async () => {
  const bound = 'credential_bound if data.operators[input.resource.registered_by].actions.operate';
  const now = edited(
    'credential/credential.rego',
    bound,
    'credential_bound if input.resource.registered_by',
  );
  const { flips } = await ask(own, now, 'credential');
  const flip = flips.find(({ name }) => name === 'credential:credential_not_bound:granted');
  assert.is(flip?.kind, 'deny_to_allow');
  assert.is(flip?.changed.now[0]?.title, 'An operator bound the credential');
});

test('< in place of <=, at the limit alone', async () => {
  const now = edited('bounds/bounds.rego', 'value <= most', 'value < most');
  const { flips } = await ask(own, now, 'message');
  const flip = flips.find(({ name }) => name === 'message:granted:agent_rate_exceeded');
  assert.is(flip?.kind, 'allow_to_deny');
  const { counters } = JSON.parse(flip!.example.input);
  const { limits } = sample as { limits: JsonObject };
  assert.is(counters.agent_minute, limits.message_agent_minute ?? 120);
  const back = kindsOf(await ask(now, own, 'message'));
  assert.is(back['message:agent_rate_exceeded:granted'], 'deny_to_allow');
});

test('a default limit that was raised by one', async () => {
  const now = edited(
    'secret/facts.rego',
    '"secret_agent_minute", 600',
    '"secret_agent_minute", 601',
  );
  const { flips } = await ask(own, now, 'secret');
  const widening = flips.filter(({ kind }) => kind === 'deny_to_allow');
  assert.ok(widening.length > 0);
  for (const { example } of widening) {
    const { agent_minute } = JSON.parse(example.input).counters;
    assert.ok(agent_minute > 600 && agent_minute <= 601);
  }
});

test('an approval that counts one moment longer', async () => {
  const late = edited(
    'tool/tool.rego',
    'input.context.time < input.approval.expires_at',
    'input.context.time <= input.approval.expires_at',
  );
  const asks = `package platform.tool.operator\n\nrequire_approval contains {"question": "?"} if input.action == "call"\n`;
  const operator = { path: 'operator/o/a.rego', content: asks, operator: true };
  const add = (side: Side) => sideOf({ ...shipped, files: [...side.files, operator] });
  const found = kindsOf(await ask(add(own), add(late), 'tool'));
  assert.is(found['tool:approval_required:approved'], 'deny_to_allow');
});

test('what an operator refuses: a wider prefix, a raised limit, a removed rule', async () => {
  const refuse = (name: string, limit: number) => `package platform.tool.operator

deny contains {"code": "large", "message": "too large"} if {
	startswith(input.resource.name, "${name}")
	input.arguments.amount > ${limit}
}
`;
  const base = await withOperator({ 'a.rego': refuse('orders_', 100) });
  const found = async (now: Promise<Side>) => (await ask(base, await now, 'tool', MANY)).flips;
  const [narrower] = (await found(withOperator({ 'a.rego': refuse('orders', 100) }))).filter(
    ({ name }) => name === 'tool:granted:operator.large',
  );
  assert.is(narrower?.kind, 'allow_to_deny');
  assert.not.match(JSON.parse(narrower!.example.input).resource.name, /^orders_/);
  const raised = await found(withOperator({ 'a.rego': refuse('orders_', 101) }));
  const [flip] = raised.filter(({ name }) => name === 'tool:operator.large:granted');
  assert.is(flip?.kind, 'deny_to_allow');
  const { amount } = JSON.parse(flip!.example.input).arguments;
  assert.ok(amount > 100 && amount <= 101);
  assert.equal(
    [flip!.places.old[0]?.file, flip!.places.old[0]?.row, flip!.changed.now[0]?.row],
    ['operator/operator/a.rego', 3, 3],
  );
  const removed = await found(withOperator({}));
  assert.ok(
    removed.some(
      ({ name, kind }) => name === 'tool:operator.large:granted' && kind === 'deny_to_allow',
    ),
  );
});

test('a tenant’s policy only narrows, and only its tenant, as soon as it is there', async () => {
  const closed = (condition: string) => `package platform.tool.tenant["tenant-3"]

deny contains {"code": "closed", "message": "closed"} if {
\tinput.action == "call"
\t${condition}
}
`;
  const all = await withOperator({ 'tenants/tenant-3/a.rego': closed('true') });
  const some = await withOperator({
    'tenants/tenant-3/a.rego': closed('input.arguments.amount > 4100'),
  });
  for (const now of [all, some]) {
    const { flips } = await ask(own, now, 'tool', MANY);
    const flip = flips.find(({ name }) => name === 'tool:granted:tenant.closed');
    assert.is(flip?.kind, 'allow_to_deny');
    assert.match(flip?.places.now[0]?.file ?? '', /tenants\/tenant-3\/a\.rego$/);
    for (const { kind, example } of flips) {
      assert.not.ok(WIDENING.has(kind), kind);
      const { identity } = JSON.parse(example.input);
      assert.ok([sampleAgent(3), sampleAgent(23)].includes(identity.spiffe_id));
    }
    // Taken away, it widens, and for its tenant alone.
    const back = kindsOf(await ask(now, own, 'tool', MANY));
    assert.is(back['tool:tenant.closed:granted'], 'deny_to_allow');
  }
});

test('one grant more for one agent of two hundred, in the data alone', async () => {
  const many = sampleData(200);
  const agents = structuredClone(many.agents) as Record<string, JsonObject>;
  const id = sampleAgent(137);
  const wider = {
    ...many,
    agents: {
      ...agents,
      [id]: {
        ...agents[id],
        resources: {
          ...(agents[id]!.resources as JsonObject),
          treasury: { actions: { read: true } },
        },
      },
    },
  };
  const { flips } = await ask({ ...own, data: many }, { ...own, data: wider }, 'tool');
  const flip = flips.find(({ name }) => name === 'tool:service_not_granted:granted');
  assert.is(flip?.kind, 'deny_to_allow');
  const { identity, resource } = JSON.parse(flip!.example.input);
  assert.equal([identity.spiffe_id, resource.service], [id, 'treasury']);
  assert.equal(flip!.changed, { old: [], now: [] });
});

test('the same seed finds the same, whatever the number of threads', async () => {
  const now = edited('bounds/bounds.rego', 'value <= most', 'value < most');
  const options = { count: 800, seed: 's', boundaries: ['message', 'sandbox'] };
  const one = await diff(own, now, { ...options, threads: 1 });
  const two = await diff(own, now, { ...options, threads: 2 });
  assert.ok(one.flips.length > 0);
  assert.equal(one, two);
});

test.run();
