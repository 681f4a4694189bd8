// The folder outside the database and the log where every commit group's checkpoint is kept.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EvidenceError } from '../errors.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import type { EvidenceFiles, EvidenceReader, SegmentFile } from './files.ts';
import { formatNoteKey, type NoteKey } from './note.ts';

const SYNC_WITHIN_MS = 5000;
const READ_AGAIN_MS = 20;

/** What the folder holds of one log. */
export interface Witnessed {
  /** At least one, each with its signature checked. */
  checkpoints: Checkpoint[];
  /**
   * Why the latest checkpoint is not among them. A power cut can do that, but so can whoever cuts
   * rows off the log: the rows of the last seconds before are then not known to be all there.
   */
  damage: string | undefined;
}

/**
 * Two files for each log: `<log>.checkpoint`, overwritten with every commit group, and
 * `<log>.synced.checkpoint`, replaced as one step and synced to the disk within five seconds. The rows
 * are durable in the segment, which carries each checkpoint as well; a power cut may set this folder
 * back by those seconds, which weakens only what it witnesses of them. Syncing it with every group
 * would double the price of a row, and so would replacing a file by renaming (ext4 then flushes).
 */
export class Witness {
  readonly #files: EvidenceFiles;
  readonly #path: string;
  readonly #key: NoteKey;
  #file: SegmentFile | undefined;
  #length = 0;
  #latest: Uint8Array = new Uint8Array(0);
  #syncedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #syncing: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | undefined;

  readonly #syncWithinMs: number;

  constructor(
    files: EvidenceFiles,
    folder: string,
    log: string,
    key: NoteKey,
    syncWithinMs = SYNC_WITHIN_MS,
  ) {
    this.#files = files;
    this.#path = join(folder, log);
    this.#key = key;
    this.#syncWithinMs = syncWithinMs;
  }

  /** Writes the first checkpoint and the key that verifies all (`<log>.key`). */
  async begin(note: Uint8Array): Promise<void> {
    const key = `${formatNoteKey(this.#key)}\n`;
    await this.#files.replace(`${this.#path}.key`, Buffer.from(key, 'utf8'));
    await this.sync(note);
  }

  /** Overwrites the checkpoint. Throws also for a sync that failed since the last call. */
  async publish(note: Uint8Array): Promise<void> {
    await this.#overwrite(note);
    const waitMs = this.#syncedAt + this.#syncWithinMs - performance.now();
    if (waitMs <= 0) this.#syncLatest();
    // The last one before a silence must get to the disk as well.
    else this.#timer ??= setTimeout(() => this.#syncLatest(), waitMs).unref();
  }

  /** Publishes the checkpoint and waits until it is on the disk. */
  async sync(note: Uint8Array): Promise<void> {
    await this.#overwrite(note);
    this.#syncLatest();
    await this.#syncing;
    this.#throwFailure();
  }

  /** What is kept here; throws where nothing is left, or what was synced does not hold. */
  read(): Promise<Witnessed> {
    return readWitnessed(this.#files, this.#path, (note) => openCheckpoint(note, this.#key));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#syncing;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #overwrite(note: Uint8Array): Promise<void> {
    this.#throwFailure();
    this.#file ??= await this.#open();
    if (note.byteLength < this.#length) await this.#file.truncate(note.byteLength);
    this.#length = note.byteLength;
    await this.#file.write(note, 0);
    this.#latest = note;
  }

  #syncLatest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#syncedAt = performance.now();
    const note = this.#latest;
    this.#syncing = this.#syncing
      .then(() => this.#files.replace(`${this.#path}.synced.checkpoint`, note))
      .catch((cause: unknown) => {
        this.#failure = { error: cause };
      });
  }

  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  async #open(): Promise<SegmentFile> {
    const file = await this.#files.openSegment(`${this.#path}.checkpoint`);
    this.#length = await file.size();
    return file;
  }
}

/**
 * What is kept at `<folder>/<log>`, each opened by `open`; throws where nothing is left (`checkpoint_missing`), or what was
 * synced does not hold (`checkpoint_invalid`).
 */
export async function readWitnessed(
  files: Pick<EvidenceReader, 'read'>,
  path: string,
  open: (note: Uint8Array) => Checkpoint,
): Promise<Witnessed> {
  const synced = await files.read(`${path}.synced.checkpoint`);
  const checkpoints = synced ? [open(synced)] : [];
  let damage: string | undefined;
  try {
    const latest = await readLatest(files, path, open);
    if (latest) checkpoints.push(latest);
    else damage = 'it is missing';
  } catch (error) {
    if (!(error instanceof EvidenceError) || checkpoints.length === 0) throw error;
    damage = error.message;
  }
  if (checkpoints.length > 0) return { checkpoints, damage };
  throw new EvidenceError('checkpoint_missing', `no checkpoint of the log is at ${path}`, {
    hint: 'Restore the checkpoints folder; without it a shortened log cannot be told.',
  });
}

// An audit beside a running platform may read while the file is being overwritten.
async function readLatest(
  files: Pick<EvidenceReader, 'read'>,
  path: string,
  open: (note: Uint8Array) => Checkpoint,
): Promise<Checkpoint | undefined> {
  const read = async () => {
    const latest = await files.read(`${path}.checkpoint`);
    return latest && open(latest);
  };
  return read().catch(() => sleep(READ_AGAIN_MS).then(read));
}

/** The names of logs that have a checkpoint in the folder. */
export async function witnessedLogs(
  files: Pick<EvidenceReader, 'list'>,
  folder: string,
): Promise<string[]> {
  const suffix = '.synced.checkpoint';
  const names = await files.list(folder);
  return names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
}
