// SHA-256 of what may be many megabytes, in pieces between which the event loop turns.
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

/** A piece takes about a millisecond. */
const PIECE_BYTES = 1 << 20;

/** Hex SHA-256 of the parts, one after another. */
export async function digestOf(parts: Iterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  let pending = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      const piece = part.subarray(at, at + PIECE_BYTES);
      hash.update(piece);
      pending += piece.length;
      if (pending < PIECE_BYTES) continue;
      pending = 0;
      await setImmediate();
    }
  }
  return hash.digest('hex');
}
