// Bundles as .tar.gz: the same files give the same bytes, and a damaged archive a clear error.
import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import type { Header } from 'tar-stream';
import { BundleError } from '../errors.ts';
import { BUNDLE_BYTES_MAX, type BundleFiles, BundleReader } from './reader.ts';

/** Room for the headers and the padding of the files. */
const ARCHIVE_BYTES_MAX = BUNDLE_BYTES_MAX + (8 << 20);
const BLOCK_BYTES = 512;
/** Each chunk that is unpacked is a turn of the event loop. */
const CHUNK_BYTES = 1 << 20;

/**
 * Unpacks an archive in memory; nothing is written to disk.
 * @throws BundleError `bundle_truncated`, `bundle_too_large`, `bundle_path_invalid`
 */
export async function readArchive(archive: Uint8Array): Promise<BundleFiles> {
  const tar = await inflate(archive);
  const reader = new BundleReader();
  const { extract } = await import('tar-stream');
  const entries = extract();
  entries.end(tar);
  let end = 0;
  try {
    for await (const entry of entries) {
      const { name, type, size, byteOffset } = entry.header as Header & { byteOffset: number };
      // What stands behind an end is another archive, which other readers do not see.
      if (hasEnd(tar.subarray(end, byteOffset))) throw truncated(undefined);
      end = byteOffset + Math.ceil((size ?? 0) / BLOCK_BYTES) * BLOCK_BYTES;
      const relative = name.replace(/^\.?\/+/, '');
      if (type === 'directory') {
        entry.resume();
        continue;
      }
      if (type !== 'file') {
        throw new BundleError('bundle_path_invalid', `the bundle holds a ${type ?? 'link'}`);
      }
      reader.accept(relative, size ?? 0);
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      reader.files.set(relative, Buffer.concat(chunks));
    }
  } catch (cause) {
    if (cause instanceof BundleError) throw cause;
    throw truncated(cause);
  }
  const rest = tar.subarray(end);
  const isWhole = rest.length >= BLOCK_BYTES && rest.every((byte) => byte === 0);
  if (reader.files.size === 0 || !isWhole) throw truncated(undefined);
  return reader.files;
}

/** Whether one of the blocks is the end of an archive: nothing but zeros. */
function hasEnd(blocks: Uint8Array): boolean {
  for (let at = 0; at < blocks.length; at += BLOCK_BYTES) {
    if (blocks.subarray(at, at + BLOCK_BYTES).every((byte) => byte === 0)) return true;
  }
  return false;
}

async function inflate(archive: Uint8Array): Promise<Buffer> {
  try {
    return await promisify(gunzip)(archive, {
      chunkSize: CHUNK_BYTES,
      maxOutputLength: ARCHIVE_BYTES_MAX,
    });
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new BundleError('bundle_too_large', 'the bundle is too large once it is unpacked', {
        cause,
      });
    }
    throw truncated(cause);
  }
}

function truncated(cause: unknown): BundleError {
  return new BundleError('bundle_truncated', 'the bundle archive is cut off or damaged', {
    cause,
    hint: 'copy it again, to a temporary name first, and rename it into place',
  });
}

/** Packs the files in the order of their names, without times, owners or folders. */
export async function writeArchive(files: BundleFiles): Promise<Uint8Array> {
  const { pack } = await import('tar-stream');
  const tar = pack();
  for (const name of [...files.keys()].sort()) {
    tar.entry({ name, mode: 0o644, mtime: new Date(0) }, Buffer.from(files.get(name)!));
  }
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(chunk as Buffer);
  return gzipSync(Buffer.concat(chunks), { level: 9 });
}
