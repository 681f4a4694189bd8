// The entries of agents over the Entry API alone, on our identity server and on a real SPIRE server.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RegistrationEntry } from '../../runtime/identity/entry.ts';
import {
  type EntryClient,
  entryClient,
  type WorkloadEntry,
} from '../../runtime/identity/entry-client.ts';
import { needs } from '../../runtime/testing/needs.ts';
import { AgentEntries } from './agent-entries.ts';
import { draft, factsOf, idOf, refusal, selectors, trustDomain } from './testing/entry-cases.ts';
import { startEntryServer, type TestEntryServer } from './testing/entry-server.ts';
import { startSpire } from './testing/spire.ts';

const vault = idOf('/service/vault');
const elsewhere = idOf('/agent/acme/elsewhere/main');

function cases(name: string, open: () => Promise<TestEntryServer>): void {
  const test = suite(`entries of agents: ${name}`);
  let server: TestEntryServer;
  let entries: EntryClient;
  let agents: AgentEntries;

  test.before(async () => {
    server = await open();
    entries = entryClient(server.adminSocket);
  });
  test.before.each(async () => {
    await entries.delete((await entries.list()).map(({ id }) => id));
    agents = new AgentEntries(entries, trustDomain);
    const created = await entries.create([
      draft({ spiffeId: vault, selectors: selectors('service:vault') }),
      draft({ spiffeId: elsewhere, parentId: idOf('/node/other') }),
    ]);
    for (const { error } of created) assert.is(error, undefined);
  });
  test.after(async () => {
    await entries.close();
    await server.remove();
  });

  const spiffeIds = async () => (await entries.list()).map(({ spiffeId }) => spiffeId).sort();

  test('each role of an agent has an entry until the agent is removed', async () => {
    const bot = agent('bot', ['writer', 'main']);
    await agents.create(bot);
    const spiffeId = idOf('/agent/acme/bot/writer');
    const [writer] = await entries.list({ spiffeId });
    assert.equal(
      factsOf(writer),
      factsOf({
        ...draft({ spiffeId, id: '', revision: 0, hint: '', x509TtlSeconds: 0, jwtTtlSeconds: 0 }),
        selectors: selectors('process:7@99', 'process-role:writer', 'tenant:acme', 'agent:bot'),
        dnsNames: ['bot.tenant-acme.svc', 'bot-a2a.tenant-acme.svc'],
      } as WorkloadEntry),
    );
    assert.equal(await spiffeIds(), [
      ...[elsewhere, idOf('/agent/acme/bot/main'), spiffeId, vault].sort(),
    ]);
    await agents.remove([bot]);
    assert.equal(await spiffeIds(), [elsewhere, vault]);
  });

  test('whatever an agent is called, it gets its entry, though not every name fits DNS', async () => {
    const names = ['a_b.c', 'Bot', 'ab--cd', '-x-', 'xn--a', '7', 'a'.repeat(63), 'a.b'];
    const all = names.map((each) => agent(each, ['main']));
    for (const each of all) await agents.create(each);
    assert.is(await entries.count(), 2 + names.length);
    await agents.remove(all);
    assert.equal(await spiffeIds(), [elsewhere, vault]);
  });

  test('what an earlier run left is removed, and an entry of the same process is taken over', async () => {
    const [bot, gone] = [agent('bot', ['main']), agent('gone', ['main'])];
    const earlier = new AgentEntries(entries, trustDomain);
    for (const each of [bot, gone]) await earlier.create(each);
    await agents.create(bot);
    await agents.removeStale();
    assert.equal(await spiffeIds(), [idOf('/agent/acme/bot/main'), elsewhere, vault].sort());
    await agents.remove([bot]);
    assert.equal(await spiffeIds(), [elsewhere, vault]);
  });

  test('one entry that is refused leaves none of the agent', async () => {
    const foreign = { ...agent('bot', ['main']), trustDomain: 'other.org' };
    assert.is(await refusal(agents.create(foreign)), 'entry_invalid');
    assert.equal(await spiffeIds(), [elsewhere, vault]);
  });

  test('what could not be removed is removed once the server is back, and has kept the rest', async () => {
    const bot = agent('bot', ['writer', 'main']);
    await agents.create(bot);
    await server.stop();
    assert.is(await refusal(agents.remove([bot])), 'identity_unavailable');
    assert.is(await refusal(agents.create(agent('late', ['main']))), 'identity_unavailable');
    await server.start();
    assert.is(await entries.count(), 4);
    await agents.removeLeftover();
    assert.equal(await spiffeIds(), [elsewhere, vault]);
  });

  test.run();
}

function agent(name: string, roles: string[]): RegistrationEntry {
  return {
    ...{ id: `id-${name}`, trustDomain, tenant: 'acme', agent: name, uid: 0 },
    ...{ process: { pid: 7, startTime: '99' }, launcher: { pid: 1, startTime: '0' } },
    ...{ roles: roles.map((role) => ({ name: role })), subprocessRoles: false },
    ...{ rootRole: { name: 'main', source: 'fallback' }, createdAt: '2026-01-01T00:00:00.000Z' },
  };
}

cases('ours', () => startEntryServer(trustDomain));
if (needs('spire')) cases('spire', () => startSpire(trustDomain));
