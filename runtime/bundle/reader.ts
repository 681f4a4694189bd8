// The files of a bundle in memory, with every name and size checked before it is kept.
import { BundleError } from '../errors.ts';

/** File contents by name: relative, `/` between segments, sorted when it matters. */
export type BundleFiles = Map<string, Uint8Array>;

export const FILES_MAX = 4096;
export const FILE_BYTES_MAX = 32 << 20;
export const BUNDLE_BYTES_MAX = 64 << 20;
const NAME_BYTES_MAX = 256;

/** Counts what a bundle holds while it is read, and refuses what is too much or badly named. */
export class BundleReader {
  readonly files: BundleFiles = new Map();
  /** Of all files that were accepted, in that order. */
  readonly names = new Set<string>();
  #bytes = 0;

  /** Throws `bundle_path_invalid` or `bundle_too_large` before a byte of the file is kept. */
  accept(name: string, bytes: number): void {
    checkName(name);
    if (this.names.has(name)) {
      throw new BundleError('bundle_path_invalid', `the bundle has two files named ${name}`);
    }
    this.#bytes += bytes;
    if (bytes > FILE_BYTES_MAX || this.#bytes > BUNDLE_BYTES_MAX || this.names.size >= FILES_MAX) {
      throw new BundleError('bundle_too_large', `the bundle is too large at ${name}`);
    }
    this.names.add(name);
  }

  add(name: string, content: Uint8Array): void {
    this.accept(name, content.length);
    this.files.set(name, content);
  }
}

/** Allows only names that mean the same file everywhere and cannot leave the bundle's folder. */
/** Refuses names that a file system or a reader would take for another one. */
export function checkName(name: string): void {
  const bad =
    name.length === 0 ||
    Buffer.byteLength(name) > NAME_BYTES_MAX ||
    /[\p{C}\p{Zl}\p{Zp}\\:]/u.test(name) ||
    name.split('/').some((part) => part === '' || part === '.' || part === '..');
  if (bad) {
    throw new BundleError('bundle_path_invalid', `bad file name in the bundle: ${quote(name)}`);
  }
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
