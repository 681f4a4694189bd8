// Signed notes (C2SP signed-note): a text and Ed25519 signatures over it, signed, parsed, verified.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { EvidenceError } from '../errors.ts';
import { equalBytes } from './hashes.ts';

/** Signs note texts; the private key stays behind it. */
export interface NoteSigner {
  /** The Ed25519 public key, 32 bytes. */
  publicKey: Uint8Array;
  /** The Ed25519 signature, 64 bytes (RFC 8032). */
  sign(message: Uint8Array): Uint8Array;
}

export interface NoteSignature {
  name: string;
  /** First 4 bytes of the key's hash, then the signature's own bytes. */
  keyId: Uint8Array;
  signature: Uint8Array;
}

export interface Note {
  /** Ends with a newline; it is what the signatures cover. */
  text: string;
  signatures: NoteSignature[];
}

/** A key one trusts, as a verifier key string (`name+hash+base64`) says it. */
export interface NoteKey {
  name: string;
  publicKey: Uint8Array;
}

export const NOTE_BYTES_MAX = 16 * 1024;
const SIGNATURES_MAX = 16;
const ED25519 = 0x01;
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The signer of an Ed25519 seed (32 bytes, RFC 8032 section 5.1.5). */
export function seedSigner(seed: Uint8Array): NoteSigner {
  const der = Buffer.concat([pkcs8Prefix, seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: new Uint8Array(spki.subarray(spkiPrefix.byteLength)),
    sign: (message) => sign(null, message, key),
  };
}

/** First 4 bytes of SHA-256 over name, newline, signature type and public key. */
function noteKeyId(key: NoteKey): Uint8Array {
  const hash = createHash('sha256').update(`${key.name}\n`, 'utf8');
  return hash.update(Uint8Array.of(ED25519)).update(key.publicKey).digest().subarray(0, 4);
}

/** The key as the verifier key string that other tools of this format read. */
export function formatNoteKey(key: NoteKey): string {
  const body = Buffer.concat([Uint8Array.of(ED25519), key.publicKey]).toString('base64');
  return `${key.name}+${Buffer.from(noteKeyId(key)).toString('hex')}+${body}`;
}

/** Reads a verifier key string; throws `checkpoint_invalid` where any part does not hold. */
export function parseNoteKey(text: string): NoteKey {
  const first = text.indexOf('+');
  const second = text.indexOf('+', first + 1);
  const name = text.slice(0, Math.max(first, 0));
  const body = decodeBase64(text.slice(second + 1));
  if (second < 0 || !isKeyName(name)) throw refuse('a verifier key is name+hash+base64');
  if (body?.byteLength !== 33 || body[0] !== ED25519) throw refuse('the key is not Ed25519');
  const key = { name, publicKey: new Uint8Array(body.subarray(1)) };
  if (formatNoteKey(key) !== text) throw refuse('the key hash does not fit the key');
  return key;
}

/** Signs a text (which must end with a newline) under the key's name and returns the whole note. */
export function signNote(text: string, name: string, signer: NoteSigner): string {
  if (!text.endsWith('\n') || !isKeyName(name)) throw refuse('a note needs a text and a key name');
  const id = noteKeyId({ name, publicKey: signer.publicKey });
  const signed = Buffer.concat([id, signer.sign(Buffer.from(text, 'utf8'))]);
  return `${text}\n— ${name} ${signed.toString('base64')}\n`;
}

/**
 * Reads a note strictly: UTF-8, no control characters but newlines, a text that ends with one, a
 * blank line, then signature lines only. Throws `checkpoint_invalid`.
 */
export function parseNote(bytes: Uint8Array): Note {
  if (bytes.byteLength > NOTE_BYTES_MAX) throw refuse(`it is over ${NOTE_BYTES_MAX} bytes`);
  let note: string;
  try {
    // A leading byte order mark is content here, not decoration.
    note = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw refuse('it is not UTF-8', cause);
  }
  for (let at = 0; at < note.length; at++) {
    const unit = note.charCodeAt(at);
    if (unit < 0x20 && unit !== 0x0a) throw refuse('it has a control character');
  }
  const split = note.lastIndexOf('\n\n');
  if (split < 0 || !note.endsWith('\n')) throw refuse('it has no text and signatures');
  const lines = note.slice(split + 2, -1).split('\n');
  if (lines.length > SIGNATURES_MAX) throw refuse(`it has over ${SIGNATURES_MAX} signatures`);
  return { text: note.slice(0, split + 1), signatures: lines.map(parseSignature) };
}

function parseSignature(line: string): NoteSignature {
  const [dash, name, base64, ...rest] = line.split(' ');
  if (dash !== '—' || name === undefined || base64 === undefined || rest.length > 0) {
    throw refuse('a signature line is malformed');
  }
  const bytes = decodeBase64(base64);
  if (!isKeyName(name) || bytes === undefined || bytes.byteLength < 5) {
    throw refuse('a signature line is malformed');
  }
  return { name, keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) };
}

/**
 * Checks that the note has exactly one signature of this key and that it holds; signatures of
 * other keys are passed over, as the format asks. Throws `checkpoint_invalid`.
 */
export function verifyNote(note: Note, key: NoteKey): void {
  const id = noteKeyId(key);
  const own = note.signatures.filter(
    (signature) => signature.name === key.name && equalBytes(signature.keyId, id),
  );
  if (own.length !== 1) throw refuse(`it has ${own.length} signatures of ${key.name}`);
  if (!verify(null, Buffer.from(note.text, 'utf8'), publicKeyOf(key), own[0]!.signature)) {
    throw refuse(`the signature of ${key.name} does not hold`);
  }
}

/** Keys as the engine wants them: a log has a checkpoint every few rows, and one key. */
const publicKeys = new WeakMap<NoteKey, KeyObject>();

function publicKeyOf(key: NoteKey): KeyObject {
  let known = publicKeys.get(key);
  if (known === undefined) {
    const der = Buffer.concat([spkiPrefix, key.publicKey]);
    known = createPublicKey({ key: der, format: 'der', type: 'spki' });
    publicKeys.set(key, known);
  }
  return known;
}

/** Standard base64 with padding and no other spelling of the same bytes (RFC 4648 section 3.5). */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return text.length > 0 && bytes.toString('base64') === text ? bytes : undefined;
}

function isKeyName(name: string): boolean {
  return name.length > 0 && !name.includes('+') && !/[\s\p{Z}]/u.test(name);
}

function refuse(why: string, cause?: unknown): EvidenceError {
  return new EvidenceError('checkpoint_invalid', `not a valid signed note: ${why}`, { cause });
}
