// Reads the rows of a state folder's log that a checkpoint covers, without judging them.
import { join } from 'node:path';
import { EvidenceError } from '../../../runtime/errors.ts';
import { readCheckpoint } from '../../../runtime/evidence/checkpoint.ts';
import { nodeReader } from '../../../runtime/evidence/files.ts';
import { readFrames } from '../../../runtime/evidence/frame.ts';
import { parseNote } from '../../../runtime/evidence/note.ts';
import type { StateFolder } from '../../state-folder.ts';

/** A commit group: its rows' bytes and the note of the checkpoint over all rows so far. */
export interface CommitGroup {
  rows: Uint8Array[];
  note: Uint8Array;
  size: number;
}

/** Yields the committed groups in order. Throws `object_missing` where there is no log. */
export async function* readGroups(state: StateFolder): AsyncGenerator<CommitGroup> {
  await using segment = await openSegment(state);
  let rows: Uint8Array[] = [];
  for await (const { kind, body } of readFrames(segment)) {
    if (kind === 'row') {
      rows.push(body);
      continue;
    }
    yield { rows, note: body, size: readCheckpoint(parseNote(body)).size };
    rows = [];
  }
}

async function openSegment(state: StateFolder): ReturnType<typeof nodeReader.open> {
  try {
    return await nodeReader.open(join(state.evidence, 'segment'));
  } catch (cause) {
    throw new EvidenceError('object_missing', `there is no evidence in ${state.evidence}`, {
      cause,
      hint: 'Name the state folder of a platform with --state.',
    });
  }
}
