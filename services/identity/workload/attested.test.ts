// Who gets an identity and who does not, with real processes: roles, trees, reused pids, and agents that are forgotten.
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { requireProcess } from '../../../runtime/identity/process.ts';
import { OrderProcess } from '../testing/order-process.ts';
import { startWithAuthority, type TestPlatform } from '../testing/platform.ts';

const program = join(import.meta.dirname, '..', 'testing', 'workload-program.ts');
const denied = '[permission_denied] no identity issued';
const test = suite('attested workloads');
let platform: TestPlatform;
const processes: OrderProcess[] = [];

test.before(async () => {
  platform = await startWithAuthority();
});
test.after(async () => {
  for (const each of processes) await each.end();
  await platform.close();
});

function start(environment: Record<string, string> = {}): OrderProcess {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const started = new OrderProcess('env', [...variables, process.execPath, program]);
  processes.push(started);
  return started;
}

const order = (what: string, more: Record<string, string> = {}) => ({
  ...{ do: what, socket: platform.workloadSocket },
  ...more,
});

/** Registers a process with its roles, and gives each role an entry. */
async function register(pid: number, agent: string, roles: string[], subprocessRoles = false) {
  const { startTime } = requireProcess(pid);
  const own = requireProcess(process.pid);
  const entry = platform.registry.create({
    ...{ trustDomain: 'example.org', tenant: 'acme', agent, subprocessRoles },
    roles: roles.map((name) => ({ name })),
    process: { pid, startTime },
    launcher: { pid: own.pid, startTime: own.startTime },
    uid: process.getuid?.() ?? 0,
  });
  for (const role of ['main', ...roles]) {
    await platform.enter(`/agent/acme/${agent}/${role}`, [
      ...[`process:${pid}@${startTime}`, `process-role:${role}`, 'tenant:acme', `agent:${agent}`],
    ]);
  }
  return entry.id;
}

test('a process gets the SPIFFE ID of its tree and role, and of no other', async () => {
  const writer = start({ PLATFORM_ROLE: 'writer' });
  const [stranger, other] = [start({ PLATFORM_ROLE: 'writer' }), start()];
  for (const each of [writer, stranger, other])
    assert.is((await each.ask(order('ids'))).error, denied);
  await register(writer.pid, 'one', ['writer', 'reader'], true);
  await register(other.pid, 'two', ['reader']);
  const id = (rest: string) => `spiffe://example.org/agent/acme/${rest}`;
  assert.is((await writer.get(order('ids'))).text, id('one/writer'));
  assert.is((await writer.get(order('child', { role: 'reader' }))).text, id('one/reader'));
  assert.is((await writer.get(order('child'))).text, id('one/writer'));
  assert.is((await other.get(order('ids'))).text, id('two/main'));
  // The same claim from outside the tree, from a tree whose agent has no such role, and undeclared.
  assert.is((await stranger.ask(order('ids'))).error, denied);
  assert.is((await other.ask(order('child', { role: 'writer' }))).error, denied);
  assert.is((await writer.ask(order('child', { role: 'admin' }))).error, denied);
});

test('an entry of an earlier process with the same pid gives nothing', async () => {
  const later = start();
  assert.is((await later.ask(order('ids'))).error, denied);
  const { startTime } = requireProcess(later.pid);
  platform.register(later.pid, 'later');
  await platform.enter('/agent/acme/earlier/main', [
    `process:${later.pid}@${Number(startTime) - 1}`,
  ]);
  assert.is((await later.ask(order('ids'))).error, denied);
});

test('a stream ends when its agent is forgotten, also while the entry is still there', async () => {
  const agent = start();
  assert.is((await agent.ask(order('ids'))).error, denied);
  const id = await register(agent.pid, 'forgotten', []);
  assert.ok((await agent.get(order('watch'))).text?.endsWith('/forgotten/main'));
  platform.registry.delete(id);
  assert.is((await agent.ask(order('next'))).error, denied);
  const closed = platform.events.findLast(({ kind }) => kind === 'stream_closed');
  assert.is(closed?.pid, agent.pid);
});

test.run();
