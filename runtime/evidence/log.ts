// The evidence log: appends rows with group commit, fails closed, and survives crashes.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { EvidenceError, PlatformError } from '../errors.ts';
import { signCheckpoint } from './checkpoint.ts';
import { type CommittedState, GroupCommit } from './commit.ts';
import { type EvidenceFiles, nodeFiles } from './files.ts';
import { requireOwnLog } from './hand-over.ts';
import type { RecordHashes } from './hashes.ts';
import { type LogIdentity, newIdentity, readIdentity, writeIdentity } from './identity.ts';
import type { IndexStore } from './index-store.ts';
import { Indexer, type IndexProgress } from './indexer.ts';
import { takeLock } from './lock.ts';
import { Frontier } from './merkle.ts';
import type { NoteKey, NoteSigner } from './note.ts';
import { ObjectStore } from './objects.ts';
import type { OpeningsSink } from './openings.ts';
import { type OpenIntent, recoverSegment, unknownOutcome } from './recover.ts';
import type { EvidenceDraft, EvidenceRow } from './row.ts';
import { type CommittedRow, readRows } from './rows.ts';
import { Witness } from './witness.ts';

/** Where every action's rows go; the in-memory form is `memoryEvidenceLog`. */
export interface EvidenceLog {
  /**
   * Resolves when the row is synced to the disk and covered by a checkpoint that is kept outside
   * the log too. Rejects with `evidence_row_invalid` (this row cannot be written) or
   * `evidence_unavailable` (no row can: the action must not go on).
   */
  append(draft: EvidenceDraft): Promise<EvidenceRow>;
  /** Keeps bytes under their digest, durably, and returns `sha256:<hex>`. */
  putObject(bytes: Uint8Array): Promise<string>;
  close(): Promise<void>;
}

export interface EvidenceLogOptions {
  /** The log's own folder. */
  dir: string;
  /** Where checkpoints are kept outside the log; never the same folder. */
  checkpointsDir: string;
  signer: NoteSigner;
  record: RecordHashes;
  /** Name of a new log; random by default. An existing log keeps its name. */
  logId?: string;
  /** Prefix of the checkpoints' origin line; the log id follows. */
  originPrefix?: string;
  clock?: () => Date;
  fs?: EvidenceFiles;
  /** The database that indexes the rows; it may be away, the segment is the truth. */
  index?: IndexStore;
  /** The encrypted store of openings; without it they are not kept. */
  openings?: OpeningsSink;
  /** Told of trouble that does not stop the log: the index or the openings cannot be written. */
  onTrouble?: (error: unknown) => void;
  /** How long a failed log waits before it tries its disk again, in milliseconds. */
  retryMs?: number;
  /** Rows that may wait for the disk at once; above it, appends are refused. */
  pendingRowsMax?: number;
}

export interface EvidenceStatus {
  log: string;
  origin: string;
  state: 'open' | 'failed' | 'closed';
  /** Committed rows. */
  size: number;
  /** The last checkpoint's note. */
  checkpoint: string;
  index: IndexProgress | undefined;
}

/**
 * Opens the log in `dir`, or creates it; recovers from a crash first: what was never acknowledged
 * is cut off, and every intent without an outcome gets one (`unknown`). Throws `state_locked`,
 * `state_unwritable`, `evidence_truncated`, `evidence_corrupt`, `checkpoint_missing` or
 * `checkpoint_invalid`.
 */
export async function openEvidenceLog(options: EvidenceLogOptions): Promise<SegmentLog> {
  const files = options.fs ?? nodeFiles;
  let release: (() => void) | undefined;
  try {
    await files.makeFolder(options.dir);
    await files.makeFolder(options.checkpointsDir);
    release = takeLock(files, join(options.dir, 'lock'));
    return await openLocked(options, files, release);
  } catch (error) {
    release?.();
    if (error instanceof PlatformError) throw error;
    throw new EvidenceError('state_unwritable', `the evidence folder ${options.dir} is unusable`, {
      cause: error,
      hint: 'Check that the disk has room and that the folder is writable.',
    });
  }
}

async function openLocked(
  options: EvidenceLogOptions,
  files: EvidenceFiles,
  release: () => void,
): Promise<SegmentLog> {
  const { dir, record, signer } = options;
  const known = await readIdentity(files, dir);
  const identity = known ?? (await newIdentity(files, options));
  const key: NoteKey = { name: identity.origin, publicKey: signer.publicKey };
  const witness = new Witness(files, options.checkpointsDir, identity.log, key);
  const empty = { origin: identity.origin, size: 0, root: new Frontier(record).root() };
  const firstNote = signCheckpoint(empty, signer);
  if (known === undefined) {
    await witness.begin(firstNote);
    await writeIdentity(files, dir, identity);
  }
  const witnessed = await witness.read();
  const segmentPath = join(dir, 'segment');
  const segment = await files.openSegment(segmentPath);
  try {
    const found = await recoverSegment(segment, {
      ...{ log: identity.log, key, record, witnessed: witnessed.checkpoints },
    });
    if (found.note) requireOwnLog(found.note, key);
    if ((await segment.size()) > found.end) {
      await segment.truncate(found.end);
      await segment.datasync();
    }
    const note = found.note ?? firstNote;
    await witness.sync(note);
    const state = { segment, frontier: found.frontier, end: found.end, note };
    const log = new SegmentLog(options, { files, segmentPath, identity, witness, release, state });
    await log.closeIntents(found.openIntents);
    if (witnessed.damage !== undefined) await log.recordDamage(witnessed.damage);
    return log;
  } catch (error) {
    await witness.close();
    await segment.close();
    throw error;
  }
}

