// Writes the evidence of a log into one file: rows, checkpoints, proofs, bundles, modules and schemas.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { EvidenceError } from '../../errors.ts';
import { type Checkpoint, readCheckpoint } from '../checkpoint.ts';
import { type EvidenceReader, nodeReader } from '../files.ts';
import { type ByteSource, readFrames } from '../frame.ts';
import type { RecordHashes } from '../hashes.ts';
import { type LogIdentity, readIdentity } from '../identity.ts';
import { type NoteSigner, parseNote } from '../note.ts';
import { exportOpenings, type Openings } from '../openings.ts';
import { ArchiveWriter, WHOLE_BYTES_MAX } from './archive.ts';
import { ExportFile } from './file.ts';
import {
  EXPORT_SCHEMA,
  type ExportedFile,
  type ExportManifest,
  encodeManifest,
  MANIFEST,
  MANIFEST_NOTE,
  type Selection,
  signManifest,
} from './manifest.ts';
import { bundleObjects, everyObject } from './objects.ts';
import { selectRows } from './select.ts';
import { SELECTION } from './selection.ts';

export const BUNDLE_KEYS = 'keys/bundle.json.pub';
export const OPENINGS = 'openings.jsonl';
const COPY_BYTES = 1 << 20;

export interface ExportOptions {
  /** The log's folder, and that of the checkpoints kept outside it. */
  evidence: string;
  checkpoints: string;
  reader?: EvidenceReader;
  record: RecordHashes;
  /** The file to make; it must not exist. */
  out: string;
  /** When, for the manifest: equal logs and times give equal bytes. */
  time: Date;
  /** The bytes of the bundles' public keys. */
  bundleKeys?: Uint8Array;
  /** The log's own key, which signs the manifest; without it the manifest is not signed. */
  signer?: NoteSigner;
  /** Goes into the file in clear; leave it out to give none away. */
  openings?: Openings;
  /** Only these rows, each with its proof; absent for the whole log. */
  selection?: Selection;
  /** Whether a selection takes the bundles along, which hold the data of all agents. */
  withBundles?: boolean;
  /** Bytes of the segment that were read, and that there are. */
  onProgress?: (done: number, all: number) => void;
}

export interface ExportSummary {
  manifest: ExportManifest;
  /** Bytes of the file. */
  bytes: number;
}

/** What a log's segment has under its newest checkpoint. */
export interface LogEnd {
  checkpoint: Checkpoint;
  note: Uint8Array;
}

/**
 * Exports a log, whole or in part, beside a running platform or without one. The file is complete or
 * not there. Throws `object_missing` where there is no log, `evidence_corrupt` where rows of a
 * selection cannot be proved, `state_unwritable` where the file cannot be made.
 */
export async function exportEvidence(options: ExportOptions): Promise<ExportSummary> {
  const { evidence, out, reader = nodeReader } = options;
  const identity = await readIdentity(reader, evidence);
  if (identity === undefined) {
    throw new EvidenceError('object_missing', `there is no evidence in ${evidence}`, {
      hint: 'Name the state folder of a platform with --state.',
    });
  }
  await using file = await ExportFile.create(out);
  const entries = new Entries(new ArchiveWriter(file));
  // What is kept outside is read first: the segment, read later, then has every row that it covers.
  await addSmall(entries, reader, options, identity);
  await using segment = await openSegment(reader, evidence);
  const rows = options.selection
    ? await addSelection(entries, segment, options, identity)
    : await addLog(entries, segment, options);
  const { exported, openings } = rows;
  if (openings !== undefined) await entries.add(OPENINGS, openingsBytes(openings));
  const manifest: ExportManifest = {
    ...{ schema: EXPORT_SCHEMA, ...identity, exported: options.time.toISOString() },
    ...{ content: options.selection ? 'selection' : 'log', selection: options.selection ?? null },
    ...exported,
    bundles: options.selection === undefined || options.withBundles === true,
    openings: openings !== undefined,
    files: entries.files,
  };
  const bytes = encodeManifest(manifest);
  await entries.add(MANIFEST, bytes);
  if (options.signer) {
    await entries.add(MANIFEST_NOTE, signManifest(bytes, identity.origin, options.signer));
  }
  await entries.end();
  return { manifest, bytes: await file.keep() };
}

/** Read whole by an audit, so bounded here. */
function openingsBytes(openings: Openings): Uint8Array {
  const bytes = Buffer.from(exportOpenings(openings));
  if (bytes.byteLength <= WHOLE_BYTES_MAX) return bytes;
  throw new EvidenceError('input_too_large', 'the openings are too large for an export', {
    hint: 'Export without them, and hand them over as "platform audit openings --out" writes them.',
  });
}

