// One writer a log: a lock file that names the process holding it.
import { readFileSync } from 'node:fs';
import { EvidenceError } from '../errors.ts';
import type { EvidenceFiles } from './files.ts';

/**
 * Takes the lock or throws `state_locked`. A lock whose process is gone (or whose pid was reused,
 * told by the start time) is taken over. Returns the function that releases it.
 */
export async function takeLock(files: EvidenceFiles, path: string): Promise<() => Promise<void>> {
  const holder = `${process.pid} ${startTime(process.pid) ?? ''}\n`;
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await files.create(path, Buffer.from(holder))) return () => files.remove(path);
    const text = Buffer.from((await files.read(path)) ?? []).toString('utf8');
    const [pid, started] = text.trim().split(' ');
    if (pid && isAlive(Number(pid), started)) {
      throw new EvidenceError('state_locked', `process ${pid} is writing this evidence log`, {
        hint: 'Stop that platform first, or use another state folder.',
      });
    }
    await files.remove(path);
  }
  throw new EvidenceError('state_locked', 'another process took the evidence log at the same time');
}

function isAlive(pid: number, started: string | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const now = startTime(pid);
  return now !== 'gone' && (now === undefined || started === undefined || now === started);
}

// Field 22 of /proc/<pid>/stat; the command name before it may hold spaces and parentheses. A
// zombie no longer writes, it only waits for its parent.
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return values[0] === 'Z' ? 'gone' : values[19];
  } catch {
    return undefined;
  }
}
