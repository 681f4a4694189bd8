// What an export says of itself: which log, which rows, when, and the digest of every file in it, signed.
import { EvidenceError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { type NoteKey, type NoteSigner, parseNote, signNote, verifyNote } from '../note.ts';
import { digestOf } from '../objects.ts';

export const EXPORT_SCHEMA = 'platform/evidence-export/v1';
export const MANIFEST = 'manifest.json';
/** A signed note (C2SP) over the manifest's digest; its first line keeps it from being a checkpoint. */
export const MANIFEST_NOTE = 'manifest.note';
export const MANIFEST_BYTES_MAX = 64 << 20;

/** Which rows a selection has; a member that is absent leaves nothing out. */
export interface Selection {
  /** RFC 3339 in UTC with milliseconds: from this time on, and before that one. */
  from?: string;
  to?: string;
  /** Tenant, and whole SPIFFE ID, of who acted. */
  tenant?: string;
  agent?: string;
}

/** An entry of the archive with what it must hold. */
export interface ExportedFile {
  path: string;
  bytes: number;
  sha256: string;
}

export interface ExportManifest {
  schema: typeof EXPORT_SCHEMA;
  log: string;
  origin: string;
  /** When it was made, by the exporting machine's clock. */
  exported: string;
  /** The log's segment as it is, or some of its rows with proofs. */
  content: 'log' | 'selection';
  selection: Selection | null;
  /** Rows in the file, and in the log under the checkpoint. */
  rows: number;
  size: number;
  /** Hexadecimal root of the checkpoint. */
  root: string;
  /** Whether bundles, and openings in clear, are in the file. */
  bundles: boolean;
  openings: boolean;
  /** Every other entry in the order of the archive. */
  files: ExportedFile[];
}

/** The manifest's bytes: JSON with its members in one order. */
export function encodeManifest(manifest: ExportManifest): Uint8Array {
  const bytes = Buffer.from(`${JSON.stringify(manifest)}\n`);
  if (bytes.byteLength <= MANIFEST_BYTES_MAX) return bytes;
  throw refuse(`it would be over ${MANIFEST_BYTES_MAX} bytes`);
}

/** The note that signs these bytes of a manifest with the log's own key. */
export function signManifest(manifest: Uint8Array, origin: string, signer: NoteSigner): Uint8Array {
  return Buffer.from(signNote(signedText(manifest, origin), origin, signer), 'utf8');
}

/** Throws `export_invalid` where the note is not the key's over these bytes of a manifest. */
export function verifyManifest(manifest: Uint8Array, noteBytes: Uint8Array, key: NoteKey): void {
  try {
    const note = parseNote(noteBytes);
    verifyNote(note, key);
    if (note.text === signedText(manifest, key.name)) return;
  } catch (cause) {
    throw refuse(`its signature by ${key.name} does not hold`, cause);
  }
  throw refuse('its signature is of another export');
}

function signedText(manifest: Uint8Array, origin: string): string {
  return `${EXPORT_SCHEMA}\n${origin}\n${digestOf(manifest)}\n`;
}

/** Reads a manifest; throws `export_invalid` for one that this version does not write. */
export function parseManifest(bytes: Uint8Array): ExportManifest {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw refuse('it is not JSON', cause);
  }
  if (!isJsonObject(value) || value.schema !== EXPORT_SCHEMA) {
    throw refuse(`it is not of ${EXPORT_SCHEMA}`);
  }
  const broken = findBroken(value);
  if (broken !== undefined) throw refuse(`its ${broken} cannot be read`);
  return value as unknown as ExportManifest;
}

function findBroken(value: JsonObject): string | undefined {
  for (const name of ['log', 'origin', 'exported', 'root']) {
    if (typeof value[name] !== 'string') return name;
  }
  for (const name of ['rows', 'size']) if (!isCount(value[name])) return name;
  for (const name of ['bundles', 'openings']) if (typeof value[name] !== 'boolean') return name;
  const { content, selection, files } = value;
  if (content === 'log' ? selection !== null : content !== 'selection') return 'content';
  if (selection !== null && !isSelection(selection)) return 'selection';
  if (!Array.isArray(files) || !files.every(isExportedFile)) return 'files';
  return undefined;
}

function isSelection(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  return Object.entries(value).every(
    ([name, each]) => ['from', 'to', 'tenant', 'agent'].includes(name) && typeof each === 'string',
  );
}

function isExportedFile(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { path, bytes, sha256 } = value;
  return typeof path === 'string' && isCount(bytes) && typeof sha256 === 'string';
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function refuse(why: string, cause?: unknown): EvidenceError {
  return new EvidenceError('export_invalid', `the manifest of the export: ${why}`, { cause });
}
