// Registering agents and their grants, with real processes and hostile declarations.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf, type ErrorCode, PlatformError } from '../../runtime/errors.ts';
import { entryClient } from '../../runtime/identity/entry-client.ts';
import { createEntryRegistry } from '../../runtime/identity/registry.ts';
import { Caller } from '../../runtime/testing/caller.ts';
import { type AgentRequest, Agents, type RegisteredAgent } from './agents.ts';
import { grantsJson, grantsOf } from './grants.ts';
import { startWithAuthority } from './testing/platform.ts';

const callers: Caller[] = [];
const self = { pid: process.pid, uid: process.getuid?.() ?? 0 };
const test = suite('agents');
test.after(async () => {
  for (const caller of callers) await caller.end();
});

async function start(): Promise<Caller> {
  const caller = new Caller();
  callers.push(caller);
  await caller.mark();
  return caller;
}

interface Seen {
  granted: string[][];
  open: Set<string>;
  fail?: 'grants' | 'proxy';
}

function agentsWith(seen: Seen): {
  agents: Agents;
  registry: ReturnType<typeof createEntryRegistry>;
} {
  const registry = createEntryRegistry();
  const agents = new Agents({
    registry,
    trustDomain: 'platform.local',
    async applyGrants(running: readonly RegisteredAgent[]) {
      if (seen.fail === 'grants' && running.length > 0) throw new Error('no disk');
      seen.granted.push(running.map(({ entry }) => entry.agent));
    },
    async openProxy({ id }) {
      if (seen.fail === 'proxy') throw new Error('no socket');
      seen.open.add(id);
      return `unix:/${id}`;
    },
    async closeProxy({ id }) {
      seen.open.delete(id);
    },
  });
  return { agents, registry };
}

const request = (pid: number, change: Partial<AgentRequest> = {}): AgentRequest => ({
  ...{ tenant: 'acme', agent: 'bot', roles: [{ name: 'writer' }], resources: ['orders:read'] },
  ...{ framework: 'pure_python', pid },
  ...change,
});

async function refusal(work: Promise<unknown>): Promise<ErrorCode | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

test('an agent has an identity a role, its grants in force and its proxy open', async () => {
  const seen: Seen = { granted: [], open: new Set() };
  const { agents } = agentsWith(seen);
  const agent = await agents.create(request((await start()).pid), self);
  assert.equal(agent.spiffeIds, [
    'spiffe://platform.local/agent/acme/bot/writer',
    'spiffe://platform.local/agent/acme/bot/main',
  ]);
  assert.equal(seen.granted, [['bot']]);
  assert.equal([...seen.open], [agent.entry.id]);
  assert.ok(await agents.delete(agent.entry.id));
  assert.equal(seen.granted.at(-1), []);
  assert.is(seen.open.size, 0);
  assert.not.ok(await agents.delete(agent.entry.id));
});

test('whoever registers may name only processes of its own', async () => {
  const { agents } = agentsWith({ granted: [], open: new Set() });
  const [launcher, other] = [await start(), await start()];
  const foreign = { pid: launcher.pid, uid: self.uid };
  assert.is(await refusal(agents.create(request(other.pid), foreign)), 'configuration_invalid');
  assert.is(await refusal(agents.create(request(1), self)), 'configuration_invalid');
  assert.is(await refusal(agents.create(request(0x3f_ffff), self)), 'process_gone');
  assert.is(await refusal(agents.create(request(launcher.pid), foreign)), undefined);
});

test('a process without the mark of agents is none', async () => {
  const { agents, registry } = agentsWith({ granted: [], open: new Set() });
  const caller = new Caller();
  callers.push(caller);
  assert.is(await refusal(agents.create(request(caller.pid), self)), 'configuration_invalid');
  assert.equal(registry.list(), []);
});

test('a process is the root of one agent, and an identity has one set of grants', async () => {
  const { agents } = agentsWith({ granted: [], open: new Set() });
  const [first, second] = [await start(), await start()];
  await agents.create(request(first.pid), self);
  const again = request(first.pid, { agent: 'other' });
  assert.is(await refusal(agents.create(again, self)), 'configuration_invalid');
  const more = request(second.pid, { resources: ['orders'] });
  assert.is(await refusal(agents.create(more, self)), 'configuration_invalid');
  assert.is(await refusal(agents.create(request(second.pid), self)), undefined);
});

test('a failed registration leaves nothing behind', async () => {
  for (const fail of ['grants', 'proxy'] as const) {
    const seen: Seen = { granted: [], open: new Set(), fail };
    const { agents, registry } = agentsWith(seen);
    assert.is(await refusal(agents.create(request((await start()).pid), self)), 'internal');
    assert.equal(agents.list(), []);
    assert.equal(registry.list(), []);
    assert.is(seen.open.size, 0);
  }
});

test('an agent whose process ended is forgotten', async () => {
  const seen: Seen = { granted: [], open: new Set() };
  const { agents } = agentsWith(seen);
  const caller = await start();
  await agents.create(request(caller.pid), self);
  await agents.sweep();
  assert.is(agents.list().length, 1);
  await caller.end();
  await agents.sweep();
  assert.equal(agents.list(), []);
  assert.is(seen.open.size, 0);
});

