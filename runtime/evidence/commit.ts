// Group commit: many rows, one write and one sync; one failure stops all until the disk is back.
import { EvidenceError } from '../errors.ts';
import { hex } from '../hex.ts';
import { signCheckpoint } from './checkpoint.ts';
import type { EvidenceFiles, SegmentFile } from './files.ts';
import { encodeFrame } from './frame.ts';
import type { RecordHashes } from './hashes.ts';
import type { LogIdentity } from './identity.ts';
import type { Frontier } from './merkle.ts';
import type { NoteSigner } from './note.ts';
import type { OpeningsSink } from './openings.ts';
import type { OpenIntent } from './recover.ts';
import { type EvidenceDraft, type EvidenceRow, encodeRow } from './row.ts';
import type { Witness } from './witness.ts';

/** What is on the disk and covered by a checkpoint. */
export interface CommittedState {
  segment: SegmentFile;
  frontier: Frontier;
  /** Where the next commit group goes, in bytes. */
  end: number;
  /** The checkpoint over all of it. */
  note: Uint8Array;
}

export interface GroupCommitOptions extends LogIdentity {
  files: EvidenceFiles;
  segmentPath: string;
  state: CommittedState;
  witness: Witness;
  signer: NoteSigner;
  record: RecordHashes;
  openings: OpeningsSink | undefined;
  onTrouble: (error: unknown) => void;
  onCommit: () => void;
  /** Called after a recovery with intents that became durable but whose append was rejected. */
  onRevived: (intents: OpenIntent[]) => Promise<void>;
  retryMs: number;
  pendingRowsMax: number;
}

interface Pending {
  draft: EvidenceDraft;
  sequence: number;
  bytes: Uint8Array;
  leaf: Uint8Array;
  resolve: (row: EvidenceRow) => void;
  reject: (error: EvidenceError) => void;
}

const GROUP_ROWS_MAX = 4096;
const GROUP_BYTES_MAX = 16 * 1024 * 1024;

