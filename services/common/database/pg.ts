// The database server: PostgreSQL over its wire protocol, through a pool of connections.
import pg from 'pg';
import { DatabaseError } from '../../../runtime/errors.ts';
import { databaseError } from './errors.ts';
import type { Database, Queries, SqlRow } from './port.ts';
import { BYTEA, INT8, parseBytea, parseInt8 } from './values.ts';

export interface PgConfig {
  /** `postgres://user:password@host:port/database`, or a socket folder as `?host=/folder`. */
  url: string;
  poolMax?: number;
  connectTimeoutMs?: number;
  statementTimeoutMs?: number;
}

const ownParsers = new Map<number, (text: string) => unknown>([
  [INT8, parseInt8],
  [BYTEA, parseBytea],
]);

/** Opens a pool; connections are made when first used, so a database that is away shows then. */
export function openPg(config: PgConfig): Database {
  const pool = new pg.Pool({
    connectionString: config.url,
    max: config.poolMax ?? 8,
    connectionTimeoutMillis: config.connectTimeoutMs ?? 5000,
    statement_timeout: config.statementTimeoutMs ?? 30_000,
    types: {
      getTypeParser(id: number, format?: 'text' | 'binary') {
        const own = format === 'binary' ? undefined : ownParsers.get(id);
        return own ?? pg.types.getTypeParser(id, format);
      },
    } as pg.CustomTypesConfig,
  });
  // An idle connection that the server closes is no event of ours: the next query opens another.
  pool.on('error', () => {});
  return {
    ...queriesOf(pool),
    async script(text) {
      await failing(pool.query(text));
    },
    transaction: (work) => inTransaction(pool, work),
    async close() {
      if (!pool.ended) await failing(pool.end());
    },
  };
}

async function inTransaction<Result>(
  pool: pg.Pool,
  work: (queries: Queries) => Promise<Result>,
): Promise<Result> {
  const client = await failing(pool.connect());
  // A connection that breaks while it is checked out says so here as well as in its query.
  client.on('error', ignore);
  let broken: Error | undefined;
  try {
    await failing(client.query('BEGIN'));
    const result = await work(queriesOf(client));
    const { command } = await failing(client.query('COMMIT'));
    // PostgreSQL answers the COMMIT of a failed transaction with a rollback and no error.
    if (command === 'COMMIT') return result;
    throw new DatabaseError('database_query_failed', 'a statement of the transaction had failed');
  } catch (error) {
    await client.query('ROLLBACK').catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(broken);
  }
}

function ignore(): void {}

function queriesOf(connection: pg.Pool | pg.PoolClient): Queries {
  return {
    async query(text, values = []) {
      const result = await failing(connection.query<SqlRow>(text, values.map(bindable)));
      return result.rows;
    },
  };
}

function bindable(value: unknown): unknown {
  return value instanceof Uint8Array && !Buffer.isBuffer(value) ? Buffer.from(value) : value;
}

async function failing<Result>(promise: Promise<Result>): Promise<Result> {
  try {
    return await promise;
  } catch (error) {
    throw databaseError(error);
  }
}
