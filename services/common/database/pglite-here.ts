// PGlite (PostgreSQL compiled to WebAssembly) in the calling thread, which it blocks while it works.
import { PGlite, type Transaction } from '@electric-sql/pglite';
import { pgcrypto } from '@electric-sql/pglite/contrib/pgcrypto';
import { databaseError } from './errors.ts';
import type { Database, Queries, SqlRow } from './port.ts';
import { BYTEA, INT8, parseBytea, parseInt8 } from './values.ts';

export interface PgliteConfig {
  /** Folder of the data; in memory without one. */
  folder?: string;
}

// What `create extension` finds, as a server has it installed.
const extensions = { pgcrypto };
const parsers = { [INT8]: parseInt8, [BYTEA]: parseBytea };

/** Opens PGlite in this thread; services use `openPglite`, which gives it one of its own. */
export async function openPgliteHere(config: PgliteConfig = {}): Promise<Database> {
  const database = await failing(PGlite.create({ dataDir: config.folder, parsers, extensions }));
  return {
    ...queriesOf(database),
    async script(text) {
      await failing(database.exec(text));
    },
    transaction: (work) => inTransaction(database, work),
    async close() {
      if (!database.closed) await failing(database.close());
    },
  };
}

async function inTransaction<Result>(
  database: PGlite,
  work: (queries: Queries) => Promise<Result>,
): Promise<Result> {
  let thrown: { error: unknown } | undefined;
  const transaction = database.transaction(async (open) => {
    try {
      const result = await work(queriesOf(open));
      // Asks, because COMMIT of a failed transaction rolls back and says nothing.
      await failing(open.query('select 1'));
      return result;
    } catch (error) {
      thrown = { error };
      throw error;
    }
  });
  try {
    return await failing(transaction);
  } catch (error) {
    // What `work` threw comes out unchanged; only the driver's own errors are translated.
    throw thrown ? thrown.error : error;
  }
}

function queriesOf(connection: PGlite | Transaction): Queries {
  return {
    async query(text, values = []) {
      const result = await failing(connection.query<SqlRow>(text, values.map(bindable)));
      return result.rows;
    },
  };
}

function bindable(value: unknown): unknown {
  return value instanceof Uint8Array ? new Uint8Array(value) : value;
}

async function failing<Result>(promise: Promise<Result>): Promise<Result> {
  try {
    return await promise;
  } catch (error) {
    throw databaseError(error);
  }
}