/** The writer of one segment. */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #committed: CommittedState;
  #pending: Pending[] = [];
  #nextSequence: number;
  #running: Promise<void> | undefined;
  #reviving: Promise<void> | undefined;
  #failure: unknown;
  #failedAt = 0;
  #state: 'open' | 'failed' | 'closed' = 'open';
  #closing = false;
  /** Intents on the disk whose append was rejected, so that nobody will close them. */
  #orphans: OpenIntent[] = [];

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#committed = options.state;
    this.#nextSequence = options.state.frontier.size;
  }

  get committed(): Readonly<CommittedState> {
    return this.#committed;
  }

  get state(): 'open' | 'failed' | 'closed' {
    return this.#state;
  }

  /** See `EvidenceLog.append`. */
  async append(draft: EvidenceDraft): Promise<EvidenceRow> {
    if (this.#state === 'failed' && !this.#closing) await this.#revive();
    if (this.#state !== 'open' || this.#closing)
      throw this.#unavailable('the evidence log is closed');
    if (this.#pending.length >= this.#options.pendingRowsMax) {
      throw this.#unavailable('too many rows wait for the disk');
    }
    const { log, record } = this.#options;
    const sequence = this.#nextSequence;
    // All that can fail for this row alone is done here, before it can spoil a group.
    const bytes = encodeRow(draft, log, sequence, record);
    const leaf = record.leafHash(bytes);
    this.#nextSequence++;
    return new Promise((resolve, reject) => {
      this.#pending.push({ draft, sequence, bytes, leaf, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Commits what waits and refuses what comes. */
  async close(): Promise<void> {
    // From here on no row can come, so the last one is committed once nothing runs any more.
    this.#closing = true;
    await this.#reviving?.catch(() => {});
    await this.#running;
    const failed = this.#state === 'failed';
    this.#state = 'closed';
    if (!failed) await this.#options.witness.sync(this.#committed.note);
  }

  async closeFiles(): Promise<void> {
    await this.#options.witness.close();
    await this.#committed.segment.close();
  }

  // Rows that come while a group is being synced make up the next one.
  async #run(): Promise<void> {
    await null;
    while (this.#pending.length > 0 && this.#state === 'open') {
      const group = this.#takeGroup();
      try {
        await this.#commit(group);
      } catch (error) {
        this.#fail(error, group);
      }
    }
    this.#running = undefined;
  }

  #takeGroup(): Pending[] {
    let bytes = 0;
    let rows = 0;
    while (rows < this.#pending.length && rows < GROUP_ROWS_MAX && bytes < GROUP_BYTES_MAX) {
      bytes += this.#pending[rows++]!.bytes.byteLength;
    }
    return this.#pending.splice(0, rows);
  }

  async #commit(group: Pending[]): Promise<void> {
    const { log, origin, signer, witness } = this.#options;
    const { segment, end } = this.#committed;
    const frontier = this.#committed.frontier.copy();
    const frames: Uint8Array[] = [];
    for (const { bytes, leaf } of group) {
      frontier.push(leaf);
      frames.push(encodeFrame('row', bytes));
    }
    const note = signCheckpoint({ origin, size: frontier.size, root: frontier.root() }, signer);
    frames.push(encodeFrame('checkpoint', note));
    const bytes = Buffer.concat(frames);
    const openings = this.#keepOpenings(group);
    await segment.write(bytes, end);
    await segment.datasync();
    this.#committed = { segment, frontier, end: end + bytes.byteLength, note };
    await witness.publish(note);
    await openings;
    for (const { sequence, leaf, bytes, resolve } of group) {
      resolve({ log, sequence, leaf: hex(leaf), bytes });
    }
    this.#options.onCommit();
  }

  // Openings are no evidence: a row without them is still whole, its decisions are undetermined.
  async #keepOpenings(group: Pending[]): Promise<void> {
    const { openings, onTrouble } = this.#options;
    if (openings === undefined) return;
    const all = group.flatMap(({ draft }) => draft.openings ?? []);
    if (all.length > 0) await openings.keep(all).catch(onTrouble);
  }

  #fail(error: unknown, group: Pending[]): void {
    this.#state = 'failed';
    this.#failure = error;
    this.#failedAt = performance.now();
    const refused = [...group, ...this.#pending];
    this.#pending = [];
    const size = this.#committed.frontier.size;
    for (const { draft, sequence } of refused) {
      if (draft.kind === 'intent' && sequence < size) this.#orphans.push(intentOf(draft, sequence));
    }
    this.#nextSequence = size;
    const reason = this.#unavailable('the evidence log cannot be written');
    for (const row of refused) row.reject(reason);
    this.#options.onTrouble(error);
  }

  // One caller in `retryMs` tries the disk again; the others are refused at once.
  async #revive(): Promise<void> {
    if (this.#reviving || performance.now() - this.#failedAt < this.#options.retryMs) {
      throw this.#unavailable('the evidence log cannot be written');
    }
    this.#reviving = this.#reopen();
    try {
      await this.#reviving;
    } catch (error) {
      this.#failure = error;
      this.#failedAt = performance.now();
      throw this.#unavailable('the evidence log cannot be written');
    } finally {
      this.#reviving = undefined;
    }
    const orphans = this.#orphans.splice(0);
    if (orphans.length > 0) this.#options.onRevived(orphans).catch(this.#options.onTrouble);
  }

  // After a failed sync the kernel may drop what it could not write and call the pages clean, so
  // the rest of the failed group is cut off and a fresh handle is used.
  async #reopen(): Promise<void> {
    const { files, segmentPath, witness } = this.#options;
    const { end, note } = this.#committed;
    const segment = await files.openSegment(segmentPath);
    try {
      const size = await segment.size();
      if (size < end) {
        throw new EvidenceError('evidence_truncated', `the segment is ${size} bytes, not ${end}`);
      }
      if (size > end) await segment.truncate(end);
      await segment.datasync();
      await witness.sync(note);
    } catch (error) {
      await segment.close();
      throw error;
    }
    await this.#committed.segment.close().catch(() => {});
    this.#committed = { ...this.#committed, segment };
    this.#failure = undefined;
    this.#state = 'open';
  }

  #unavailable(message: string): EvidenceError {
    return new EvidenceError('evidence_unavailable', message, {
      cause: this.#failure,
      hint: 'No action may go on without evidence; check the disk of the state folder.',
    });
  }
}

function intentOf(draft: EvidenceDraft, sequence: number): OpenIntent {
  const { action, request, spiffe_id, boundary, subject, controls } = draft;
  return { action, request, spiffe_id, boundary, subject, controls: [...controls], sequence };
}
