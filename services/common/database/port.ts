// The port of the relational database: PostgreSQL's dialect, embedded (PGlite) or a server (pg).

/** What a column may hold on the way out; the same in both adapters. */
export type SqlValue =
  | null
  | boolean
  | number
  | string
  | Date
  | Uint8Array
  | SqlValue[]
  | { [key: string]: unknown };

export type SqlRow = Record<string, SqlValue>;

/** Runs statements; a transaction's own while inside one. */
export interface Queries {
  /**
   * One statement with `$1`-style parameters; resolves to its rows. `bigint` comes as a number and
   * is refused beyond 2^53, `timestamptz` as a Date, `bytea` as a Uint8Array, `jsonb` parsed.
   * Throws a DatabaseError: `database_unavailable` (away; may be tried again), `database_conflict`
   * (unique key, serialization), `database_query_failed` (anything else, a fault of ours).
   */
  query(text: string, values?: readonly unknown[]): Promise<SqlRow[]>;
}

export interface Database extends Queries {
  /** Several statements without parameters, such as a migration. */
  script(text: string): Promise<void>;
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}
