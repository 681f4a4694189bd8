// Verifies a log in memory from first to last row, as an audit does.

import { verifyLog } from '../audit/verify.ts';
import { type Checkpoint, openCheckpoint } from '../checkpoint.ts';
import type { ByteSource } from '../frame.ts';
import { KeyChain } from '../key-chain.ts';
import type { MemoryFiles } from '../memory.ts';
import type { RowContent } from '../row.ts';
import { record, signer } from './drafts.ts';

/** Bytes as something to read from. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return {
    size: async () => bytes.byteLength,
    read: async (position, length) => bytes.slice(position, position + length),
  };
}

/** The rows that hold, and the code of what did not; `summary` only when all held. */
export async function walk(segment: Uint8Array, log: string, witnessed: readonly Checkpoint[]) {
  const key = { name: `platform.local/evidence/${log}`, publicKey: signer.publicKey };
  const steps = verifyLog({
    segment: bytesSource(segment),
    log,
    keys: new KeyChain([key]),
    record,
    witnessed,
  });
  const rows: RowContent[] = [];
  try {
    for (;;) {
      const step = await steps.next();
      if (step.done) return { rows, summary: step.value, code: undefined };
      rows.push(...step.value.rows);
    }
  } catch (error) {
    return { rows, summary: undefined, code: (error as { code: string }).code };
  }
}

/** The checkpoint that the memory log keeps outside. */
export function witnessedIn(files: MemoryFiles, log: string): Checkpoint {
  const note = files.contents.get(`/checkpoints/${log}.checkpoint`)!;
  const key = { name: `platform.local/evidence/${log}`, publicKey: signer.publicKey };
  return openCheckpoint(note, key);
}
