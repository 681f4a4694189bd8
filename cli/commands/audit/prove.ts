// `platform audit prove`: the proof that one row is in the log, for somebody who has only a checkpoint.
import { EvidenceError } from '../../../runtime/errors.ts';
import { inclusionProof } from '../../../runtime/evidence/proof.ts';
import { Record } from '../../../runtime/modules/record.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import type { StateFolder } from '../../state-folder.ts';
import { readGroups } from './rows.ts';

/**
 * Prints the row, its audit path (C2SP tlog-proof: index, base64 hashes from the leaf up) and the
 * checkpoint that they lead to.
 */
export async function proveRow(
  state: StateFolder,
  sequence: number,
  asJson: boolean,
): Promise<number> {
  const record = Record.create(moduleBytes('record'));
  const leaves: Uint8Array[] = [];
  let row: Uint8Array | undefined;
  let checkpoint: Uint8Array = new Uint8Array(0);
  for await (const { rows, note } of readGroups(state)) {
    for (const bytes of rows) {
      if (leaves.length === sequence) row = bytes;
      leaves.push(record.leafHash(bytes));
    }
    checkpoint = note;
  }
  if (row === undefined) {
    throw new EvidenceError('input_invalid', `the log has ${leaves.length} rows, from 0 on`);
  }
  const path = inclusionProof(record, leaves, sequence).map(base64);
  const note = Buffer.from(checkpoint).toString('utf8');
  const text = Buffer.from(row).toString('utf8');
  if (asJson) {
    const leaf = base64(leaves[sequence]!);
    process.stdout.write(`${JSON.stringify({ row: text, leaf, path, checkpoint: note })}\n`);
    return 0;
  }
  const proof = ['c2sp.org/tlog-proof@v1', `index ${sequence}`, ...path, '', note].join('\n');
  process.stdout.write(`${text}\n\n${proof}`);
  return 0;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
