// Verifies a log offline: encoding, sequence, Merkle roots and the signature of every checkpoint.
import { EvidenceError, PlatformError } from '../../errors.ts';
import type { Checkpoint } from '../checkpoint.ts';
import { type ByteSource, type Frame, readFrameBatches } from '../frame.ts';
import { equalBytes, type RecordHashes } from '../hashes.ts';
import type { KeyChain } from '../key-chain.ts';
import { Frontier } from '../merkle.ts';
import { type RecordedRow, readRow } from './recorded.ts';

export interface VerifyOptions {
  segment: ByteSource;
  log: string;
  /** The keys of the log; their name is the checkpoints' origin. */
  keys: KeyChain;
  record: RecordHashes;
  /** Checkpoints kept outside the log, their signatures checked. */
  witnessed: readonly Checkpoint[];
  /** Where to go on, by default at the first byte. */
  from?: LogPosition;
}

/** A place behind a checkpoint, and what is known there of the rows before. */
export interface LogPosition {
  /** Bytes. */
  end: number;
  /** Over all rows before. */
  frontier: Frontier;
  checkpoints: number;
}

/** What was verified, once the walk has ended without an error. */
export interface VerifiedLog {
  rows: number;
  checkpoints: number;
  root: Uint8Array;
  /** Bytes after the last checkpoint: a group that was being written, never acknowledged. */
  tailBytes: number;
}

/** Rows that one signed checkpoint covers, and where the walk then stands, until it goes on. */
export interface VerifiedGroup extends LogPosition {
  rows: RecordedRow[];
  /** Where the frame of the checkpoint begins, in bytes. */
  checkpointStart: number;
}

// The writer's groups are at most a fourth of each. What is not yet covered is kept in memory.
const GROUP_ROWS_MAX = 16 * 1024;
const GROUP_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Walks the log and yields its rows, those that a signed checkpoint covers together; returns the
 * summary. Throws an EvidenceError (`evidence_corrupt`, `evidence_truncated`, `checkpoint_invalid`) at
 * the first thing that does not hold: the rows yielded before it are proved, nothing after it is.
 */
export async function* verifyLog(
  options: VerifyOptions,
): AsyncGenerator<VerifiedGroup, VerifiedLog, void> {
  const { segment, keys, record, witnessed, from } = options;
  const frontier = from?.frontier ?? new Frontier(record);
  const checkpoints = from?.checkpoints ?? 0;
  const summary = { rows: frontier.size, checkpoints, root: frontier.root(), tailBytes: 0 };
  const size = await segment.size();
  const sizes = new Set(witnessed.map((checkpoint) => checkpoint.size));
  let group: RecordedRow[] = [];
  let end = from?.end ?? 0;
  let broken = end;
  checkWitnessed(frontier, witnessed);
  for await (const frames of readFrameBatches(segment, end)) {
    for (const frame of frames) {
      broken = frame.end;
      if (frame.kind === 'row') {
        group.push(checkRow(frame, frontier.size, options));
        if (group.length > GROUP_ROWS_MAX || frame.end - end > GROUP_BYTES_MAX) {
          throw corrupt(frontier.size, `no checkpoint follows the rows from ${summary.rows} on`);
        }
        frontier.push(record.leafHash(frame.body));
        if (sizes.has(frontier.size)) checkWitnessed(frontier, witnessed);
        continue;
      }
      summary.root = checkCheckpoint(frame, frontier, keys);
      end = frame.end;
      summary.rows = frontier.size;
      summary.checkpoints++;
      const checkpointStart = frame.start;
      yield { rows: group, end, frontier, checkpoints: summary.checkpoints, checkpointStart };
      group = [];
    }
  }
  const most = Math.max(...witnessed.map((checkpoint) => checkpoint.size), 0);
  if (most > summary.rows && broken < size) {
    throw corrupt(
      summary.rows,
      `the segment is damaged at byte ${broken}: no row after it is whole`,
    );
  }
  if (most > summary.rows) {
    const message = `${summary.rows} rows are left of ${most} that a signed checkpoint covers`;
    throw new EvidenceError('evidence_truncated', message, { data: { rows: summary.rows, most } });
  }
  keys.requireTrusted();
  return { ...summary, tailBytes: Math.max(0, size - end) };
}

function checkRow(frame: Frame, sequence: number, options: VerifyOptions): RecordedRow {
  let isCanonical: boolean;
  try {
    isCanonical = options.record.isCanonical(frame.body);
  } catch (cause) {
    if (!(cause instanceof PlatformError)) throw cause;
    throw corrupt(sequence, `row ${sequence} is refused: ${cause.code}`);
  }
  if (!isCanonical) throw corrupt(sequence, `row ${sequence} is not canonical`);
  const row = readRow(frame.body);
  if (row.log !== options.log) throw corrupt(sequence, `row ${sequence} is of another log`);
  if (row.sequence !== sequence) {
    throw corrupt(sequence, `row ${sequence} says it is row ${row.sequence}`);
  }
  return row;
}

function checkWitnessed(frontier: Frontier, witnessed: readonly Checkpoint[]): void {
  for (const { size, root } of witnessed) {
    if (size === frontier.size && !equalBytes(root, frontier.root())) {
      throw corrupt(size, `the first ${size} rows are not those of the checkpoint kept outside`);
    }
  }
}

/** The root that the checkpoint signs, once it is that of the rows. */
function checkCheckpoint(frame: Frame, frontier: Frontier, keys: KeyChain): Uint8Array {
  const checkpoint = keys.next(frame.body);
  if (checkpoint.size !== frontier.size) {
    const message = `a checkpoint of ${checkpoint.size} rows follows row ${frontier.size - 1}`;
    throw corrupt(frontier.size, message);
  }
  if (!equalBytes(checkpoint.root, frontier.root())) {
    throw corrupt(frontier.size, `the first ${checkpoint.size} rows do not give the signed root`);
  }
  return checkpoint.root;
}

function corrupt(row: number, message: string): EvidenceError {
  return new EvidenceError('evidence_corrupt', message, { data: { row } });
}
