// The port of the database that indexes evidence, and its in-memory form.
import type { JsonObject } from '../json.ts';

/** One row as the database indexes it. */
export interface IndexedRow {
  log: string;
  sequence: number;
  kind: string;
  action: string;
  request: string;
  time: string;
  spiffeId: string;
  boundary: string;
  subject: JsonObject;
  allow: boolean | undefined;
  outcome: string | undefined;
  reasonCode: string | undefined;
  rule: string | undefined;
  controls: string[];
  decisionIds: string[];
  policyRevision: string | undefined;
  /** Hexadecimal leaf hash. */
  leaf: string;
  /** The row's canonical JSON, byte for byte. */
  row: string;
}

/** Where the database stands: rows indexed without a gap, and the last one's leaf hash. */
export interface IndexHead {
  size: number;
  leaf: string | undefined;
}

/** What the indexer asks of a database. Any method may throw while it is away. */
export interface IndexStore {
  head(log: string): Promise<IndexHead>;
  /** Adds the rows that follow `head`, and the checkpoint over them, as one step. */
  add(rows: readonly IndexedRow[], checkpoint: string): Promise<void>;
  /** Forgets the log, so that it is indexed anew from the segment. */
  clear(log: string): Promise<void>;
}

/** An index in memory. */
export class MemoryIndex implements IndexStore {
  readonly #rows = new Map<string, IndexedRow[]>();
  checkpoint: string | undefined;

  async head(log: string): Promise<IndexHead> {
    const rows = this.rows(log);
    return { size: rows.length, leaf: rows.at(-1)?.leaf };
  }

  async add(rows: readonly IndexedRow[], checkpoint: string): Promise<void> {
    for (const row of rows) this.#rows.set(row.log, [...this.rows(row.log), row]);
    this.checkpoint = checkpoint;
  }

  async clear(log: string): Promise<void> {
    this.#rows.delete(log);
  }

  /** A copy of what is indexed. */
  rows(log: string): IndexedRow[] {
    return [...(this.#rows.get(log) ?? [])];
  }
}
