// The keys that signed a log, oldest first: each vouches for the next in a checkpoint that both sign.
import { EvidenceError } from '../errors.ts';
import { type Checkpoint, openCheckpoint, type SignedCheckpoint } from './checkpoint.ts';
import { formatNoteKey, type NoteKey, parseNoteKey } from './note.ts';

const KEYS_MAX = 256;

/**
 * Reads the checkpoints of a log in their order and follows its keys. One trusted key is enough: what
 * comes later, a trusted key vouches for in what it signed itself; what came before, it signs as well,
 * since a checkpoint is over all rows from the first on. Of several, each must have signed: whoever
 * steals one that the log was taken from can hand another history over, but not to those after it.
 */
export class KeyChain {
  /** Oldest first. */
  readonly keys: readonly NoteKey[];
  readonly #lastTrusted: number;
  #current: number;

  /** Throws `checkpoint_invalid` where a trusted key is not one of the keys. */
  constructor(keys: readonly NoteKey[], trusted: readonly NoteKey[] = keys, current = 0) {
    const texts = keys.map(formatNoteKey);
    const places = trusted.map((key) => texts.indexOf(formatNoteKey(key)));
    this.keys = keys;
    this.#lastTrusted = Math.max(...places);
    this.#current = current;
    if (places.length === 0 || places.includes(-1)) {
      throw refuse('a key that is trusted is not one of the log');
    }
  }

  /** The index of the key in force. */
  get current(): number {
    return this.#current;
  }

  /** The next checkpoint of the log; throws `checkpoint_invalid` unless the key in force signed it. */
  next(note: Uint8Array): Checkpoint {
    const checkpoint = openCheckpoint(note, this.keys[this.#current]!);
    if (checkpoint.nextKey !== undefined) this.#handOver(note, checkpoint);
    return checkpoint;
  }

  /** A checkpoint from outside the log, which any of its keys may have signed. */
  open(note: Uint8Array): Checkpoint {
    let refused: unknown;
    for (const key of this.keys.toReversed()) {
      try {
        return openCheckpoint(note, key);
      } catch (error) {
        refused ??= error;
      }
    }
    throw refused;
  }

  /** Whether every trusted key has signed so far, or is the next to sign. */
  get isTrusted(): boolean {
    return this.#lastTrusted <= this.#current;
  }

  /** Throws `checkpoint_invalid` where a trusted key has not signed. */
  requireTrusted(): void {
    if (this.isTrusted) return;
    throw refuse('the log ends before the first checkpoint of a key that is trusted');
  }

  #handOver(note: Uint8Array, { nextKey }: SignedCheckpoint): void {
    const next = this.keys[this.#current + 1];
    if (next === undefined || formatNoteKey(next) !== nextKey) {
      throw refuse('it hands the log over to a key that is not among those of the log');
    }
    openCheckpoint(note, next);
    this.#current++;
  }
}

/** Reads verifier key strings, one a line, oldest first. Throws `checkpoint_invalid`. */
export function parseNoteKeys(text: string): NoteKey[] {
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length === 0 || lines.length > KEYS_MAX) throw refuse('there are no keys, or too many');
  return lines.map(parseNoteKey);
}

/** The keys as `parseNoteKeys` reads them. */
export function formatNoteKeys(keys: readonly NoteKey[]): string {
  return keys.map((key) => `${formatNoteKey(key)}\n`).join('');
}

function refuse(why: string): EvidenceError {
  return new EvidenceError('checkpoint_invalid', `not a valid checkpoint: ${why}`);
}