test('each role has a SPIFFE entry for as long as the agent is registered', async () => {
  const platform = await startWithAuthority();
  const entries = entryClient(platform.adminSocket);
  const { registry } = platform;
  const agents = new Agents({
    ...{ registry, trustDomain: 'example.org', entries },
    async applyGrants() {},
    async openProxy() {
      return 'unix:/proxy';
    },
    async closeProxy() {},
  });
  const ids = async () => (await entries.list()).map(({ spiffeId }) => spiffeId);
  await platform.enter('/agent/acme/earlier/main', ['process:1@1', 'process-role:main']);
  await platform.enter('/service/vault', ['service:vault']);
  await agents.forgetStale();
  assert.equal(await ids(), ['spiffe://example.org/service/vault']);

  const caller = await start();
  const agent = await agents.create(request(caller.pid), self);
  const found = await entries.list({ spiffeId: 'spiffe://example.org/agent/acme/bot/writer' });
  assert.equal(found[0]?.dnsNames, ['bot.tenant-acme.svc', 'bot-a2a.tenant-acme.svc']);
  assert.equal(
    found[0]?.selectors.map(({ value }) => value.replace(/:\d+@\d+$/, ':…')),
    ['process:…', 'process-role:writer', 'tenant:acme', 'agent:bot'],
  );
  assert.is(await entries.count(), 3);
  assert.ok(await agents.delete(agent.entry.id));
  assert.equal(await ids(), ['spiffe://example.org/service/vault']);
  const denied = 'spiffe://example.org/agent/acme/bot/writer';
  assert.ok(platform.authority.denied.isDenied(denied, Date.now() / 1000 - 1));

  const odd = await agents.create(request(caller.pid, { agent: 'a_b.c' }), self);
  assert.equal((await entries.list({ spiffeId: odd.spiffeIds[0] ?? '' }))[0]?.dnsNames, []);
  await agents.delete(odd.entry.id);
  entries.close();
  await platform.close();
});

test('an agent whose entries cannot be removed is gone all the same, and they are tried again', async () => {
  const platform = await startWithAuthority();
  const client = entryClient(platform.adminSocket);
  const seen: Seen = { granted: [], open: new Set() };
  let isAway = false;
  const agents = new Agents({
    registry: platform.registry,
    trustDomain: 'example.org',
    entries: {
      create: (drafts) => client.create(drafts),
      list: (filter) => client.list(filter),
      delete: (ids) =>
        isAway
          ? Promise.reject(new PlatformError('identity_unavailable', 'away'))
          : client.delete(ids),
    },
    async applyGrants() {},
    async openProxy({ id }) {
      seen.open.add(id);
      return 'unix:/proxy';
    },
    async closeProxy({ id }) {
      seen.open.delete(id);
    },
  });
  const agent = await agents.create(request((await start()).pid), self);
  isAway = true;
  assert.is(await refusal(agents.delete(agent.entry.id)), 'identity_unavailable');
  assert.equal([agents.list().length, seen.open.size, await client.count()], [0, 0, 2]);
  assert.is(await refusal(agents.sweep()), 'identity_unavailable');
  isAway = false;
  await agents.sweep();
  assert.is(await client.count(), 0);
  client.close();
  await platform.close();
});

test('an agent that has ended loses its proxy before its entries, one that lives the other way round', async () => {
  const platform = await startWithAuthority();
  const client = entryClient(platform.adminSocket);
  const order: string[] = [];
  const agents = new Agents({
    registry: platform.registry,
    trustDomain: 'example.org',
    entries: {
      create: (drafts) => client.create(drafts),
      list: (filter) => client.list(filter),
      delete(ids) {
        if (ids.length > 0) order.push('entries');
        return client.delete(ids);
      },
    },
    async applyGrants() {},
    openProxy: async () => 'unix:/proxy',
    async closeProxy() {
      order.push('proxy');
    },
  });
  const living = await agents.create(request((await start()).pid), self);
  await agents.delete(living.entry.id);
  assert.is(order.splice(0)[0], 'entries');
  for (const forget of [() => agents.sweep(), (id: string) => agents.delete(id)]) {
    const caller = await start();
    const ended = await agents.create(request(caller.pid), self);
    await caller.end();
    await forget(ended.entry.id);
    assert.is(order.splice(0)[0], 'proxy');
    assert.is(await client.count(), 0);
  }
  client.close();
  await platform.close();
});

test('names and roles that would change the SPIFFE ID are refused', async () => {
  const { agents } = agentsWith({ granted: [], open: new Set() });
  const { pid } = await start();
  for (const change of [
    { tenant: 'acme/bot' },
    { agent: '..' },
    { agent: '' },
    { roles: [{ name: 'a/b' }] },
    { roles: [{ name: 'a' }, { name: 'a' }] },
    { roles: [{ name: 'a', commandPattern: 'x'.repeat(257) }] },
    { roles: Array.from({ length: 65 }, (_, index) => ({ name: `r${index}` })) },
  ]) {
    const code = await refusal(agents.create(request(pid, change), self));
    assert.ok(code === 'spiffe_id_invalid' || code === 'configuration_invalid', String(code));
  }
});

test('resources become grants, and nothing that is not one does', () => {
  assert.equal(grantsJson(grantsOf(['orders:read', 'mail', 'orders:write'])), {
    resources: {
      mail: { actions: { read: true, write: true } },
      orders: { actions: { read: true, write: true } },
    },
    credentials: { mail: true, orders: true },
  });
  const part = fc.constantFrom('a', ':', '/', '*', 'read', 'write', '..', ' ', '__proto__', '');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      const resource = parts.join('');
      try {
        const { resources } = grantsJson(grantsOf([resource])) as { resources: object };
        const [[service, grant] = ['', {}]] = Object.entries(resources);
        const [named, action] = resource.split(':');
        const actions = Object.keys((grant as { actions: object }).actions);
        return service === named && (action === undefined || actions.join() === action);
      } catch (error) {
        return codeOf(error) === 'configuration_invalid';
      }
    }),
    { numRuns: 2000 },
  );
});

test.run();
