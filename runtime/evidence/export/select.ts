// Chooses rows of a segment and proves each under the newest checkpoint, in constant memory.
import { EvidenceError } from '../../errors.ts';
import { isJsonObject, type JsonValue } from '../../json.ts';
import { type ByteSource, readFrames } from '../frame.ts';
import { equalBytes, type RecordHashes } from '../hashes.ts';
import { decodeRow, type RowContent } from '../row.ts';
import type { LogEnd } from './export.ts';
import { unnamedFile } from './file.ts';
import type { Selection } from './manifest.ts';
import { encodeProved, isSelected } from './selection.ts';
import { ProofTree } from './tree.ts';

export interface SelectOptions {
  segment: ByteSource;
  end: LogEnd;
  selection: Selection;
  record: RecordHashes;
  /** Where hashes may be kept on the way: beside this path. */
  beside: string;
}

/** What the selected rows need besides, to be executed again. */
export interface Selected {
  rows: number;
  revisions: Set<string>;
  schemas: Set<string>;
  commitments: Set<string>;
}

/**
 * Hands the selected rows with their proofs to `take`, piece by piece. Throws `evidence_corrupt` where
 * the log's rows do not give the root of the checkpoint: no proof would hold.
 */
export async function selectRows(
  { segment, end, selection, record, beside }: SelectOptions,
  take: (rows: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<Selected> {
  await using hashes = await unnamedFile(beside);
  const tree = new ProofTree(record, hashes);
  const { size, root } = end.checkpoint;
  for await (const row of rowsOf(segment, size)) await tree.push(record.leafHash(row));
  if (tree.size !== size || !equalBytes(await tree.close(), root)) {
    throw new EvidenceError(
      'evidence_corrupt',
      'the rows do not give the root of the newest checkpoint, so none of them can be proved',
      { hint: 'Export the whole log, and audit it.' },
    );
  }
  const found: Selected = {
    ...{ rows: 0, revisions: new Set(), schemas: new Set(), commitments: new Set() },
  };
  async function* chosen(): AsyncGenerator<Uint8Array> {
    let index = -1;
    for await (const row of rowsOf(segment, size)) {
      index++;
      const content = decodeRow(row);
      if (!isSelected(content, selection)) continue;
      note(found, content);
      yield encodeProved({ row, index, path: await tree.inclusionProof(index) });
    }
  }
  await take(chosen());
  return found;
}

async function* rowsOf(segment: ByteSource, size: number): AsyncGenerator<Uint8Array> {
  let rows = 0;
  for await (const { kind, body } of readFrames(segment)) {
    if (rows === size) return;
    if (kind !== 'row') continue;
    rows++;
    yield body;
  }
}

function note(found: Selected, { decisions }: RowContent): void {
  found.rows++;
  for (const { input, module, policy_revision, data_revision } of decisions) {
    for (const revision of [policy_revision, data_revision]) {
      if (revision !== '') found.revisions.add(revision);
    }
    if (!isJsonObject(input)) continue;
    if (module === 'arguments' && typeof input.schema === 'string') found.schemas.add(input.schema);
    noteCommitment(found, input);
    for (const value of Object.values(input)) noteCommitment(found, value);
  }
}

function noteCommitment({ commitments }: Selected, value: JsonValue): void {
  if (!isJsonObject(value)) return;
  if (typeof value.$commitment === 'string') commitments.add(value.$commitment);
}
