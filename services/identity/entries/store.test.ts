// The store when the database fails in the middle of a write, at every query and in both ways.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf, DatabaseError } from '../../../runtime/errors.ts';
import { openPglite } from '../../common/database/pglite.ts';
import type { Database } from '../../common/database/port.ts';
import type { EntryDraft } from './entry.ts';
import { entriesSchema, readEntries } from './rows.ts';
import { EntryStore } from './store.ts';

const test = suite('entry store');
const nodeId = 'spiffe://example.org/node/local';
let database: Database;
test.before(async () => {
  database = await openPglite();
});
test.after(() => database.close());

async function empty(): Promise<void> {
  await database.script(`${entriesSchema}; delete from identity_entries;`);
}

function draft(name: string, change: Partial<EntryDraft> = {}): EntryDraft {
  return {
    ...{ id: name, spiffeId: `spiffe://example.org/${name}`, parentId: nodeId },
    ...{ selectors: [{ type: 'platform', value: name }], x509SvidTtl: 0, jwtSvidTtl: 0 },
    ...{ federatesWith: [], admin: false, downstream: false, expiresAt: 0, dnsNames: [] },
    ...{ storeSvid: false, hint: '', ...change },
  };
}

/** A database that fails once, at its n-th query: before it is run, or after. */
function failing(database: Database, query: number, isLost: 'statement' | 'answer'): Database {
  let queries = 0;
  return {
    ...database,
    async query(text, values) {
      queries += 1;
      const fails = queries === query;
      if (fails && isLost === 'statement') throw gone();
      const rows = await database.query(text, values);
      if (fails) throw gone();
      return rows;
    },
  };
}

function gone(): DatabaseError {
  return new DatabaseError('database_unavailable', 'the connection was lost');
}

/** What the table and the store say, which must be the same. */
async function agreed(store: EntryStore, database: Database): Promise<string[]> {
  await store.ready();
  const rows = [];
  for await (const { id, hint } of readEntries(database)) rows.push(`${id} ${hint}`);
  assert.equal([...store.all()].map(({ id, hint }) => `${id} ${hint}`).sort(), rows.sort());
  return rows;
}

for (const isLost of ['statement', 'answer'] as const) {
  test(`a lost ${isLost} leaves memory and table agreed, and nothing deleted can be matched`, async () => {
    for (let query = 1; query <= 5; query += 1) {
      await empty();
      const denied: string[] = [];
      const store = new EntryStore({
        ...{ database: failing(database, query, isLost), nodeId, clock: () => new Date() },
        async deny(spiffeId) {
          denied.push(spiffeId);
        },
      });
      const failures: string[] = [];
      const attempt = (name: string, work: Promise<unknown>) =>
        work.catch((error: unknown) => void failures.push(`${name} ${codeOf(error)}`));
      await attempt('load', store.ready());
      await attempt('create a', store.create(draft('a')));
      await attempt('create b', store.create(draft('b')));
      await attempt('update a', store.update('a', { hint: 'new' }));
      const before = failures.length;
      await attempt('delete b', store.delete('b'));
      const isDeleting = failures.length > before && failures.at(-1)?.startsWith('delete b data');
      if (isDeleting) {
        assert.equal(denied, ['spiffe://example.org/b']);
        assert.equal(store.matching(new Set(['platform:b'])), [], 'refused from the first moment');
      }
      assert.is(failures.length >= 1, true, `query ${query} failed`);
      await agreed(store, database);
      // Whatever was said to have failed can be done again.
      await attempt('again', store.create(draft('a')));
      await attempt('again', store.create(draft('b')));
      assert.is((await agreed(store, database)).length, 2);
    }
  });
}

