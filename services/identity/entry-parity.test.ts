// Our identity server beside a real SPIRE server: whatever is asked of both, both say the same.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type EntryClient,
  type EntryFilter,
  type EntryResult,
  entryClient,
  type WorkloadEntry,
} from '../../runtime/identity/entry-client.ts';
import { needs } from '../../runtime/testing/needs.ts';
import { draft, factsOf, idOf, parentId, refusal, trustDomain } from './testing/entry-cases.ts';
import { startEntryServer, type TestEntryServer } from './testing/entry-server.ts';
import { startSpire } from './testing/spire.ts';

const test = suite('Entry API, ours beside SPIRE’s');
const servers: TestEntryServer[] = [];
const clients: EntryClient[] = [];

test.before(async () => {
  servers.push(await startEntryServer(trustDomain), await startSpire(trustDomain));
  clients.push(...servers.map(({ adminSocket }) => entryClient(adminSocket)));
});
test.after(async () => {
  for (const client of clients) await client.close();
  for (const server of servers) await server.remove();
});

/** What both say, which must be the same. */
async function both<Answer>(ask: (client: EntryClient, index: number) => Promise<Answer>) {
  const [ours, spires] = await Promise.all(clients.map(ask));
  assert.equal(ours, spires);
  return ours as Answer;
}

const said = ({ entry, error }: EntryResult) => [error?.code, entry && factsOf(entry)];

async function clear(): Promise<void> {
  await both(async (client) => {
    await client.delete((await client.list()).map(({ id }) => id));
    return client.count();
  });
}

// Nothing that the two are known to judge differently: see `differences`.
const piece = fc.constantFrom(
  ...'a B 7 - -- . .. / // % %2f é @ ? # spire agent xn-- : \\'.split(' '),
  ...[' ', '\n', '\ud800', 'x'.repeat(255)],
);
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
const mostly = <Value>(good: fc.Arbitrary<Value>, hostile: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 7, arbitrary: good }, { weight: 1, arbitrary: hostile });
const domain = mostly(
  fc.constant(trustDomain),
  fc.constantFrom(
    '',
    'other.org',
    'EXAMPLE.ORG',
    'example.org.',
    'example.org:80',
    'a@example.org',
  ),
);
const path = mostly(fc.constantFrom('a', 'a/b', 'B-7_.', '...', 'spire-x', 'spire.'), text);
const spiffeId = fc.tuple(domain, path).map(([host, rest]) => `spiffe://${host}/${rest}`);
const selector = fc.record({
  type: mostly(fc.constantFrom('unix', 'k8s', '..', 'é'), text),
  value: mostly(fc.constantFrom('uid:0', ':', ' ', 'ns:a/b', '\u{1f511}'), text),
});
const label = fc.array(fc.constantFrom('a', 'B', '7', '-', '--', '.', 'é', 'xn'), { maxLength: 5 });
const anyDraft = fc.record(
  {
    ...{ spiffeId, parentId: spiffeId, hint: text },
    selectors: fc.uniqueArray(selector, {
      ...{ maxLength: 3, selector: ({ type, value }) => `${type}:${value}` },
    }),
    dnsNames: fc.uniqueArray(
      mostly(
        fc.constantFrom('a.svc', 'b.a', 'a--b.svc', '7', '1.2.3.4', 'xn--bcher-kva.svc'),
        label.map((parts) => parts.join('')),
      ),
      { maxLength: 2 },
    ),
    x509TtlSeconds: mostly(fc.constantFrom(0, 300, 86_400), fc.constant(-1)),
    jwtTtlSeconds: mostly(fc.constantFrom(0, 1, 86_400), fc.constant(-(2 ** 31))),
  },
  { requiredKeys: [] },
);

test('of any entries the same ones are taken, and the same is said of each', async () => {
  let [taken, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(anyDraft, { minLength: 1, maxLength: 20 }), async (changes) => {
      await clear();
      const drafts = changes.map((change) => draft(change as Partial<WorkloadEntry>));
      const results = await both(async (client) => (await client.create(drafts)).map(said));
      for (const [code] of results) {
        if (code === undefined) taken += 1;
        else refused += 1;
      }
    }),
    { numRuns: 60 },
  );
  assert.ok(taken > 50 && refused > 50, `${taken} taken, ${refused} refused`);
});

test('any filter means the same entries', async () => {
  const few = fc.constantFrom('a', 'b', 'c');
  const sets = fc.uniqueArray(few, { minLength: 1, maxLength: 3 });
  const selectors = sets.map((values) => values.map((value) => ({ type: 'platform', value })));
  const made = fc.record({
    ...{ spiffeId: few.map((name) => idOf(`/${name}`)), selectors },
    ...{ parentId: fc.constantFrom(parentId, idOf('/a')), hint: fc.constantFrom('', 'h', 'i') },
  });
  const filter = fc.record(
    {
      ...{
        spiffeId: fc.oneof(
          spiffeId,
          few.map((name) => idOf(`/${name}`)),
        ),
      },
      ...{ parentId: fc.constantFrom(parentId, idOf('/a')), hint: fc.constantFrom('', 'h') },
      selectors: fc.record({
        ...{ match: fc.constantFrom('exact', 'superset', 'subset', 'any'), of: selectors },
      }),
    },
    { requiredKeys: [] },
  );
  const filters = fc.array(filter, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.array(made, { maxLength: 12 }), filters, async (drafts, asked) => {
      await clear();
      await both(async (client) => (await client.create(drafts)).map(said));
      for (const each of asked as EntryFilter[]) {
        await both(async (client) => {
          const found: unknown[] = [];
          const list = async () => {
            found.push(...(await client.list(each)).map((entry) => JSON.stringify(factsOf(entry))));
          };
          const refusals = [await refusal(list()), await refusal(client.count(each))];
          if (refusals[0] === 'done') assert.is(await client.count(each), found.length);
          return [refusals, found.sort()];
        });
      }
    }),
    { numRuns: 40 },
  );
});

test('any updates leave the same entry, at the same revision', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyDraft, { minLength: 1, maxLength: 8 }), async (changes) => {
      await clear();
      const ids = await Promise.all(
        clients.map(async (client) => (await client.create([draft()]))[0]?.entry?.id ?? ''),
      );
      for (const change of changes) {
        await both(async (client, index) => {
          const id = ids[index] ?? '';
          const [result] = await client.update([{ id, ...(change as Partial<WorkloadEntry>) }]);
          const { revision } = await client.get(id);
          return [said(result as EntryResult), revision];
        });
      }
    }),
    { numRuns: 40 },
  );
});

if (needs('spire')) test.run();
