// Every store of tools, through one contract: in memory, embedded database, PostgreSQL 15.
import { suite, test } from 'uvu';
import * as assert from 'uvu/assert';
import { DatabaseError } from '../../runtime/errors.ts';
import { needs } from '../../runtime/testing/needs.ts';
import { openPg } from '../common/database/pg.ts';
import { openPglite } from '../common/database/pglite.ts';
import type { Database } from '../common/database/port.ts';
import { startPostgres } from '../common/database/testing/postgres.ts';
import { MemoryToolStore, type ToolRecord, type ToolStore } from './tools.ts';
import { DatabaseToolStore } from './tools-database.ts';

function record(name: string, service = 'orders'): ToolRecord {
  return {
    tool: {
      name,
      service,
      description: 'é\u0001"\\ 💥',
      action: 'read',
      source: 'schema',
      tool_type: 'function',
      tags: ['a'],
      parameters: [],
      schema: { type: 'object', properties: { big: { const: 1e21 } } },
      schema_digest: 'sha256:00',
    },
    binding: { baseUrl: 'http://x', method: 'GET', path: '/', parameters: [] },
    registeredBy: 'spiffe://x/operator/local',
  };
}

/** `reopen` gives another store over the same content, as after a restart. */
function contract(
  name: string,
  open: () => Promise<{ store: ToolStore; reopen?: () => ToolStore }>,
) {
  const check = suite(`tool store: ${name}`);
  check('keeps, replaces and lists tools, and gives copies', async () => {
    const { store, reopen } = await open();
    await store.put([record('b'), record('a')]);
    await store.put([record('a', 'mail')]);
    for (const one of reopen === undefined ? [store] : [store, reopen()]) {
      assert.equal(
        (await one.list()).map(({ tool }) => [tool.name, tool.service]),
        [
          ['a', 'mail'],
          ['b', 'orders'],
        ],
      );
      const found = await one.get('b');
      assert.equal(found, record('b'));
      found!.tool.name = 'changed';
      assert.equal(await one.get('b'), record('b'));
      assert.is(await one.get('nothing'), undefined);
    }
  });
  check.run();
}

contract('memory', async () => ({ store: new MemoryToolStore() }));

const pglite = await openPglite();
contract('PGlite', async () => over(pglite));

if (needs('postgres')) {
  const postgres = startPostgres();
  const database = openPg({ url: postgres.url });
  contract('PostgreSQL', async () => over(database));
  test.after(async () => {
    await database.close();
    postgres.remove();
  });
}

function over(database: Database) {
  return {
    store: new DatabaseToolStore(database),
    reopen: () => new DatabaseToolStore(database),
  };
}

test('a database that goes away stops registrations, not calls, and comes back', async () => {
  let away = true;
  const database: Pick<Database, 'query' | 'script'> = {
    query: async (text, values) => {
      if (away) throw new DatabaseError('database_unavailable', 'away');
      return pglite.query(text, values);
    },
    script: async (text) => {
      if (away) throw new DatabaseError('database_unavailable', 'away');
      return pglite.script(text);
    },
  };
  const store = new DatabaseToolStore(database);
  const code = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error: DatabaseError) => error.code,
    );
  assert.is(await code(store.get('a')), 'database_unavailable');
  away = false;
  await store.put([record('kept')]);
  away = true;
  assert.is(await code(store.put([record('lost')])), 'database_unavailable');
  assert.ok(await store.get('kept'));
  assert.is(await store.get('lost'), undefined);
});

test.after(() => pglite.close());
test.run();
