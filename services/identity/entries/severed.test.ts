// A real PostgreSQL ends the connection in the middle of a write of an entry: old or new, and a retry ends well.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../../runtime/errors.ts';
import { needs } from '../../../runtime/testing/needs.ts';
import { type Cut, SeverablePostgres } from '../../common/database/testing/severed.ts';
import type { EntryDraft } from './entry.ts';
import { readEntries } from './rows.ts';
import { EntryStore } from './store.ts';

const nodeId = 'spiffe://example.org/node/local';
const draft: EntryDraft = {
  ...{ id: 'a', spiffeId: 'spiffe://example.org/a', parentId: nodeId, x509SvidTtl: 0 },
  ...{ selectors: [{ type: 'platform', value: 'a' }], jwtSvidTtl: 0, federatesWith: [] },
  ...{ admin: false, downstream: false, expiresAt: 0, dnsNames: [], storeSvid: false },
  hint: 'old',
};

let database: SeverablePostgres;
let store: EntryStore;
let denied: string[] = [];

const test = suite('entries with connections that the server ends');
test.before(async () => {
  database = new SeverablePostgres();
  store = new EntryStore({
    ...{ database, nodeId, clock: () => new Date() },
    async deny(spiffeId) {
      denied.push(spiffeId);
    },
  });
  await store.ready();
});
test.after(() => database.close());

/** The hint of the entry in the table; `none` without it. */
async function inTable(): Promise<string> {
  for await (const { hint } of readEntries(database.admin)) return hint;
  return 'none';
}

/** Each write with the hint before and after it. */
const writes: Record<string, { from: string; to: string; run: () => Promise<unknown> }> = {
  create: { from: 'none', to: 'old', run: () => store.create(draft) },
  update: { from: 'old', to: 'new', run: () => store.update('a', { hint: 'new' }) },
  delete: { from: 'old', to: 'none', run: () => store.delete('a') },
};

async function prepare(from: string): Promise<void> {
  await store.delete('a').catch(() => {});
  if (from !== 'none') await store.create(draft);
  denied = [];
}

/** What the table says is old or new; memory agrees with it; run again the write ends well. */
async function settle(name: string, isDone: boolean): Promise<void> {
  const { from, to, run } = writes[name]!;
  const found = await inTable();
  assert.ok(isDone ? found === to : [from, to].includes(found), `${name}: ${found}`);
  if (name === 'delete') assert.equal(denied, [draft.spiffeId], 'denied whatever became of it');
  await store.ready();
  assert.is([...store.all()][0]?.hint ?? 'none', found);
  const again = await run().then(
    () => 'done',
    (error) => codeOf(error),
  );
  assert.ok(again === 'done' || (found === 'none' && again === 'entry_unknown'), again);
  assert.is(await inTable(), to);
  assert.is([...store.all()][0]?.hint ?? 'none', to);
}

for (const [name, { from, run }] of Object.entries(writes)) {
  test(`${name}: the server ends the connection while the statement waits`, async () => {
    await prepare(from);
    const outcome = await database.severWhileWaiting('identity_entries', run);
    await database.heal();
    assert.is(codeOf(outcome), 'database_unavailable');
    assert.is(await inTable(), from, 'a statement that was cut off did nothing');
    assert.equal(store.matching(new Set(['platform:a'])).length <= 1, true);
    await settle(name, false);
  });

  for (const cut of ['before', 'during'] satisfies Cut[]) {
    test(`${name}: the server ends the connection ${cut} each statement`, async () => {
      for (let step = 1; ; step += 1) {
        await prepare(from);
        database.cutAt(step, cut);
        const isDone = await run().then(
          () => true,
          () => false,
        );
        const { steps } = database;
        await database.heal();
        await settle(name, isDone);
        if (steps < step) break;
      }
    });
  }
}

if (needs('postgres')) test.run();
