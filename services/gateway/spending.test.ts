// Every store of sums through one contract: in memory, embedded database, PostgreSQL 15.
import { suite, test } from 'uvu';
import * as assert from 'uvu/assert';
import { DatabaseError } from '../../runtime/errors.ts';
import { needs } from '../../runtime/testing/needs.ts';
import { openPg } from '../common/database/pg.ts';
import { openPglite } from '../common/database/pglite.ts';
import type { Database } from '../common/database/port.ts';
import { startPostgres } from '../common/database/testing/postgres.ts';
import { MemoryKeyValue } from '../common/keyvalue/keyvalue.ts';
import { KeyValueSpending, type Spending } from './spending.ts';
import { DatabaseSpending } from './spending-database.ts';

/** `open` gives another store over the same content, as after a restart. */
function contract(name: string, open: () => Spending) {
  const check = suite(`spending: ${name}`);
  check('adds by subject and month, and gives back', async () => {
    assert.is(await open().add('a', '2026-05', 250), 250);
    assert.is(await open().add('a', '2026-05', 100), 350);
    assert.is(await open().add('a', '2026-05', -250), 100);
    assert.is(await open().add('a', '2026-05', 0), 100);
    assert.is(await open().add('a', '2026-06', 1), 1);
    assert.is(await open().add("b'; --", '2026-05', 0), 0);
    assert.is(await open().add('a', '2026-05', 2 ** 52), 2 ** 52 + 100);
  });
  check('of additions at one time each sees the others', async () => {
    const store = open();
    const sums = await Promise.all(Array.from({ length: 30 }, () => store.add('many', 'm', 7)));
    assert.equal(
      sums.sort((a, b) => a - b),
      Array.from({ length: 30 }, (_, index) => 7 * (index + 1)),
    );
  });
  check.run();
}

const memory = new MemoryKeyValue();
contract('memory', () => new KeyValueSpending(memory));

const pglite = await openPglite();
contract('PGlite', () => new DatabaseSpending(pglite));

if (needs('postgres')) {
  const postgres = startPostgres();
  const database = openPg({ url: postgres.url });
  contract('PostgreSQL', () => new DatabaseSpending(database));
  test.after(async () => {
    await database.close();
    postgres.remove();
  });
}

test('a database that is away is a clear code, and works again when it is back', async () => {
  let away = true;
  const database: Pick<Database, 'query' | 'script'> = {
    query: (text, values) => pglite.query(text, values),
    script: async (text) => {
      if (away) throw new DatabaseError('database_unavailable', 'away');
      return pglite.script(text);
    },
  };
  const store = new DatabaseSpending(database);
  const code = await store.add('x', 'm', 1).catch((error: DatabaseError) => error.code);
  assert.is(code, 'database_unavailable');
  away = false;
  assert.is(await store.add('x', 'm', 1), 1);
});

test.after(() => pglite.close());
test.run();
