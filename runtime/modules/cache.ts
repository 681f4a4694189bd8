// Files that can be made again, kept between processes in the user's cache folder.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The bytes kept under a name, or undefined; whoever reads them checks that they are the right ones. */
export async function readCached(name: string): Promise<Buffer<ArrayBuffer> | undefined> {
  try {
    return await readFile(join(cacheFolder(), name));
  } catch {
    return undefined;
  }
}

/** Best effort: without a writable cache folder the file is made again each time. */
export async function keepCached(name: string, bytes: Uint8Array): Promise<void> {
  const target = join(cacheFolder(), name);
  const temporary = `${target}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(cacheFolder(), { recursive: true });
    await writeFile(temporary, bytes);
    await rename(temporary, target);
  } catch {
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** Keeps the newest `count` files whose names begin with `prefix`; best effort too. */
export async function trimCached(prefix: string, count: number): Promise<void> {
  try {
    const names = (await readdir(cacheFolder())).filter((name) => name.startsWith(prefix));
    if (names.length <= count) return;
    const files = names.map(async (name) => {
      const path = join(cacheFolder(), name);
      return { path, changedAt: (await stat(path)).mtimeMs };
    });
    const newestFirst = (await Promise.all(files)).sort((a, b) => b.changedAt - a.changedAt);
    for (const { path } of newestFirst.slice(count)) await rm(path, { force: true });
  } catch {
    // Another process may be trimming the same files.
  }
}

function cacheFolder(): string {
  const base =
    process.platform === 'win32'
      ? (process.env.LOCALAPPDATA ?? tmpdir())
      : (process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'));
  return join(base, 'agent-runtime-platform');
}