/** Adds entries and remembers the digest of each for the manifest. */
export class Entries {
  readonly files: ExportedFile[] = [];
  readonly #archive: ArchiveWriter;

  constructor(archive: ArchiveWriter) {
    this.#archive = archive;
  }

  async add(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    const hash = createHash('sha256');
    const pieces = content instanceof Uint8Array ? [content] : content;
    async function* hashed(): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces) {
        hash.update(piece);
        yield piece;
      }
    }
    const bytes = await this.#archive.add(path, hashed());
    this.files.push({ path, bytes, sha256: hash.digest('hex') });
  }

  end(): Promise<void> {
    return this.#archive.end();
  }
}

async function addSmall(
  entries: Entries,
  reader: EvidenceReader,
  { evidence, checkpoints, bundleKeys, selection }: ExportOptions,
  { log }: LogIdentity,
): Promise<void> {
  const names = [`${log}.key`, `${log}.keys`];
  // A selection is held to the newest checkpoint alone, which comes with its rows.
  if (selection === undefined) names.push(`${log}.synced.checkpoint`, `${log}.checkpoint`);
  const identity = await reader.read(join(evidence, 'log.json'));
  if (identity) await entries.add('evidence/log.json', identity);
  for (const name of names) {
    const bytes = await reader.read(join(checkpoints, name));
    if (bytes) await entries.add(`checkpoints/${name}`, bytes);
  }
  if (bundleKeys) await entries.add(BUNDLE_KEYS, bundleKeys);
}

interface Exported {
  exported: Pick<ExportManifest, 'rows' | 'size' | 'root'>;
  openings: Openings | undefined;
}

async function addLog(
  entries: Entries,
  segment: ByteSource,
  options: ExportOptions,
): Promise<Exported> {
  const { evidence, reader = nodeReader, openings } = options;
  const size = await segment.size();
  const { checkpoint } = await endOf(segment, size, options);
  await entries.add('evidence/segment', copy(segment, size));
  for await (const [path, bytes] of everyObject(reader, evidence)) await entries.add(path, bytes);
  const { size: rows, root } = checkpoint;
  return { exported: { rows, size: rows, root: Buffer.from(root).toString('hex') }, openings };
}

async function addSelection(
  entries: Entries,
  segment: ByteSource,
  options: ExportOptions,
  { log }: LogIdentity,
): Promise<Exported> {
  const { evidence, reader = nodeReader, selection = {}, openings } = options;
  const end = await endOf(segment, await segment.size(), options);
  await entries.add(`checkpoints/${log}.checkpoint`, end.note);
  const { size, root } = end.checkpoint;
  const select = { segment, end, selection, record: options.record, beside: options.out };
  const found = await selectRows(select, (rows) => entries.add(SELECTION, rows));
  const revisions = options.withBundles ? found.revisions : [];
  for await (const [path, bytes] of bundleObjects(reader, evidence, revisions, found.schemas)) {
    await entries.add(path, bytes);
  }
  const chosen = openings && new Map([...openings].filter(([key]) => found.commitments.has(key)));
  const hexRoot = Buffer.from(root).toString('hex');
  return { exported: { rows: found.rows, size, root: hexRoot }, openings: chosen };
}

/** The newest checkpoint of the segment's first bytes, its signature not yet checked. */
async function endOf(
  segment: ByteSource,
  size: number,
  { onProgress }: ExportOptions,
): Promise<LogEnd> {
  let note: Uint8Array | undefined;
  for await (const { kind, body, end } of readFrames(segment)) {
    if (end > size) break;
    if (kind === 'checkpoint') {
      note = body.slice();
      onProgress?.(end, size);
    }
  }
  if (note !== undefined) return { checkpoint: readCheckpoint(parseNote(note)), note };
  throw new EvidenceError('object_missing', 'the log has no row yet that a checkpoint covers');
}

async function* copy(segment: ByteSource, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const bytes = await segment.read(at, Math.min(COPY_BYTES, size - at));
    if (bytes.byteLength === 0) return;
    at += bytes.byteLength;
    yield bytes;
  }
}

async function openSegment(
  reader: EvidenceReader,
  evidence: string,
): Promise<ByteSource & AsyncDisposable> {
  try {
    return await reader.open(join(evidence, 'segment'));
  } catch (cause) {
    throw new EvidenceError('evidence_truncated', 'the segment of the log is gone', { cause });
  }
}
