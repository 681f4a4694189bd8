// An evidence log that lives in memory, for tests and examples: the same log on a file system of maps.
import type { HeldElsewhere } from '../file-lock.ts';
import type { EvidenceFiles, SegmentFile } from './files.ts';
import type { RecordHashes } from './hashes.ts';
import { type EvidenceLogOptions, openEvidenceLog, type SegmentLog } from './log.ts';
import { seedSigner } from './note.ts';
import { decodeRow, type RowContent } from './row.ts';

/** A file system in memory. Contents can be read and changed by path, as an attacker would. */
export class MemoryFiles implements EvidenceFiles {
  readonly contents = new Map<string, Buffer>();
  readonly #locked = new Set<string>();

  async makeFolder(): Promise<void> {}

  async openSegment(path: string): Promise<SegmentFile> {
    const { contents } = this;
    if (!contents.has(path)) contents.set(path, Buffer.alloc(0));
    const bytes = () => contents.get(path) ?? Buffer.alloc(0);
    return {
      size: async () => bytes().byteLength,
      read: async (position, length) => Buffer.from(bytes().subarray(position, position + length)),
      async write(data, position) {
        const grown = Buffer.alloc(Math.max(bytes().byteLength, position + data.byteLength));
        grown.set(bytes());
        grown.set(data, position);
        contents.set(path, grown);
      },
      async datasync() {},
      async truncate(size) {
        contents.set(path, Buffer.from(bytes().subarray(0, size)));
      },
      async close() {},
    };
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    const bytes = this.contents.get(path);
    return bytes && Buffer.from(bytes);
  }

  async replace(path: string, bytes: Uint8Array): Promise<void> {
    this.contents.set(path, Buffer.from(bytes));
  }

  lock(path: string): (() => void) | HeldElsewhere {
    if (this.#locked.has(path)) return { holder: undefined };
    this.#locked.add(path);
    return () => void this.#locked.delete(path);
  }

  exists(path: string): boolean {
    return this.contents.has(path);
  }

  async list(path: string): Promise<string[]> {
    const prefix = `${path}/`;
    const paths = [...this.contents.keys()].filter((name) => name.startsWith(prefix));
    return paths.map((name) => name.slice(prefix.length)).filter((name) => !name.includes('/'));
  }

  async remove(path: string): Promise<void> {
    this.contents.delete(path);
  }
}

/** A log in memory that can also give all its rows at once. */
export interface MemoryEvidenceLog {
  log: SegmentLog;
  files: MemoryFiles;
  /** The content of every committed row. */
  rows(): Promise<RowContent[]>;
}

/** Opens a fresh log in memory, signed with a fixed test key. */
export async function memoryEvidenceLog(
  record: RecordHashes,
  options: Partial<EvidenceLogOptions> = {},
): Promise<MemoryEvidenceLog> {
  const files = new MemoryFiles();
  const log = await openEvidenceLog({
    dir: '/evidence',
    checkpointsDir: '/checkpoints',
    signer: seedSigner(new Uint8Array(32).fill(7)),
    record,
    fs: files,
    ...options,
  });
  const rows = async () => {
    const found: RowContent[] = [];
    for await (const { bytes } of log.rows()) found.push(decodeRow(bytes));
    return found;
  };
  return { log, files, rows };
}
