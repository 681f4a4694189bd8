// Makes what several tests need once a machine: in a cache folder, safe with several processes at once.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { lockFile } from '../file-lock.ts';

const waitMs = 250;

/** The folder of one tool; `key` names everything that it is made of, its version above all. */
export function toolFolder(name: string, key: string): string {
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 12);
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return join(cache, 'agent-runtime-platform', `${name}-${digest}`);
}

/** Whether the tool in this folder has been made whole. */
export function isMade(folder: string): boolean {
  return existsSync(join(folder, 'complete'));
}

/**
 * Returns when the tool is in its folder. Where it is not, one process calls `make`, which finds
 * nothing at the path; others wait, for `patienceMs` at most. Throws what `make` does.
 */
export function makeOnce(folder: string, patienceMs: number, make: () => void): void {
  if (isMade(folder)) return;
  mkdirSync(join(folder, '..'), { recursive: true });
  for (let waited = 0; waited < patienceMs; waited += waitMs) {
    const release = lockFile(`${folder}.lock`);
    if (typeof release === 'function') {
      try {
        if (!isMade(folder)) makeWhole(folder, make);
        return;
      } finally {
        release();
      }
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
    if (isMade(folder)) return;
  }
  throw new Error(`another process has been making ${folder} for too long`);
}

function makeWhole(folder: string, make: () => void): void {
  rmSync(folder, { recursive: true, force: true });
  make();
  // Written last and at once: a folder without it is made anew.
  writeFileSync(join(folder, 'complete.new'), '');
  renameSync(join(folder, 'complete.new'), join(folder, 'complete'));
}
