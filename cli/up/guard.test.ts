// `platform up --guarded` in a real process: what widens is refused, named and on record, until it is accepted.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EvidenceDraft } from '../../runtime/evidence/row.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { eventually } from '../../runtime/testing/eventually.ts';
import { Guard } from './guard.ts';
import { runCli, startMachine, type TestMachine } from './testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'guard-'));
const stateDir = join(folder, 'state');
const policies = join(folder, 'policies');
const agent = 'spiffe://platform.local/agent/acme/bot/main';
const flip = 'tool:operator.large:granted';
let machine: TestMachine;

const write = (name: string, value: unknown) =>
  writeFileSync(join(policies, name), typeof value === 'string' ? value : JSON.stringify(value));
const limit = (amount: number) => `package platform.tool.operator

deny contains {"code": "large", "message": "too large"} if {
	input.resource.name == "orders_refund"
	input.arguments.amount > ${amount}
}
`;
const grants = (...services: string[]) => ({
  agents: {
    [agent]: {
      ...{ tenant: 'acme', agent: 'bot', role: 'main', credentials: {} },
      resources: Object.fromEntries(services.map((name) => [name, { actions: { read: true } }])),
    },
  },
});
/** The one that the terminal named last. */
const change = () =>
  [...machine.cli.output.matchAll(/"change":"([0-9a-f]{16})"/g)].at(-1)?.[1] ?? 'none';
const bundles = async () =>
  (await machine.control.call('GET', '/api/v1/status')).bundles as JsonObject;

const test = suite('guard');
test.before(async () => {
  mkdirSync(policies);
  write('mine.rego', limit(100));
  write('data.json', grants('orders'));
  machine = await startMachine(stateDir, ['--policies', policies, '--guarded']);
});
test.after(async () => {
  await machine.cli.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('a raised limit is refused by name, in the terminal, in the status and in evidence', async () => {
  const before = await bundles();
  assert.not.ok('error' in before);
  write('mine.rego', limit(101));
  await machine.cli.printed(
    /policy refused the change lets through .*tool:operator\.large:granted/,
  );
  assert.match(machine.cli.output, /mine\.rego:3: tool:operator\.large:granted/);
  assert.match(machine.cli.output, /platform policy diff .*accepted-flips\.json/);
  const after = await bundles();
  assert.is(after.policy, before.policy, 'the last good one serves on');
  assert.equal([after.error_code, after.flips], ['bundle_flip_unaccepted', [flip]]);
  const shown = await runCli(['audit', 'show', '--json', '--limit', '200', '--state', stateDir]);
  const rows = shown.output.split('\n').filter((line) => line.includes('bundle_flip_unaccepted'));
  const [row] = rows.map((line) => JSON.parse(line));
  assert.is(row.subject.in_force, before.policy);
  const rules = { from: 'platform.tool.operator.large', to: 'platform.tool.granted' };
  assert.equal(row.detail.flips, [
    { name: flip, kind: 'deny_to_allow', ...rules, change: change() },
  ]);
  assert.is(
    (await runCli(['audit', '--verify', '--stored-openings', '--state', stateDir])).code,
    0,
  );
});

test('a flip that the change accepts comes into force, and a lowered limit needs nothing', async () => {
  const entry = {
    ...{ name: flip, boundary: 'tool', why: 'the desk may refund 101', change: change() },
    ...{ from: 'platform.tool.operator.large', to: 'platform.tool.granted' },
  };
  write('accepted-flips.json', { accepted: [entry] });
  await machine.cli.printed(/policy in force/);
  await eventually(async () => !('error' in (await bundles())));
  const from = machine.cli.output.length;
  write('mine.rego', limit(50));
  await machine.cli.printed(/policy in force/, from);
});

test('a tenant’s new policy needs nothing, and a weaker one is refused by name', async () => {
  const closed = (...conditions: string[]) => `package platform.tool.tenant.acme

deny contains {"code": "closed", "message": "closed"} if {
\t${['input.resource.name == "orders_close"', ...conditions].join('\n\t')}
}
`;
  mkdirSync(join(policies, 'tenants/acme'), { recursive: true });
  const start = machine.cli.output.length;
  write('tenants/acme/closed.rego', closed());
  await machine.cli.printed(/policy in force/, start);
  const { policy } = await bundles();
  const from = machine.cli.output.length;
  write('tenants/acme/closed.rego', closed('input.arguments.amount > 10'));
  await machine.cli.printed(/policy refused .*tool:tenant\.closed:granted/, from);
  assert.is((await bundles()).policy, policy);
  write('tenants/acme/closed.rego', closed());
  await eventually(async () => !('error' in (await bundles())));
});

test('a comparison that is cut short refuses below the minimum, and says so above it', async () => {
  const rows: EvidenceDraft[] = [];
  const told: string[] = [];
  const guard = (comparedMin: number) =>
    new Guard({
      ...{ state: machine.state, folders: [], limits: { compareMs: 1, comparedMin } },
      evidence: { append: async (row: EvidenceDraft) => void rows.push(row) } as never,
      onPartial: (what) => told.push(what),
    });
  const strict = guard(1000);
  const error = await strict.check(undefined, grants('orders', 'mail')).catch((each) => each);
  assert.is(error.code, 'bundle_flip_unaccepted');
  assert.match(
    error.message,
    /could not be compared well enough, cut short after 0\.001 s: .*tool 0 of/,
  );
  assert.equal([rows.length, rows[0]?.reason?.code, told], [1, 'bundle_flip_unaccepted', []]);
  assert.is(strict.partial(), undefined);
  const lenient = guard(0);
  await lenient.check(undefined, grants('orders', 'mail'));
  assert.match(lenient.partial() ?? '', /^cut short/);
  assert.equal([rows.length, told], [1, [lenient.partial()]]);
});

test('a grant in data.json is held to the same, also at the next start', async () => {
  const before = await bundles();
  rmSync(join(policies, 'accepted-flips.json'));
  const from = machine.cli.output.length;
  write('data.json', grants('orders', 'payments'));
  await machine.cli.printed(/policy refused .*tool:service_not_granted:granted/, from);
  assert.is((await bundles()).data, before.data);
  assert.is(await machine.cli.end('SIGTERM'), 0);
  machine = await startMachine(stateDir, ['--policies', policies, '--guarded']);
  await machine.cli.printed(/policy refused .*tool:service_not_granted:granted/);
  assert.is((await bundles()).data, before.data);
});

test.run();
