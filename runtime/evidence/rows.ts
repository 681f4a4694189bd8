// Reads the committed rows of a segment in order.
import { type ByteSource, readFrames } from './frame.ts';

export interface CommittedRow {
  sequence: number;
  /** Canonical JSON; `decodeRow` reads it. */
  bytes: Uint8Array;
}

/** A place between two frames: the byte, and the sequence number of the next row. */
export interface RowPosition {
  offset: number;
  sequence: number;
}

/**
 * Yields rows with a sequence number of at least `from`, starting to read at `position` and
 * stopping where the committed part ended at the time of the call. Moves `position` along.
 */
export async function* readRows(
  committed: { segment: ByteSource; end: number },
  position: RowPosition,
  from = 0,
): AsyncGenerator<CommittedRow> {
  const { segment, end } = committed;
  // Bounded here and not by the file, so that a few new rows do not cost a buffer of full size.
  const source: ByteSource = {
    size: async () => end,
    async read(from, length) {
      const left = Math.min(length, end - from);
      return left > 0 ? segment.read(from, left) : new Uint8Array(0);
    },
  };
  for await (const frame of readFrames(source, position.offset)) {
    position.offset = frame.end;
    if (frame.kind !== 'row') continue;
    const sequence = position.sequence++;
    if (sequence >= from) yield { sequence, bytes: frame.body };
  }
}
