// Puts a bundle where a watcher reads it, never half of it under its final name.
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeArchive } from './archive.ts';
import type { BundleFiles } from './reader.ts';

/**
 * Writes the folder `path`, or the archive when `path` ends in `.tar.gz`. What was there before is
 * replaced; a folder is missing for the moment between two renames, which a watcher takes for
 * nothing new.
 */
export async function writeBundle(files: BundleFiles, path: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.new`;
  await mkdir(dirname(path), { recursive: true });
  try {
    if (path.endsWith('.tar.gz')) {
      await writeFile(temporary, await writeArchive(files));
      await rename(temporary, path);
      return;
    }
    for (const [name, content] of files) {
      await mkdir(dirname(join(temporary, name)), { recursive: true });
      await writeFile(join(temporary, name), content);
    }
    await replaceFolder(temporary, path);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function replaceFolder(temporary: string, path: string): Promise<void> {
  const old = `${temporary}.old`;
  await rename(path, old).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(temporary, path);
  await rm(old, { recursive: true, force: true });
}
