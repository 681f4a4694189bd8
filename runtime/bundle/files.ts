// The files of a bundle in memory, read from a folder or a .tar.gz with every size bounded.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BundleError } from '../errors.ts';
import { readArchive } from './archive.ts';

/** File contents by name: relative, `/` between segments, sorted when it matters. */
export type BundleFiles = Map<string, Uint8Array>;

export const FILES_MAX = 4096;
export const FILE_BYTES_MAX = 32 << 20;
export const BUNDLE_BYTES_MAX = 64 << 20;
const NAME_BYTES_MAX = 256;
const DEPTH_MAX = 16;

/** Counts what a bundle holds while it is read, and refuses what is too much or badly named. */
export class BundleReader {
  readonly files: BundleFiles = new Map();
  #bytes = 0;

  /** Throws `bundle_path_invalid` or `bundle_too_large` before a byte of the file is kept. */
  accept(name: string, bytes: number): void {
    checkName(name);
    if (this.files.has(name)) {
      throw new BundleError('bundle_path_invalid', `the bundle has two files named ${name}`);
    }
    this.#bytes += bytes;
    if (bytes > FILE_BYTES_MAX || this.#bytes > BUNDLE_BYTES_MAX || this.files.size >= FILES_MAX) {
      throw new BundleError('bundle_too_large', `the bundle is too large at ${name}`);
    }
  }

  add(name: string, content: Uint8Array): void {
    this.accept(name, content.length);
    this.files.set(name, content);
  }
}

/**
 * Reads `<path>/` when it is a folder, otherwise `<path>.tar.gz`.
 * @throws BundleError `bundle_missing`, `bundle_truncated`, `bundle_too_large`, `bundle_path_invalid`
 */
export async function readBundle(path: string): Promise<BundleFiles> {
  const kind = await stat(path).catch(() => undefined);
  if (kind?.isDirectory()) return readFolder(path);
  const archive = kind?.isFile() ? path : `${path}.tar.gz`;
  const size = await stat(archive).catch(() => undefined);
  if (size === undefined) {
    throw new BundleError('bundle_missing', `there is no bundle at ${path} or ${path}.tar.gz`);
  }
  if (size.size > BUNDLE_BYTES_MAX) {
    throw new BundleError('bundle_too_large', `the bundle ${archive} is too large`);
  }
  return readArchive(await readFile(archive));
}

async function readFolder(root: string): Promise<BundleFiles> {
  const reader = new BundleReader();
  try {
    await readInto(reader, root, '', 0);
  } catch (cause) {
    if (cause instanceof BundleError) throw cause;
    throw new BundleError('bundle_truncated', `the bundle ${root} changed while it was read`, {
      cause,
    });
  }
  return reader.files;
}

async function readInto(
  reader: BundleReader,
  root: string,
  prefix: string,
  depth: number,
): Promise<void> {
  if (depth > DEPTH_MAX) throw new BundleError('bundle_path_invalid', 'the bundle is too deep');
  for (const name of (await readdir(join(root, prefix))).sort()) {
    // A mounted config map keeps its versions in folders whose names begin with two dots.
    if (name.startsWith('..')) continue;
    const relative = prefix === '' ? name : `${prefix}/${name}`;
    // Links are followed: config maps are made of them, and the signature covers what is read.
    const kind = await stat(join(root, relative));
    if (kind.isDirectory()) {
      await readInto(reader, root, relative, depth + 1);
      continue;
    }
    reader.accept(relative, kind.size);
    const content = await readFile(join(root, relative));
    reader.files.set(relative, content);
  }
}

/** Allows only names that mean the same file everywhere and cannot leave the bundle's folder. */
function checkName(name: string): void {
  const bad =
    name.length === 0 ||
    Buffer.byteLength(name) > NAME_BYTES_MAX ||
    [...name].some((character) => character < ' ' || '\\:\x7f'.includes(character)) ||
    name.split('/').some((part) => part === '' || part === '.' || part === '..');
  if (bad) {
    throw new BundleError('bundle_path_invalid', `bad file name in the bundle: ${quote(name)}`);
  }
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