// Below the number of rows that may wait for the disk, however many intents a crash left open.
const CLOSED_AT_ONCE = 256;

/** What a log stands on once it is open. */
interface Opened {
  files: EvidenceFiles;
  segmentPath: string;
  identity: LogIdentity;
  witness: Witness;
  release: () => void;
  state: CommittedState;
}

/** The log on an append-only segment file; made by `openEvidenceLog`. */
export class SegmentLog implements EvidenceLog {
  readonly #commits: GroupCommit;
  readonly #identity: LogIdentity;
  readonly #objects: ObjectStore;
  readonly #indexer: Indexer | undefined;
  readonly #clock: () => Date;
  readonly #release: () => void;
  readonly #onTrouble: (error: unknown) => void;
  #closed: Promise<void> | undefined;

  constructor(options: EvidenceLogOptions, opened: Opened) {
    this.#identity = opened.identity;
    this.#clock = options.clock ?? (() => new Date());
    this.#release = opened.release;
    this.#onTrouble = options.onTrouble ?? (() => {});
    this.#objects = new ObjectStore(opened.files, options.dir);
    this.#commits = new GroupCommit({
      ...opened,
      ...opened.identity,
      signer: options.signer,
      record: options.record,
      openings: options.openings,
      onTrouble: this.#onTrouble,
      onCommit: () => this.#indexer?.wake(),
      onRevived: (intents) => this.closeIntents(intents),
      retryMs: options.retryMs ?? 1000,
      pendingRowsMax: options.pendingRowsMax ?? 16_384,
    });
    if (options.index === undefined) return;
    this.#indexer = new Indexer({
      store: options.index,
      log: opened.identity.log,
      record: options.record,
      committed: () => this.#commits.committed,
      onTrouble: this.#onTrouble,
      retryMs: options.retryMs ?? 1000,
      gatherMs: 100,
    });
    this.#indexer.wake();
  }

  append(draft: EvidenceDraft): Promise<EvidenceRow> {
    return this.#commits.append(draft);
  }

  putObject(bytes: Uint8Array): Promise<string> {
    return this.#objects.put(bytes);
  }

  /** The content-addressed store beside the log: schemas, bundles, modules. */
  get objects(): ObjectStore {
    return this.#objects;
  }

  /** Committed rows from a sequence number on, as they are on the disk. */
  rows(from = 0): AsyncGenerator<CommittedRow> {
    return readRows(this.#commits.committed, { offset: 0, sequence: 0 }, from);
  }

  status(): EvidenceStatus {
    const { frontier, note } = this.#commits.committed;
    return {
      ...this.#identity,
      state: this.#commits.state,
      size: frontier.size,
      checkpoint: Buffer.from(note).toString('utf8'),
      index: this.#indexer?.progress(),
    };
  }

  /** Brings the database index up to here; resolves at once where there is none, or it is away. */
  async flushIndex(): Promise<void> {
    await this.#indexer?.flush();
  }

  /** Gives each intent the outcome that is left when nobody can know it. */
  async closeIntents(intents: readonly OpenIntent[]): Promise<void> {
    const time = this.#clock().toISOString();
    for (let from = 0; from < intents.length; from += CLOSED_AT_ONCE) {
      const some = intents.slice(from, from + CLOSED_AT_ONCE);
      await Promise.all(some.map((intent) => this.append(unknownOutcome(intent, time))));
    }
  }

  /**
   * Reports that the latest checkpoint outside the log was damaged, and leaves a row that says so:
   * the file is overwritten from here on, but no audit must take the log for whole unasked.
   */
  async recordDamage(why: string): Promise<void> {
    const message = `the latest checkpoint outside the log cannot be read: ${why}`;
    this.#onTrouble(new EvidenceError('checkpoint_invalid', message));
    const action = randomUUID();
    await this.append({
      kind: 'event',
      ...{ action, request: action, time: this.#clock().toISOString(), spiffe_id: '' },
      ...{ boundary: 'console', subject: { evidence: 'checkpoint' }, decisions: [], controls: [] },
      reason: { code: 'checkpoint_invalid', message },
    });
  }

  /** Commits what waits and refuses what comes; a second call waits for the first. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    try {
      await this.#commits.close();
    } finally {
      await this.#indexer?.close();
      await this.#commits.closeFiles();
      this.#release();
    }
  }
}
