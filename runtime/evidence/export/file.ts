// The file that an export goes to: complete under its name or not there at all, readable by its owner only.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EvidenceError } from '../../errors.ts';
import type { ByteSink } from './archive.ts';
import type { NodeFile } from './tree.ts';

const BUFFER_BYTES = 1 << 20;

/** Writes under a temporary name beside the file; `keep` gives it its own. */
export class ExportFile implements ByteSink, AsyncDisposable {
  readonly #path: string;
  readonly #temporary: string;
  readonly #handle: FileHandle;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #written = 0;

  private constructor(path: string, temporary: string, handle: FileHandle) {
    this.#path = path;
    this.#temporary = temporary;
    this.#handle = handle;
  }

  /** Throws `state_unwritable` where the folder cannot be written. */
  static async create(path: string): Promise<ExportFile> {
    const temporary = `${path}.${randomBytes(8).toString('hex')}.new`;
    return new ExportFile(path, temporary, await openNew(temporary));
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#waiting.push(bytes.slice());
    this.#waitingBytes += bytes.byteLength;
    if (this.#waitingBytes >= BUFFER_BYTES) await this.#flush();
  }

  async patch(bytes: Uint8Array, position: number): Promise<void> {
    await this.#flush();
    await writeAll(this.#handle, bytes, position);
  }

  /** Syncs the file and names it. Throws `state_unwritable` where there is such a file already. */
  async keep(): Promise<number> {
    await this.#flush();
    await this.#handle.sync();
    try {
      // A link and not a rename: what is there, or points elsewhere, is never replaced.
      await link(this.#temporary, this.#path);
    } catch (cause) {
      throw unwritable(this.#path, cause);
    }
    const folder = await open(dirname(this.#path), constants.O_RDONLY);
    await folder.sync().finally(() => folder.close());
    return this.#written;
  }

  /** Removes the temporary name; without `keep` nothing is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
    await rm(this.#temporary, { force: true });
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    await writeAll(this.#handle, bytes, this.#written);
    this.#written += bytes.byteLength;
  }
}

/** A file without a name, for hashes on the way; it is gone when it is closed. */
export async function unnamedFile(beside: string): Promise<NodeFile & AsyncDisposable> {
  const path = `${beside}.${randomBytes(8).toString('hex')}.hashes`;
  const handle = await openNew(path);
  await rm(path);
  return {
    size: async () => (await handle.stat()).size,
    async read(position, length) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
      return buffer.subarray(0, bytesRead);
    },
    write: (bytes, position) => writeAll(handle, bytes, position),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx+', 0o600);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function unwritable(path: string, cause: unknown): EvidenceError {
  return new EvidenceError('state_unwritable', `${path} cannot be created`, {
    cause,
    hint: 'Name a file that does not exist, in a folder that you may write.',
  });
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.byteLength) {
    const { bytesWritten } = await handle.write(bytes, done, undefined, position + done);
    done += bytesWritten;
  }
}
