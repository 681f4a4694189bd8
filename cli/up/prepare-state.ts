// Makes the state folder ready: private, writable, and used by one platform at a time.
import { constants } from 'node:fs';
import { access, chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PlatformError } from '../../runtime/errors.ts';
import { lockFile } from '../../runtime/file-lock.ts';
import type { StateFolder } from '../state-folder.ts';

/**
 * Creates what is missing and takes the lock; resolves to the function that releases it.
 * Throws `state_unwritable` or `state_locked`, and then nothing has been changed that would be in
 * the way of a later start. What a killed platform left, its lock and its sockets, is removed.
 */
export async function prepareState(state: StateFolder): Promise<() => Promise<void>> {
  try {
    for (const folder of [state.root, state.keys, state.bundles, state.run]) {
      await makeFolder(folder);
      await access(folder, constants.W_OK | constants.X_OK);
    }
    await requirePrivate(state.run);
    await chmod(state.keys, 0o700);
    const release = takeLock(state);
    await removeSockets(state.run);
    return async () => release();
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw unwritable(state, error);
  }
}

/** As `mkdir -p`, private. Node's own recursion never ends where a file system takes no folders. */
async function makeFolder(path: string): Promise<void> {
  const create = (): Promise<void> =>
    mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  try {
    await create();
  } catch (error) {
    const parent = dirname(path);
    const isThere = await lstat(parent).then(
      () => true,
      () => false,
    );
    if (isThere || parent === path) throw error;
    await makeFolder(parent);
    await create();
  }
}

function takeLock(state: StateFolder): () => void {
  const lock = lockFile(state.lockFile);
  if (typeof lock === 'function') return lock;
  const who = lock.holder === undefined ? 'another process' : `process ${lock.holder}`;
  throw new PlatformError('state_locked', `${who} uses ${state.root} already`, {
    hint: 'stop that platform first, or name another folder with --state',
  });
}

async function removeSockets(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isSocket()) await rm(join(folder, entry.name), { force: true });
  }
}

/** In the system's temporary folder, somebody else could have made the folder first. */
async function requirePrivate(folder: string): Promise<void> {
  const found = await lstat(folder);
  const isOurs = process.getuid === undefined || found.uid === process.getuid();
  if (!found.isDirectory() || !isOurs) {
    throw new PlatformError('state_unwritable', `${folder} belongs to somebody else`, {
      hint: 'name a state folder with a shorter path with --state',
    });
  }
  await chmod(folder, 0o700);
}

function unwritable(state: StateFolder, cause: unknown): PlatformError {
  const { code } = cause as NodeJS.ErrnoException;
  return new PlatformError(
    'state_unwritable',
    `cannot use the state folder ${state.root}: ${code}`,
    {
      cause,
      hint: 'make it writable, or name another with --state or PLATFORM_STATE',
    },
  );
}
