// Holds a file against every other process through the kernel, which lets go when the holder dies.
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';

/** The lock is another's; `holder` is its process id where the file says it. */
export interface HeldElsewhere {
  holder: string | undefined;
}

const LOCK_EX = 2; // flock(2)
const LOCK_NB = 4;

/**
 * Takes an exclusive flock(2) on the file, which is created where it is missing and then names this
 * process, for people only: what counts is the kernel's lock, so neither a file that a killed
 * process left nor one that is still empty says anything. Returns the function that removes the
 * file and lets go, or who holds it. Throws the error of the file system.
 */
export function lockFile(path: string): (() => void) | HeldElsewhere {
  for (;;) {
    const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      if (!flock(file)) {
        const holder = readFileSync(file, 'utf8').trim();
        closeSync(file);
        return { holder: holder === '' ? undefined : holder };
      }
      if (isAt(file, path)) {
        ftruncateSync(file);
        writeSync(file, `${process.pid}\n`, 0);
        return releaseOf(file, path);
      }
    } catch (error) {
      closeSync(file);
      throw error;
    }
    // Whoever held the lock removed the file between our opening and locking it: that is no lock.
    closeSync(file);
  }
}

// Removed while it is still held: the next one finds no file, or one that is no longer at the path.
function releaseOf(file: number, path: string): () => void {
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    if (isAt(file, path)) rmSync(path, { force: true });
    closeSync(file);
  };
}

function isAt(file: number, path: string): boolean {
  const ours = fstatSync(file);
  const there = statSync(path, { throwIfNoEntry: false });
  return there?.ino === ours.ino && there.dev === ours.dev;
}

type Flock = (file: number, operation: number) => number;
let native: { flock: Flock; errno: () => number; wouldBlock: number } | undefined;

function flock(file: number): boolean {
  native ??= load();
  if (native.flock(file, LOCK_EX | LOCK_NB) === 0) return true;
  const code = native.errno();
  if (code === native.wouldBlock) return false;
  throw Object.assign(new Error(`flock failed with error ${code}`), { errno: code });
}

function load(): NonNullable<typeof native> {
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi').default;
  return {
    flock: koffi.load(null).func('int flock(int file, int operation)') as Flock,
    errno: () => koffi.errno(),
    wouldBlock: koffi.os.errno.EWOULDBLOCK ?? koffi.os.errno.EAGAIN!,
  };
}
