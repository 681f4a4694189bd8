// The file in which an audit keeps what it has found so far, and the key that makes it the auditor's own.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { EvidenceError } from '../../../runtime/errors.ts';
import type { AuditResume } from '../../../runtime/evidence/audit/run.ts';

const KEY_BYTES = 32;

/** What an audit resumes from and saves to; `end` removes the file once the audit is done. */
export interface Resuming {
  resume: AuditResume;
  end(): Promise<void>;
}

/** Resumes in this file. Throws `state_unwritable` where file or key cannot be read or made. */
export async function resumeIn(path: string): Promise<Resuming> {
  const unusable = (cause: unknown) =>
    new EvidenceError('state_unwritable', `the audit cannot be kept in ${path}`, { cause });
  try {
    const from = await readIfThere(path);
    const save = (state: Uint8Array) =>
      replace(path, state).catch((cause: unknown) => {
        throw unusable(cause);
      });
    return { resume: { from, key: await ownKey(), save }, end: () => rm(path, { force: true }) };
  } catch (cause) {
    throw unusable(cause);
  }
}

/** A key that only this user of this machine has, made at the first audit. */
async function ownKey(): Promise<Uint8Array> {
  // Empty means unset (XDG base directories): a key in the folder of the evidence would be anyone's.
  const config = process.env.XDG_CONFIG_HOME || join(homedir(), '.config');
  const path = join(config, 'agent-runtime-platform', 'audit.key');
  const known = await readIfThere(path);
  if (known?.byteLength === KEY_BYTES) return known;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const key = randomBytes(KEY_BYTES);
  await replace(path, key);
  return key;
}

async function replace(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.new`;
  try {
    await writeFile(temporary, bytes, { mode: 0o600, flag: 'wx' });
    const handle = await open(temporary, 'r');
    await handle.sync().finally(() => handle.close());
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
