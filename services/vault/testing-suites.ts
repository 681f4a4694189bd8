// Test suites over the vault's databases: opened once a suite, emptied before each test.
import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { Conduct } from '../../runtime/evidence/audit/conduct.ts';
import { needs } from '../../runtime/testing/needs.ts';
import { openPg } from '../common/database/pg.ts';
import { openPglite } from '../common/database/pglite.ts';
import type { Database } from '../common/database/port.ts';
import { startPostgres } from '../common/database/testing/postgres.ts';
import { startVault, type TestVault } from './testing.ts';

export interface Engine {
  name: string;
  /** Whether the process is the only writer, so that the cache is on. */
  soleWriter: boolean;
  open(): Promise<{ database: Database; remove(): Promise<void> }>;
}

/** The databases to test on: embedded, and a server where there is one. */
export function engines(): Engine[] {
  const pglite: Engine = {
    name: 'PGlite',
    soleWriter: true,
    async open() {
      const database = await openPglite();
      return { database, remove: () => database.close() };
    },
  };
  const postgres: Engine = {
    name: 'PostgreSQL',
    soleWriter: false,
    async open() {
      const server = startPostgres();
      const database = openPg({ url: server.url });
      const remove = async () => {
        await database.close();
        server.remove();
      };
      return { database, remove };
    },
  };
  return needs('postgres') ? [pglite, postgres] : [pglite];
}

/** Empties the vault's tables, for the next test on the same database. */
export async function emptyTables(database: Database): Promise<void> {
  await database.script('drop table if exists vault_versions, vault_secrets, vault_master_keys');
}

/** A suite on one engine; `onOpen` gets the database before the first test. */
export function databaseSuite(
  { name, open }: Engine,
  title: string,
  onOpen: (database: Database) => void,
): Test {
  const test = suite(`${name}: ${title}`);
  let opened: Awaited<ReturnType<Engine['open']>>;
  test.before(async () => {
    opened = await open();
    onOpen(opened.database);
  });
  test.after(() => opened.remove());
  test.before.each(() => emptyTables(opened.database));
  return test;
}

/** A suite whose every test gets a new vault, and whose rows of evidence must be in order at its end. */
export function vaultSuite(
  engine: Engine,
  title: string,
  onStart: (vault: TestVault) => void,
): Test {
  let database: Database;
  let vault: TestVault;
  const test = databaseSuite(engine, title, (opened) => {
    database = opened;
  });
  test.before.each(async () => {
    vault = await startVault(database, { soleWriter: engine.soleWriter });
    onStart(vault);
  });
  test.after.each(async () => {
    const conduct = new Conduct();
    const problems = (await vault.rows()).map((row) => conduct.check(row)).filter(Boolean);
    await vault.close();
    assert.equal(problems, []);
    assert.is(conduct.openIntents, 0);
  });
  return test;
}
