// Reads a bundle from a folder or a .tar.gz.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BundleError } from '../errors.ts';
import { readArchive } from './archive.ts';
import { BUNDLE_BYTES_MAX, type BundleFiles, BundleReader } from './reader.ts';

const DEPTH_MAX = 16;
const READ_AT_ONCE = 64;

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
    await accept(reader, root, '', 0);
    const accepted = [...reader.names];
    for (let at = 0; at < accepted.length; at += READ_AT_ONCE) {
      const names = accepted.slice(at, at + READ_AT_ONCE);
      const contents = await Promise.all(names.map((name) => readFile(join(root, name))));
      names.forEach((name, index) => {
        reader.files.set(name, contents[index]!);
      });
    }
  } catch (cause) {
    if (cause instanceof BundleError) throw cause;
    throw new BundleError('bundle_truncated', `the bundle ${root} changed while it was read`, {
      cause,
    });
  }
  return reader.files;
}

/** Looks for the files of a folder, and of those in it, in the order of their names. */
async function accept(
  reader: BundleReader,
  root: string,
  prefix: string,
  depth: number,
): Promise<void> {
  if (depth > DEPTH_MAX) throw new BundleError('bundle_path_invalid', 'the bundle is too deep');
  // A mounted config map keeps its versions in folders whose names begin with two dots.
  const names = (await readdir(join(root, prefix))).filter((name) => !name.startsWith('..')).sort();
  const paths = names.map((name) => (prefix === '' ? name : `${prefix}/${name}`));
  // Links are followed: config maps are made of them, and the signature covers what is read.
  const kinds = await Promise.all(paths.map((path) => stat(join(root, path))));
  for (const [index, kind] of kinds.entries()) {
    if (kind.isDirectory()) await accept(reader, root, paths[index]!, depth + 1);
    else reader.accept(paths[index]!, kind.size);
  }
}
