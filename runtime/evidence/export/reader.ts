// Opens an export for an audit: the one file stands for a state folder, and is held to its manifest.
import { createHash } from 'node:crypto';
import { EvidenceError } from '../../errors.ts';
import type { EvidenceReader } from '../files.ts';
import type { ByteSource } from '../frame.ts';
import type { NoteKey } from '../note.ts';
import { WHOLE_BYTES_MAX } from './archive.ts';
import { type ArchiveEntry, readEntries } from './archive-reader.ts';
import {
  type ExportManifest,
  MANIFEST,
  MANIFEST_BYTES_MAX,
  MANIFEST_NOTE,
  parseManifest,
  verifyManifest,
} from './manifest.ts';

const READ_BYTES = 1 << 20;

/** An export whose index and manifest say the same; contents are checked by `verifyContents`. */
export class ExportArchive {
  readonly manifest: ExportManifest;
  /** Whether a signature is in the file; `verifySignature` says whether it holds. */
  readonly isSigned: boolean;
  readonly #source: ByteSource;
  readonly #entries: Map<string, ArchiveEntry>;
  readonly #manifestBytes: Uint8Array;

  private constructor(
    source: ByteSource,
    entries: Map<string, ArchiveEntry>,
    manifestBytes: Uint8Array,
  ) {
    this.#source = source;
    this.#entries = entries;
    this.#manifestBytes = manifestBytes;
    this.manifest = parseManifest(manifestBytes);
    this.isSigned = entries.has(MANIFEST_NOTE);
  }

  /** Throws `export_invalid`, with what is wrong, for a file that is no export as it was written. */
  static async open(source: ByteSource): Promise<ExportArchive> {
    const entries = await readEntries(source);
    const listed = entries.get(MANIFEST);
    if (listed === undefined || listed.bytes > MANIFEST_BYTES_MAX) {
      throw refuse('the file has no manifest');
    }
    const archive = new ExportArchive(source, entries, await readWhole(source, listed));
    archive.#checkIndex();
    return archive;
  }

  /** The manifest's list and the archive's headers, entry by entry. */
  #checkIndex(): void {
    const found = [...this.#entries.values()];
    const { files } = this.manifest;
    const last = found.slice(files.length).map(({ name }) => name);
    if (last[0] !== MANIFEST || last.length > 2 || (last[1] ?? MANIFEST_NOTE) !== MANIFEST_NOTE) {
      throw refuse(
        'the index of the file is not that of its manifest: entries are missing or added',
      );
    }
    for (const [at, { path, bytes }] of files.entries()) {
      const { name, bytes: actual } = found[at]!;
      if (name === path && actual === bytes) continue;
      throw refuse(
        `the index of the file is not that of its manifest: ${path} of ${bytes} bytes is listed, ${name} of ${actual} is there`,
      );
    }
  }

  /** Throws `export_invalid` where the manifest's signature holds under none of the log's keys. */
  async verifySignature(keys: readonly NoteKey[]): Promise<void> {
    const note = await this.reader.read(MANIFEST_NOTE);
    if (note === undefined) return;
    let refused: unknown = refuse('there is no key of the log to verify the manifest with');
    for (const key of keys) {
      try {
        verifyManifest(this.#manifestBytes, note, key);
        return;
      } catch (error) {
        refused = error;
      }
    }
    throw refused;
  }

  /** Reads every byte once. Throws `export_invalid` for the first entry that is not as listed. */
  async verifyContents(onProgress?: (done: number, all: number) => void): Promise<void> {
    const all = await this.#source.size();
    for (const { path, sha256 } of this.manifest.files) {
      const entry = this.#entries.get(path)!;
      const hash = createHash('sha256');
      for (let at = 0; at < entry.bytes; at += READ_BYTES) {
        const length = Math.min(READ_BYTES, entry.bytes - at);
        hash.update(await this.#source.read(entry.start + at, length));
        onProgress?.(entry.start + at + length, all);
      }
      if (hash.digest('hex') !== sha256) throw refuse(`${path} is not what the manifest lists`);
    }
  }

  /** The entries as the files of a state folder; paths are relative to it. */
  get reader(): EvidenceReader {
    return {
      read: async (path) => {
        const entry = this.#entries.get(path);
        return entry && readWhole(this.#source, entry);
      },
      list: async (path) => {
        const names = new Set<string>();
        for (const name of this.#entries.keys()) {
          if (!name.startsWith(`${path}/`)) continue;
          names.add(name.slice(path.length + 1).split('/')[0]!);
        }
        return [...names].sort();
      },
      open: async (path) => {
        const entry = this.#entries.get(path);
        if (entry !== undefined) return partOf(this.#source, entry);
        throw Object.assign(new Error(`${path} is not in the export`), { code: 'ENOENT' });
      },
    };
  }
}

async function readWhole(source: ByteSource, { name, start, bytes }: ArchiveEntry) {
  if (bytes > WHOLE_BYTES_MAX) throw refuse(`${name} is larger than any such file`);
  const content = await source.read(start, bytes);
  if (content.byteLength === bytes) return content;
  throw refuse(`${name} is cut off`);
}

function partOf(source: ByteSource, { start, bytes }: ArchiveEntry): ByteSource & AsyncDisposable {
  return {
    size: async () => bytes,
    read: (position, length) =>
      source.read(start + position, Math.max(0, Math.min(length, bytes - position))),
    async [Symbol.asyncDispose]() {},
  };
}

function refuse(message: string): EvidenceError {
  return new EvidenceError('export_invalid', message);
}
