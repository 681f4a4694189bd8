import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite, test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { openPg } from './pg.ts';
import { openPglite } from './pglite.ts';
import type { Database } from './port.ts';
import { startPostgres } from './testing/postgres.ts';

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error) => error.code,
  );

/** What every adapter must do, whichever engine is behind it. */
function contract(name: string, open: () => Promise<{ database: Database; done: () => void }>) {
  const check = suite(name);
  let database: Database;
  let done = () => {};
  check.before(async () => {
    ({ database, done } = await open());
    await database.script('create table item (id bigint primary key, name text); select 1;');
  });
  check.before.each(() => database.script('delete from item'));
  check.after(async () => {
    await database.close();
    done();
  });

  check('types come out alike', async () => {
    const time = '2026-01-31T12:00:00.123Z';
    const [row] = await database.query(
      `select $1::bigint as big, $2::int as small, $3::text as text, $4::timestamptz as time,
         $5::bytea as bytes, $6::jsonb as json, $7::text[] as list, $8::boolean as yes,
         null::text as nothing, $9::float8 as real`,
      [
        2 ** 53 - 1,
        7,
        "é'\\ \n",
        time,
        Uint8Array.of(0, 255),
        '{"a":[1]}',
        ['a', 'b,"c'],
        true,
        0.1,
      ],
    );
    assert.ok(row);
    assert.is(row.big, 2 ** 53 - 1);
    assert.is(row.small, 7);
    assert.is(row.text, "é'\\ \n");
    assert.is((row.time as Date).toISOString(), time);
    assert.equal([...(row.bytes as Uint8Array)], [0, 255]);
    assert.equal(row.json, { a: [1] });
    assert.equal(row.list, ['a', 'b,"c']);
    assert.is(row.yes, true);
    assert.is(row.nothing, null);
    assert.is(row.real, 0.1);
  });

  check('a bigint that a number cannot hold is refused, not rounded', async () => {
    const code = await codeOf(database.query('select 9007199254740993::bigint as big'));
    assert.is(code, 'database_query_failed');
  });

  check('a parameter is a value, never SQL', async () => {
    const hostile = "'); drop table item; --";
    await database.query('insert into item values (1, $1)', [hostile]);
    assert.equal(await database.query('select name from item'), [{ name: hostile }]);
  });

  check('a transaction is seen whole or not at all', async () => {
    const failure = new Error('of the caller');
    const thrown = await database
      .transaction(async (queries) => {
        await queries.query("insert into item values (1, 'a')");
        throw failure;
      })
      .catch((error) => error);
    assert.is(thrown, failure);
    assert.equal(await database.query('select * from item'), []);
    const result = await database.transaction(async (queries) => {
      await queries.query("insert into item values (1, 'a')");
      return 'done';
    });
    assert.is(result, 'done');
    assert.equal(await database.query('select id from item'), [{ id: 1 }]);
  });

  check('a transaction goes on to fail after one failed statement', async () => {
    const code = await codeOf(
      database.transaction(async (queries) => {
        await queries.query("insert into item values (1, 'a')");
        await queries.query('select nonsense').catch(() => {});
        await queries.query("insert into item values (2, 'b')");
      }),
    );
    assert.is(code, 'database_query_failed');
    assert.equal(await database.query('select * from item'), []);
  });

  check('a transaction cannot end well after a failure that nobody looked at', async () => {
    const code = await codeOf(
      database.transaction(async (queries) => {
        await queries.query("insert into item values (1, 'a')");
        await queries.query('select nonsense').catch(() => {});
      }),
    );
    assert.is(code, 'database_query_failed');
    assert.equal(await database.query('select * from item'), []);
  });

  check('concurrent transactions each see their own', async () => {
    const add = (id: number) =>
      database.transaction((queries) => queries.query('insert into item values ($1, null)', [id]));
    await Promise.all(Array.from({ length: 20 }, (_, id) => add(id)));
    assert.equal(await database.query('select count(*)::int as n from item'), [{ n: 20 }]);
  });

  check('failures have codes and never repeat a value', async () => {
    await database.query("insert into item values (1, 'secret-value')");
    const twice = await database
      .query("insert into item values (1, 'secret-value')")
      .catch((error) => error);
    assert.is(twice.code, 'database_conflict');
    assert.not.match(twice.message, 'secret-value');
    assert.is(await codeOf(database.query('selec')), 'database_query_failed');
    assert.is(await codeOf(database.query('select $1::int', ['x'])), 'database_query_failed');
  });

  check('closed is unavailable, and closing twice is fine', async () => {
    const { database: other, done: otherDone } = await open();
    await other.close();
    await other.close();
    assert.is(await codeOf(other.query('select 1')), 'database_unavailable');
    otherDone();
  });

  check.run();
}

contract('pglite', async () => ({ database: await openPglite(), done: () => {} }));

test('pglite does not hold up the thread that asks it', async () => {
  const database = await openPglite();
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await database.query('select count(*)::int as n from generate_series(1, 2000000)');
  clearInterval(timer);
  assert.ok(turns > 20, `${turns} turns of the event loop`);
  await database.close();
});

test('a database of pglite that is never closed does not keep the process alive', async () => {
  const url = new URL('./pglite.ts', import.meta.url);
  const script = `const { openPglite } = await import(${JSON.stringify(url.href)});
    const database = await openPglite(); await database.query('select 1'); console.log('done');`;
  const args = ['--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.is(stdout, 'done\n');
});

test('a folder that pglite cannot use is refused, and can be tried again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pglite-'));
  const path = join(folder, 'data');
  writeFileSync(path, 'a file, not a folder');
  const code = await codeOf(openPglite({ folder: path }));
  assert.match(code, /^database_/);
  rmSync(path);
  const database = await openPglite({ folder: path });
  assert.equal(await database.query('select 1 as one'), [{ one: 1 }]);
  await database.close();
  rmSync(folder, { recursive: true });
});

test('pglite keeps its folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pglite-'));
  const first = await openPglite({ folder });
  await first.script('create table kept (id int); insert into kept values (1)');
  await first.close();
  const second = await openPglite({ folder });
  assert.equal(await second.query('select * from kept'), [{ id: 1 }]);
  await second.close();
  rmSync(folder, { recursive: true });
});

if (needs('postgres')) {
  const server = startPostgres();
  process.on('exit', () => server.remove());
  contract('postgresql', async () => {
    const database = openPg({ url: server.url });
    return { database, done: () => database.script('drop table if exists item').catch(() => {}) };
  });

  test('a server that goes away and comes back needs no new pool', async () => {
    const database = openPg({ url: server.url, connectTimeoutMs: 2000 });
    assert.equal(await database.query('select 1 as one'), [{ one: 1 }]);
    server.stop();
    assert.is(await codeOf(database.query('select 1')), 'database_unavailable');
    const inside = database.transaction((queries) => queries.query('select 1'));
    assert.is(await codeOf(inside), 'database_unavailable');
    server.start();
    assert.equal(await database.query('select 1 as one'), [{ one: 1 }]);
    await database.close();
  });
}

test.run();
