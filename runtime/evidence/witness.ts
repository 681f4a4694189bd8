// The folder outside the database and the log where every commit group's checkpoint is kept.
import { join } from 'node:path';
import { EvidenceError } from '../errors.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import type { EvidenceFiles } from './files.ts';
import { formatNoteKey, type NoteKey } from './note.ts';

const SYNC_EVERY_MS = 1000;

/**
 * Two files for each log: `<log>.checkpoint`, replaced with every commit group, and
 * `<log>.synced.checkpoint`, synced to the disk at most once a second. The rows are durable in the
 * segment, which carries each checkpoint as well; a power cut may set this folder back a second,
 * which weakens nothing but what it witnesses of that second, and it spares one sync a group.
 */
export class Witness {
  readonly #files: EvidenceFiles;
  readonly #path: string;
  readonly #key: NoteKey;
  #syncedAt = 0;

  constructor(files: EvidenceFiles, folder: string, log: string, key: NoteKey) {
    this.#files = files;
    this.#path = join(folder, log);
    this.#key = key;
  }

  /** Writes the first checkpoint and the key that verifies all (`<log>.key`). */
  async begin(note: Uint8Array): Promise<void> {
    const key = `${formatNoteKey(this.#key)}\n`;
    await this.#files.replace(`${this.#path}.key`, Buffer.from(key, 'utf8'), true);
    await this.publish(note, true);
  }

  /** Replaces the checkpoint; `durable` syncs it whatever the time. */
  async publish(note: Uint8Array, durable = false): Promise<void> {
    await this.#files.replace(`${this.#path}.checkpoint`, note, false);
    const now = performance.now();
    if (!durable && now - this.#syncedAt < SYNC_EVERY_MS) return;
    await this.#files.replace(`${this.#path}.synced.checkpoint`, note, true);
    this.#syncedAt = now;
  }

  /** The checkpoints kept here, each with its signature checked; throws where none is left. */
  async read(): Promise<Checkpoint[]> {
    const found: Checkpoint[] = [];
    for (const suffix of ['checkpoint', 'synced.checkpoint']) {
      const note = await this.#files.read(`${this.#path}.${suffix}`);
      // A power cut can leave the unsynced file empty; the synced one still stands.
      if (note && note.byteLength > 0) found.push(openCheckpoint(note, this.#key));
    }
    if (found.length > 0) return found;
    throw new EvidenceError('checkpoint_missing', `no checkpoint of the log is at ${this.#path}`, {
      hint: 'Restore the checkpoints folder; without it a shortened log cannot be told.',
    });
  }
}

/** The names of logs that have a checkpoint in the folder. */
export async function witnessedLogs(files: EvidenceFiles, folder: string): Promise<string[]> {
  const suffix = '.synced.checkpoint';
  const names = await files.list(folder);
  return names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
}
