// Makes the state folder ready: private, writable, and used by one platform at a time.
import { constants } from 'node:fs';
import { access, chmod, lstat, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PlatformError } from '../../runtime/errors.ts';
import { readProcess, requireProcess } from '../../runtime/identity/process.ts';
import type { StateFolder } from '../state-folder.ts';

/**
 * Creates what is missing and takes the lock; resolves to the function that releases it.
 * Throws `state_unwritable` or `state_locked`, and then nothing has been changed that would be in
 * the way of a later start. What a killed platform left, its lock and its sockets, is removed.
 */
export async function prepareState(state: StateFolder): Promise<() => Promise<void>> {
  try {
    for (const folder of [state.root, state.keys, state.bundles, state.run]) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await access(folder, constants.W_OK | constants.X_OK);
    }
    await requirePrivate(state.run);
    await chmod(state.keys, 0o700);
    const release = await takeLock(state);
    await removeSockets(state.run);
    return release;
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw unwritable(state, error);
  }
}

/** The lock names its holder by pid and start time, so that a reused pid does not hold it. */
async function takeLock(state: StateFolder): Promise<() => Promise<void>> {
  const { pid, startTime } = requireProcess(process.pid);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      const file = await open(state.lockFile, 'wx', 0o600);
      await file.writeFile(`${pid} ${startTime}\n`);
      await file.close();
      return () => rm(state.lockFile, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = (await readFile(state.lockFile, 'utf8').catch(() => '')).trim().split(' ');
    const [holderPid, holderStart] = [Number(holder[0]), holder[1]];
    if (holderStart !== undefined && readProcess(holderPid)?.startTime === holderStart) {
      throw new PlatformError('state_locked', `process ${holderPid} uses ${state.root} already`, {
        hint: 'stop that platform first, or name another folder with --state',
      });
    }
    await rm(state.lockFile, { force: true });
  }
  throw new PlatformError('state_locked', `another platform is starting with ${state.root}`);
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
