// The port through which evidence touches a disk, and its adapter on the real file system.
import { randomBytes } from 'node:crypto';
import { constants, existsSync, writeSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type HeldElsewhere, lockFile } from '../file-lock.ts';
import type { ByteSource } from './frame.ts';

/** One append-only file; positions and lengths in bytes. */
export interface SegmentFile extends ByteSource {
  /** Writes all bytes or throws. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Returns when all that was written is on the disk (`fdatasync`). */
  datasync(): Promise<void>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

/** What reading evidence asks of the place where it lies: a state folder, or one file made of it. */
export interface EvidenceReader {
  /** The whole file, or undefined where it is missing. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Names in the folder, empty where it is missing. */
  list(path: string): Promise<string[]>;
  /** A file to be read in parts; an error with the code `ENOENT` where it is missing. */
  open(path: string): Promise<ByteSource & AsyncDisposable>;
}

/** What evidence asks of a file system. Paths are absolute; folders get mode 0700, files 0600. */
export interface EvidenceFiles extends Pick<EvidenceReader, 'read' | 'list'> {
  /** Creates the folder and those above it durably where they are missing. */
  makeFolder(path: string): Promise<void>;
  /** Opens for reading and writing; creates it durably where it is missing. */
  openSegment(path: string): Promise<SegmentFile>;
  /** Replaces the file durably and as one step: readers see the old or the new, never a mixture. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /** Holds the file until the returned function is called or the process ends, or says who does. */
  lock(path: string): (() => void) | HeldElsewhere;
  /** Whether there is such a file, for callers that ask too often for another thread. */
  exists(path: string): boolean;
  remove(path: string): Promise<void>;
}

const DIRECT_BYTES_MAX = 64 * 1024;

/** The real file system. */
export const nodeFiles: EvidenceFiles = {
  async makeFolder(path) {
    const first = await mkdir(path, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    for (let made = path; made.length >= first.length; made = dirname(made)) {
      await syncFolder(dirname(made));
    }
  },
  async openSegment(path) {
    const flags = constants.O_RDWR | constants.O_CREAT;
    const handle = await open(path, flags, 0o600);
    await syncFolder(dirname(path));
    return segmentFile(handle);
  },
  async read(path) {
    try {
      return await readFile(path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  async replace(path, bytes) {
    // A name of its own, since two may replace the file at the same time: the last one stays.
    const temporary = `${path}.${randomBytes(8).toString('hex')}.new`;
    try {
      const handle = await open(temporary, 'wx', 0o600);
      try {
        await writeWhole(handle, bytes, 0);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(dirname(path));
  },
  lock: lockFile,
  exists: existsSync,
  async list(path) {
    try {
      return (await readdir(path)).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },
  async remove(path) {
    await rm(path, { force: true });
  },
};

function segmentFile(handle: FileHandle): SegmentFile {
  return {
    async size() {
      return (await handle.stat()).size;
    },
    async read(position, length) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
      return buffer.subarray(0, bytesRead);
    },
    async write(bytes, position) {
      // A small group goes to the page cache at once; only a large one is worth another thread.
      const small = bytes.byteLength <= DIRECT_BYTES_MAX;
      const done = small ? writeSync(handle.fd, bytes, 0, bytes.byteLength, position) : 0;
      if (done < bytes.byteLength) await writeWhole(handle, bytes.subarray(done), position + done);
    },
    datasync: () => handle.datasync(),
    truncate: (size) => handle.truncate(size),
    close: () => handle.close(),
  };
}

/** The real file system for reading only, as an audit does beside a running platform. */
export const nodeReader: EvidenceReader = {
  read: nodeFiles.read,
  list: nodeFiles.list,
  async open(path) {
    const handle = await open(path, 'r');
    const { size, read, close } = segmentFile(handle);
    return { size, read, [Symbol.asyncDispose]: close };
  },
};

async function writeWhole(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.byteLength) {
    const { bytesWritten } = await handle.write(
      bytes,
      done,
      bytes.byteLength - done,
      position + done,
    );
    done += bytesWritten;
  }
}

// A new name is durable only when its folder is synced as well.
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
