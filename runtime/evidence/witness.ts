// The folder outside the database and the log where every commit group's checkpoint is kept.
import { join } from 'node:path';
import { EvidenceError } from '../errors.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import type { EvidenceFiles, SegmentFile } from './files.ts';
import { formatNoteKey, type NoteKey } from './note.ts';

const SYNC_EVERY_MS = 5000;

/**
 * Two files for each log: `<log>.checkpoint`, overwritten with every commit group, and
 * `<log>.synced.checkpoint`, replaced as one step and synced to the disk every few seconds. The rows
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
  #syncedAt = 0;
  #syncing: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | undefined;

  constructor(files: EvidenceFiles, folder: string, log: string, key: NoteKey) {
    this.#files = files;
    this.#path = join(folder, log);
    this.#key = key;
  }

  /** Writes the first checkpoint and the key that verifies all (`<log>.key`). */
  async begin(note: Uint8Array): Promise<void> {
    const key = `${formatNoteKey(this.#key)}\n`;
    await this.#files.replace(`${this.#path}.key`, Buffer.from(key, 'utf8'));
    await this.sync(note);
  }

  /** Overwrites the checkpoint. Throws also for a sync that failed since the last call. */
  async publish(note: Uint8Array): Promise<void> {
    const { error } = this.#failure ?? {};
    this.#failure = undefined;
    if (error !== undefined) throw error;
    this.#file ??= await this.#open();
    if (note.byteLength < this.#length) await this.#file.truncate(note.byteLength);
    this.#length = note.byteLength;
    await this.#file.write(note, 0);
    if (performance.now() - this.#syncedAt < SYNC_EVERY_MS) return;
    this.#syncedAt = performance.now();
    this.#syncing = this.#syncing
      .then(() => this.#files.replace(`${this.#path}.synced.checkpoint`, note))
      .catch((cause: unknown) => {
        this.#failure = { error: cause };
      });
  }

  /** Publishes the checkpoint and waits until it is on the disk. */
  async sync(note: Uint8Array): Promise<void> {
    this.#syncedAt = performance.now();
    await this.publish(note);
    await this.#syncing;
    await this.#files.replace(`${this.#path}.synced.checkpoint`, note);
  }

  /** The checkpoints kept here, each with its signature checked; throws where none is left. */
  async read(): Promise<Checkpoint[]> {
    const synced = await this.#files.read(`${this.#path}.synced.checkpoint`);
    const latest = await this.#files.read(`${this.#path}.checkpoint`);
    const found = synced ? [openCheckpoint(synced, this.#key)] : [];
    try {
      if (latest) found.push(openCheckpoint(latest, this.#key));
    } catch (error) {
      // A power cut can tear the file that is overwritten; the synced one still stands.
      if (found.length === 0) throw error;
    }
    if (found.length > 0) return found;
    throw new EvidenceError('checkpoint_missing', `no checkpoint of the log is at ${this.#path}`, {
      hint: 'Restore the checkpoints folder; without it a shortened log cannot be told.',
    });
  }

  async close(): Promise<void> {
    await this.#syncing;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #open(): Promise<SegmentFile> {
    const file = await this.#files.openSegment(`${this.#path}.checkpoint`);
    this.#length = await file.size();
    return file;
  }
}

/** The names of logs that have a checkpoint in the folder. */
export async function witnessedLogs(files: EvidenceFiles, folder: string): Promise<string[]> {
  const suffix = '.synced.checkpoint';
  const names = await files.list(folder);
  return names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
}
