// The index of evidence in a relational database (PostgreSQL's dialect).
import type { IndexedRow, IndexStore } from './index-store.ts';

/** The part of a database connection that the index needs; `services/common/database` has it. */
export interface IndexDatabase extends IndexQueries {
  script(text: string): Promise<void>;
  transaction<Result>(work: (queries: IndexQueries) => Promise<Result>): Promise<Result>;
}

export interface IndexQueries {
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

const SCHEMA = `
create table if not exists evidence_rows (
  log text not null,
  sequence bigint not null,
  kind text not null,
  action text not null,
  request text not null,
  time timestamptz not null,
  spiffe_id text not null,
  boundary text not null,
  subject jsonb not null,
  allow boolean,
  outcome text,
  reason_code text,
  rule text,
  controls text[] not null,
  decision_ids text[] not null,
  policy_revision text,
  leaf text not null,
  row text not null,
  primary key (log, sequence)
);
create index if not exists evidence_rows_time on evidence_rows (time);
create index if not exists evidence_rows_spiffe_id on evidence_rows (spiffe_id, time);
create index if not exists evidence_rows_action on evidence_rows (action);
create index if not exists evidence_rows_decision_ids on evidence_rows using gin (decision_ids);
create index if not exists evidence_rows_controls on evidence_rows using gin (controls);
create table if not exists evidence_checkpoints (
  log text primary key,
  size bigint not null,
  note text not null
);
`;

const columns: [name: string, type: string, read: (row: IndexedRow) => unknown][] = [
  ['log', 'text', (row) => row.log],
  ['sequence', 'bigint', (row) => row.sequence],
  ['kind', 'text', (row) => row.kind],
  ['action', 'text', (row) => row.action],
  ['request', 'text', (row) => row.request],
  ['time', 'timestamptz', (row) => row.time],
  ['spiffe_id', 'text', (row) => row.spiffeId],
  ['boundary', 'text', (row) => row.boundary],
  ['subject', 'jsonb', (row) => row.subject],
  ['allow', 'boolean', (row) => row.allow],
  ['outcome', 'text', (row) => row.outcome],
  ['reason_code', 'text', (row) => row.reasonCode],
  ['rule', 'text', (row) => row.rule],
  ['controls', 'text[]', (row) => row.controls],
  ['decision_ids', 'text[]', (row) => row.decisionIds],
  ['policy_revision', 'text', (row) => row.policyRevision],
  ['leaf', 'text', (row) => row.leaf],
  ['row', 'text', (row) => row.row],
];

const names = columns.map(([name]) => name).join(', ');
const types = columns.map(([name, type]) => `${name} ${type}`).join(', ');
// One statement a batch: the embedded database shares this thread with the services. A batch sent
// twice, because the answer to the first was lost, changes nothing.
const INSERT = `insert into evidence_rows (${names})
  select ${names} from json_to_recordset($1::json) as batch(${types})
  on conflict (log, sequence) do nothing`;
const CHECKPOINT = `insert into evidence_checkpoints (log, size, note) values ($1, $2, $3)
  on conflict (log) do update set size = excluded.size, note = excluded.note`;

/** Makes the tables on first use; the indexer tries again while the database is away. */
export class DatabaseIndex implements IndexStore {
  readonly #database: IndexDatabase;
  #ready = false;

  constructor(database: IndexDatabase) {
    this.#database = database;
  }

  head(log: string): ReturnType<IndexStore['head']> {
    return this.#prepared(async () => {
      // Counting finds a gap that the greatest number would hide.
      const [row] = await this.#database.query(
        `select count(*)::int as size, (select leaf from evidence_rows where log = $1
           order by sequence desc limit 1) as leaf from evidence_rows where log = $1`,
        [log],
      );
      return { size: Number(row?.size ?? 0), leaf: (row?.leaf as string | null) ?? undefined };
    });
  }

  add(rows: readonly IndexedRow[], checkpoint: string): Promise<void> {
    const size = Number(checkpoint.split('\n')[1]);
    const add = async (queries: IndexQueries) => {
      await queries.query(INSERT, [JSON.stringify(rows.map(encode))]);
      if (rows[0]) await queries.query(CHECKPOINT, [rows[0].log, size, checkpoint]);
    };
    return this.#prepared(() => this.#database.transaction(add));
  }

  async clear(log: string): Promise<void> {
    await this.#prepared(() =>
      this.#database.query('delete from evidence_rows where log = $1', [log]),
    );
  }

  // The tables are asked for again after any failure: the database that comes back may be another.
  async #prepared<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      if (!this.#ready) await this.#database.script(SCHEMA);
      this.#ready = true;
      return await work();
    } catch (error) {
      this.#ready = false;
      throw error;
    }
  }
}

function encode(row: IndexedRow): Record<string, unknown> {
  return Object.fromEntries(columns.map(([name, , read]) => [name, storable(read(row))]));
}

// PostgreSQL's text and jsonb hold no U+0000. The row's own text has it escaped and stays exact.
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd');
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [storable(key), storable(inner)]),
  );
}
