// Opens what is to be audited, a state folder or an export, with the keys, checkpoints and openings given.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { calculateJwkThumbprint } from 'jose';
import { parseBundleKeys, readBundleKeys } from '../../../runtime/bundle/keys.ts';
import { EvidenceError } from '../../../runtime/errors.ts';
import { readNoteKeysFile } from '../../../runtime/evidence/audit/audit.ts';
import { BUNDLE_KEYS, OPENINGS } from '../../../runtime/evidence/export/export.ts';
import { ExportArchive } from '../../../runtime/evidence/export/reader.ts';
import { type EvidenceReader, nodeReader } from '../../../runtime/evidence/files.ts';
import type { NoteKey } from '../../../runtime/evidence/note.ts';
import { importOpenings, type Openings } from '../../../runtime/evidence/openings.ts';
import type { StateFolder } from '../../state-folder.ts';
import { readStoredOpenings } from './openings.ts';

export interface EvidenceChoices {
  /** An export to read instead of the state folder. */
  exportFile: string | undefined;
  openingsFile: string | undefined;
  storedOpenings: boolean;
  checkpointFiles: string[];
  keyFile: string | undefined;
  bundleKeysFile: string | undefined;
}

/** Evidence that can be read, and what the auditor brought. */
export interface EvidenceAtHand extends AsyncDisposable {
  evidence: string;
  checkpoints: string;
  reader: EvidenceReader;
  archive: ExportArchive | undefined;
  /** The log's key that the auditor gave; undefined to take the one beside the checkpoints. */
  key: NoteKey | undefined;
  /** Further ones, where the auditor's file has several. */
  moreKeys: NoteKey[];
  bundleKeys: JWK[];
  bundleKeyIds: string[];
  keptCheckpoints: Uint8Array[];
  openings: Openings;
}

/** Throws `object_missing` for a file that cannot be read, `export_invalid` for no export. */
export async function openEvidence(
  state: StateFolder,
  choices: EvidenceChoices,
): Promise<EvidenceAtHand> {
  const { exportFile, keyFile, checkpointFiles } = choices;
  const file = exportFile === undefined ? undefined : await openFile(exportFile);
  try {
    const archive = file && (await ExportArchive.open(file));
    const bundleKeys = await bundleKeysOf(state, choices, archive);
    const [key, ...moreKeys] =
      keyFile === undefined ? [] : await readable(keyFile, readNoteKeysFile);
    return {
      ...(archive === undefined
        ? { evidence: state.evidence, checkpoints: state.checkpoints, reader: nodeReader }
        : { evidence: 'evidence', checkpoints: 'checkpoints', reader: archive.reader }),
      archive,
      key,
      moreKeys,
      bundleKeys,
      bundleKeyIds: await Promise.all(bundleKeys.map((key) => calculateJwkThumbprint(key))),
      keptCheckpoints: await Promise.all(
        checkpointFiles.map((path) => readable(path, (name) => readFile(name))),
      ),
      openings: await openingsOf(state, choices, archive),
      [Symbol.asyncDispose]: async () => file?.[Symbol.asyncDispose](),
    };
  } catch (error) {
    await file?.[Symbol.asyncDispose]();
    throw error;
  }
}

function openFile(path: string): ReturnType<typeof nodeReader.open> {
  return readable(path, nodeReader.open);
}

async function openingsOf(
  state: StateFolder,
  { storedOpenings, openingsFile }: EvidenceChoices,
  archive: ExportArchive | undefined,
): Promise<Openings> {
  if (storedOpenings) return readStoredOpenings(state);
  if (openingsFile !== undefined) {
    return importOpenings(await readable(openingsFile, (path) => readFile(path, 'utf8')));
  }
  const inside = await archive?.reader.read(OPENINGS);
  return inside === undefined ? new Map() : importOpenings(Buffer.from(inside).toString('utf8'));
}

async function bundleKeysOf(
  state: StateFolder,
  { bundleKeysFile }: EvidenceChoices,
  archive: ExportArchive | undefined,
): Promise<JWK[]> {
  if (bundleKeysFile !== undefined) return readBundleKeys(bundleKeysFile);
  if (archive !== undefined) {
    const inside = await archive.reader.read(BUNDLE_KEYS);
    return inside === undefined ? [] : parseBundleKeys(inside, BUNDLE_KEYS);
  }
  const own = join(state.keys, 'bundle.json.pub');
  return existsSync(own) ? readBundleKeys(own) : [];
}

async function readable<Result>(
  path: string,
  read: (path: string) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(path);
  } catch (cause) {
    if (cause instanceof EvidenceError) throw cause;
    throw new EvidenceError('object_missing', `the file ${path} cannot be read`, { cause });
  }
}
