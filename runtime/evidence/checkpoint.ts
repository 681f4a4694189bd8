// Checkpoints of the log (C2SP tlog-checkpoint): origin, size and Merkle root in a signed note.
import { EvidenceError } from '../errors.ts';
import {
  decodeBase64,
  formatNoteKey,
  type Note,
  type NoteKey,
  type NoteSigner,
  parseNote,
  signNote,
  verifyNote,
} from './note.ts';

export interface Checkpoint {
  /** Names the log; also the name of the key that signs it. */
  origin: string;
  /** Number of rows the root covers. */
  size: number;
  /** 32 bytes. */
  root: Uint8Array;
}

/** A checkpoint with what else its signed text says. */
export interface SignedCheckpoint extends Checkpoint {
  /** The verifier key string of the key that signs from here on; undefined where the key stays. */
  nextKey: string | undefined;
}

/** Signs a checkpoint under the origin's name and returns the note. */
export function signCheckpoint(checkpoint: Checkpoint, signer: NoteSigner): Uint8Array {
  return Buffer.from(signNote(textOf(checkpoint), checkpoint.origin, signer), 'utf8');
}

/**
 * Signs the checkpoint that hands the log over to another key: the new key stands in an extension line
 * (C2SP tlog-checkpoint), and both keys sign, one to vouch for the other, the other to show that it is
 * held. Returns the note.
 */
export function signHandover(checkpoint: Checkpoint, from: NoteSigner, to: NoteSigner): Uint8Array {
  const { origin } = checkpoint;
  const next = formatNoteKey({ name: origin, publicKey: to.publicKey });
  const text = `${textOf(checkpoint)}${NEXT_KEY}${next}\n`;
  const signatures = [from, to].map((signer) =>
    signNote(text, origin, signer).slice(text.length + 1),
  );
  return Buffer.from(`${text}\n${signatures.join('')}`, 'utf8');
}

function textOf({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
}

/** Begins the extension line that names the next key. */
const NEXT_KEY = 'platform-next-key ';

/**
 * Reads a checkpoint's note and checks the log's signature over it. Refused with
 * `checkpoint_invalid`: another origin, a size with leading zeros or beyond 2^53, a root that is
 * not 32 bytes, an empty extension line, a missing, doubled or wrong signature.
 */
export function openCheckpoint(bytes: Uint8Array, key: NoteKey): SignedCheckpoint {
  const note = parseNote(bytes);
  const checkpoint = readCheckpoint(note);
  if (checkpoint.origin !== key.name) {
    throw refuse(`it is of ${checkpoint.origin}, not of ${key.name}`);
  }
  verifyNote(note, key);
  return checkpoint;
}

/** What the note says, with its signatures not yet checked. */
export function readCheckpoint(note: Note): SignedCheckpoint {
  const [origin, sizeText, rootText, ...extensions] = note.text.slice(0, -1).split('\n');
  if (!origin) throw refuse('it has no origin');
  const size = parseSize(sizeText ?? '');
  const root = decodeBase64(rootText ?? '');
  if (size === undefined) throw refuse('the size is not a plain decimal number');
  if (root?.byteLength !== 32) throw refuse('the root is not 32 bytes of base64');
  if (extensions.includes('')) throw refuse('it has an empty extension line');
  const handovers = extensions.filter((line) => line.startsWith(NEXT_KEY));
  if (handovers.length > 1) throw refuse('it hands the log over to more than one key');
  return { origin, size, root, nextKey: handovers[0]?.slice(NEXT_KEY.length) };
}

function parseSize(text: string): number | undefined {
  for (const digit of text) if (digit < '0' || digit > '9') return undefined;
  if (text === '' || (text.length > 1 && text[0] === '0')) return undefined;
  const size = Number(text);
  return Number.isSafeInteger(size) ? size : undefined;
}

function refuse(why: string): EvidenceError {
  return new EvidenceError('checkpoint_invalid', `not a valid checkpoint: ${why}`);
}