test('an identity is denied before its entry goes, and when it goes to other workloads', async () => {
  await empty();
  const denied: string[] = [];
  const store = new EntryStore({
    ...{ database, nodeId, clock: () => new Date() },
    async deny(spiffeId) {
      assert.is(store.matching(new Set(['platform:a'])).length, 0);
      denied.push(spiffeId);
    },
  });
  await store.create(draft('a', { dnsNames: ['a.svc'] }));
  await store.update('a', { hint: 'x', x509SvidTtl: 600, dnsNames: ['a.svc', 'b.svc'] });
  assert.equal(denied, []);
  await store.update('a', { selectors: [{ type: 'platform', value: 'other' }] });
  await store.update('a', { dnsNames: ['b.svc'] });
  await store.delete('a');
  assert.equal(denied, Array(3).fill('spiffe://example.org/a'));
});

test('an identity that cannot be denied keeps its entry', async () => {
  await empty();
  const store = new EntryStore({
    ...{ database, nodeId, clock: () => new Date() },
    deny: () => Promise.reject(gone()),
  });
  await store.create(draft('a'));
  const code = await store.delete('a').catch(codeOf);
  assert.is(code, 'database_unavailable');
  assert.equal(await agreed(store, database), ['a ']);
});

test('while the database is away, workloads go on with what is certain, and writes fail', async () => {
  await empty();
  let isAway = false;
  const store = new EntryStore({
    ...{ nodeId, clock: () => new Date(), async deny() {} },
    database: {
      ...database,
      script: (text) => (isAway ? Promise.reject(gone()) : database.script(text)),
      query: (text, values) => (isAway ? Promise.reject(gone()) : database.query(text, values)),
    },
  });
  for (const name of ['kept', 'changed', 'deleted']) await store.create(draft(name));
  isAway = true;
  assert.is(await store.update('changed', { hint: 'x' }).catch(codeOf), 'database_unavailable');
  assert.is(await store.delete('deleted').catch(codeOf), 'database_unavailable');
  const all = new Set(['kept', 'changed', 'deleted'].map((each) => `platform:${each}`));
  const ids = () => store.matching(all).map(({ id }) => id);
  await store.readable();
  // The second write could not begin: it took nothing away.
  assert.equal(ids(), ['kept', 'deleted']);
  // The reading that `readable` began fails still.
  assert.is(await store.ready().catch(codeOf), 'database_unavailable');
  isAway = false;
  await store.ready();
  assert.equal(ids(), ['kept', 'changed', 'deleted']);
  isAway = true;
  assert.is(await store.delete('deleted').catch(codeOf), 'database_unavailable');
  await store.readable();
  assert.equal(ids(), ['kept', 'changed']);
});

test('expired entries count no more, and go', async () => {
  await empty();
  let now = 1_000_000;
  const store = new EntryStore({
    ...{ database, nodeId, clock: () => new Date(now) },
    async deny() {},
  });
  await store.create(draft('a', { expiresAt: 1001 }));
  const selectors = new Set(['platform:a']);
  assert.is(store.matching(selectors).length, 1);
  now = 1_001_000;
  assert.is(store.matching(selectors).length, 0);
  await store.deleteExpired();
  assert.equal(await agreed(store, database), []);
});

test('entries count below this node only, also through others, and a ring of parents is none', async () => {
  await empty();
  const store = new EntryStore({ database, nodeId, clock: () => new Date(), async deny() {} });
  const below = (name: string, parent: string) =>
    store.create(draft(name, { parentId: `spiffe://example.org/${parent}` }));
  await store.create(draft('top'));
  await below('middle', 'top');
  await below('low', 'middle');
  await below('ring1', 'ring2');
  await below('ring2', 'ring1');
  await below('elsewhere', 'node/other');
  const all = new Set(
    ['top', 'middle', 'low', 'ring1', 'ring2', 'elsewhere'].map((each) => `platform:${each}`),
  );
  assert.equal(
    store.matching(all).map(({ id }) => id),
    ['top', 'middle', 'low'],
  );
  assert.is(store.authorized().length, 3);
  await store.delete('top');
  assert.equal(store.matching(all), []);
});

test.run();
