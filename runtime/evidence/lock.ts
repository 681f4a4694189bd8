// One writer a log, or the error that names the process which has it.
import { EvidenceError } from '../errors.ts';
import type { EvidenceFiles } from './files.ts';

/** Takes the lock until the returned function is called or this process ends; throws `state_locked`. */
export function takeLock(files: EvidenceFiles, path: string): () => void {
  const lock = files.lock(path);
  if (typeof lock === 'function') return lock;
  const who = lock.holder === undefined ? 'another process' : `process ${lock.holder}`;
  throw new EvidenceError('state_locked', `${who} is writing this evidence log`, {
    hint: 'Stop that platform first, or use another state folder.',
  });
}
