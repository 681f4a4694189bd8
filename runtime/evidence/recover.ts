// Reads a segment from its first byte and says what is committed, or refuses it as tampered with.
import { EvidenceError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { type Checkpoint, openCheckpoint, readCheckpoint } from './checkpoint.ts';
import { type ByteSource, type Frame, readFrames } from './frame.ts';
import { equalBytes, type RecordHashes } from './hashes.ts';
import { Frontier } from './merkle.ts';
import { type NoteKey, parseNote } from './note.ts';
import { decodeRow, type EvidenceDraft, type RowContent } from './row.ts';

/** The facts of an intent that has no outcome yet. */
export interface OpenIntent {
  action: string;
  request: string;
  spiffe_id: string;
  boundary: string;
  subject: JsonObject;
  controls: string[];
  sequence: number;
}

export interface Recovered {
  frontier: Frontier;
  /** Where the last whole commit group ends, in bytes; what follows was never acknowledged. */
  end: number;
  openIntents: OpenIntent[];
  /** The last checkpoint's note; undefined for an empty log. */
  note: Uint8Array | undefined;
}

export interface RecoverOptions {
  log: string;
  key: NoteKey;
  record: RecordHashes;
  /** Checkpoints kept outside; the segment must reach and agree with each. */
  witnessed: readonly Checkpoint[];
}

/**
 * Walks the segment and keeps what its last readable checkpoint covers. Throws
 * `evidence_truncated` where a witnessed checkpoint covers more rows than the segment has, and
 * `evidence_corrupt` where rows, sequence or roots do not agree. Signatures are checked on the
 * last checkpoint only, which covers all rows; the audit checks every one.
 */
export async function recoverSegment(
  segment: ByteSource,
  options: RecoverOptions,
): Promise<Recovered> {
  const { record, witnessed } = options;
  const growing = new Frontier(record);
  const committed: Recovered = {
    frontier: growing.copy(),
    end: 0,
    openIntents: [],
    note: undefined,
  };
  const open = new Map<string, OpenIntent>();
  let staged: RowContent[] = [];
  checkWitnessed(growing, witnessed);
  for await (const frame of readFrames(segment)) {
    if (frame.kind === 'row') {
      staged.push(nextRow(frame, growing.size, options.log));
      growing.push(record.leafHash(frame.body));
      checkWitnessed(growing, witnessed);
      continue;
    }
    checkCheckpoint(frame, growing);
    for (const row of staged) track(open, row);
    staged = [];
    committed.frontier = growing.copy();
    committed.end = frame.end;
    committed.note = new Uint8Array(frame.body);
  }
  if (committed.note) openCheckpoint(committed.note, options.key);
  const most = Math.max(...witnessed.map((checkpoint) => checkpoint.size), 0);
  if (most > committed.frontier.size) {
    throw new EvidenceError(
      'evidence_truncated',
      `the log has ${committed.frontier.size} rows, but a signed checkpoint covers ${most}`,
      { hint: 'Restore the segment from a backup; platform audit --verify shows what is left.' },
    );
  }
  committed.openIntents = [...open.values()];
  return committed;
}

function nextRow(frame: Frame, sequence: number, log: string): RowContent {
  const row = decodeRow(frame.body);
  if (row.log !== log) throw corrupt(`row ${sequence} is of another log`);
  if (row.sequence !== sequence) throw corrupt(`row ${sequence} says it is row ${row.sequence}`);
  return row;
}

function checkWitnessed(frontier: Frontier, witnessed: readonly Checkpoint[]): void {
  for (const checkpoint of witnessed) {
    if (checkpoint.size === frontier.size && !equalBytes(checkpoint.root, frontier.root())) {
      throw corrupt(`the first ${checkpoint.size} rows are not those of the signed checkpoint`);
    }
  }
}

function checkCheckpoint(frame: Frame, frontier: Frontier): void {
  const checkpoint = readCheckpoint(parseNote(frame.body));
  if (checkpoint.size !== frontier.size || !equalBytes(checkpoint.root, frontier.root())) {
    throw corrupt(`the checkpoint after row ${frontier.size - 1} does not fit the rows`);
  }
}

function track(open: Map<string, OpenIntent>, row: RowContent): void {
  if (row.kind === 'outcome') open.delete(row.action);
  if (row.kind !== 'intent') return;
  const { action, request, spiffe_id, boundary, subject, controls, sequence } = row;
  open.set(action, { action, request, spiffe_id, boundary, subject, controls, sequence });
}

/** The row that closes an intent whose outcome nobody can know any more. */
export function unknownOutcome(intent: OpenIntent, time: string): EvidenceDraft {
  const { action, request, spiffe_id, boundary, subject, controls } = intent;
  return {
    kind: 'outcome',
    ...{ action, request, time, spiffe_id, boundary, subject, controls },
    decisions: [],
    outcome: 'unknown',
    reason: {
      code: 'outcome_unknown',
      message: 'The platform stopped between intent and outcome; the action may have happened.',
    },
    detail: { intent: intent.sequence },
  };
}

function corrupt(message: string): EvidenceError {
  return new EvidenceError('evidence_corrupt', `the evidence log is damaged: ${message}`, {
    hint: 'Run platform audit --verify, and restore the segment from a backup.',
  });
}
