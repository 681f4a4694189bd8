// `platform audit rotate-key`: from here on another key signs the checkpoints of the evidence.
import { randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { EvidenceError } from '../../../runtime/errors.ts';
import { handOverLog } from '../../../runtime/evidence/hand-over.ts';
import { formatNoteKey, type NoteSigner, seedSigner } from '../../../runtime/evidence/note.ts';
import { Record } from '../../../runtime/modules/record.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import type { StateFolder } from '../../state-folder.ts';

const SEED_BYTES = 32;

/**
 * Hands the log over to a fresh key and forgets the old one; the platform must not be running. After a
 * crash at any point, calling it again finishes it. Throws `state_locked`, or `object_missing` where the
 * state folder has no evidence or no key of it.
 */
export async function rotateKey(state: StateFolder, asJson: boolean): Promise<number> {
  const path = join(state.keys, 'evidence.seed');
  const from = await signerIn(path);
  // It is on the disk before anything is signed with it, and takes the old one's place at the end.
  const to = await signerIn(`${path}.next`, true);
  const record = Record.create(moduleBytes('record'));
  const { evidence: dir, checkpoints: checkpointsDir } = state;
  const key = await handOverLog({ dir, checkpointsDir, record, from, to });
  await rename(`${path}.next`, path);
  const [before, after] = [from, to].map(({ publicKey }) =>
    formatNoteKey({ name: key.name, publicKey }),
  );
  process.stdout.write(
    asJson
      ? `${JSON.stringify({ before, after })}\n`
      : `until now      ${before}\nfrom here on   ${after}\nGive auditors the new key: with it they can verify all of the log.\n`,
  );
  return 0;
}

async function signerIn(path: string, make = false): Promise<NoteSigner> {
  const seed = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (make && cause.code === 'ENOENT') return undefined;
    throw new EvidenceError('object_missing', `there is no key of evidence at ${path}`, { cause });
  });
  if (seed?.byteLength === SEED_BYTES) return seedSigner(seed);
  if (!make) throw new EvidenceError('object_missing', `${path} is not a key of 32 bytes`);
  const made = randomBytes(SEED_BYTES);
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(made);
    await file.sync();
  } finally {
    await file.close();
  }
  return seedSigner(made);
}
