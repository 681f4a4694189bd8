// Brings the database index up to the segment, in the background, however long it was away.

import { setTimeout as sleep } from 'node:timers/promises';
import { hex } from '../hex.ts';
import { isJsonObject } from '../json.ts';
import type { CommittedState } from './commit.ts';
import type { RecordHashes } from './hashes.ts';
import type { IndexedRow, IndexStore } from './index-store.ts';
import { decodeRow } from './row.ts';
import { type CommittedRow, type RowPosition, readRows } from './rows.ts';

export interface IndexProgress {
  /** Rows the database has; undefined until it has answered once. */
  indexed: number | undefined;
  /** True while the last attempt failed. */
  away: boolean;
}

export interface IndexerOptions {
  store: IndexStore;
  log: string;
  record: RecordHashes;
  committed: () => Readonly<CommittedState>;
  onTrouble: (error: unknown) => void;
  retryMs: number;
  /** How long new rows gather before a batch is sent. */
  gatherMs: number;
}

const BATCH_ROWS = 256;
// A database that hangs must not keep the platform from stopping; the next start catches up.
const CLOSE_MS = 2000;

/** Follows one log. The segment is the truth: nothing waits for the database, nothing is lost. */
export class Indexer {
  readonly #options: IndexerOptions;
  #position: RowPosition | undefined;
  #away = false;
  #running: Promise<void> | undefined;
  #wanted = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /** Says that there may be new rows; they are sent a moment later, many at once. */
  wake(): void {
    this.#wanted = true;
    if (this.#running === undefined && !this.#away) this.#schedule(this.#options.gatherMs);
  }

  progress(): IndexProgress {
    return { indexed: this.#position?.sequence, away: this.#away };
  }

  /** Sends what waits now, if the database answers, and stops. */
  async close(): Promise<void> {
    const enough = new AbortController();
    const patience = sleep(CLOSE_MS, undefined, { signal: enough.signal }).catch(() => {});
    await Promise.race([this.flush(), patience]);
    enough.abort();
    clearTimeout(this.#timer);
  }

  /** Sends what waits now; resolves when the database has it or is away. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#running;
    this.#wanted = true;
    await this.#start();
  }

  #schedule(delayMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#start();
    }, delayMs).unref();
  }

  #start(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#wanted || this.#away) {
        this.#schedule(this.#away ? this.#options.retryMs : this.#options.gatherMs);
      }
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    try {
      this.#wanted = false;
      await this.#catchUp();
      this.#away = false;
    } catch (error) {
      this.#away = true;
      this.#position = undefined;
      this.#options.onTrouble(error);
    }
  }

  async #catchUp(): Promise<void> {
    const { store, committed } = this.#options;
    this.#position ??= await this.#startPosition();
    for (;;) {
      const state = committed();
      const position: RowPosition = { ...this.#position };
      const batch: IndexedRow[] = [];
      for await (const row of readRows(state, position)) {
        batch.push(this.#indexed(row));
        if (batch.length === BATCH_ROWS) break;
      }
      if (batch.length > 0) await store.add(batch, Buffer.from(state.note).toString('utf8'));
      this.#position = position;
      if (batch.length < BATCH_ROWS) return;
    }
  }

  // The database may be behind, or hold rows of a log that was restored: where its last row is not
  // the segment's row, it is indexed anew.
  async #startPosition(): Promise<RowPosition> {
    const { store, log, record, committed } = this.#options;
    const head = await store.head(log);
    const position = { offset: 0, sequence: 0 };
    if (head.size === 0) return position;
    for await (const row of readRows(committed(), position)) {
      if (row.sequence !== head.size - 1) continue;
      if (hex(record.leafHash(row.bytes)) === head.leaf) return position;
      break;
    }
    await store.clear(log);
    return { offset: 0, sequence: 0 };
  }

  #indexed({ bytes, sequence }: CommittedRow): IndexedRow {
    const row = decodeRow(bytes);
    const outputs = row.decisions.map(({ output }) => (isJsonObject(output) ? output : {}));
    const rule = outputs.map((output) => output.rule).find((id) => typeof id === 'string');
    return {
      log: row.log,
      sequence,
      kind: row.kind,
      action: row.action,
      request: row.request,
      time: row.time,
      spiffeId: row.spiffe_id,
      boundary: row.boundary,
      subject: row.subject,
      allow: outputs.length > 0 ? outputs.every((output) => output.allow === true) : undefined,
      outcome: row.outcome,
      reasonCode: row.reason?.code,
      rule,
      controls: row.controls,
      decisionIds: row.decisions.map(({ id }) => id),
      policyRevision: row.decisions[0]?.policy_revision,
      leaf: hex(this.#options.record.leafHash(bytes)),
      row: Buffer.from(bytes).toString('utf8'),
    };
  }
}
