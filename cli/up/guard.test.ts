// `platform up --guarded` in a real process: what widens is refused, named and on record, until it is accepted.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../runtime/json.ts';
import { eventually } from '../../runtime/testing/eventually.ts';
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
  assert.equal(row.detail.flips, [{ name: flip, kind: 'deny_to_allow', ...rules }]);
  assert.is(
    (await runCli(['audit', '--verify', '--stored-openings', '--state', stateDir])).code,
    0,
  );
});

test('a flip that the change accepts comes into force, and a lowered limit needs nothing', async () => {
  const entry = {
    ...{ name: flip, boundary: 'tool', why: 'the desk may refund 101' },
    ...{ from: 'platform.tool.operator.large', to: 'platform.tool.granted' },
  };
  write('accepted-flips.json', { accepted: [entry] });
  await machine.cli.printed(/policy in force/);
  await eventually(async () => !('error' in (await bundles())));
  const from = machine.cli.output.length;
  write('mine.rego', limit(50));
  await machine.cli.printed(/policy in force/, from);
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
