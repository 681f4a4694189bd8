// Hands a log over to another signing key, while no platform writes it.
import { join } from 'node:path';
import { EvidenceError } from '../errors.ts';
import { openCheckpoint, readCheckpoint, signHandover } from './checkpoint.ts';
import { type EvidenceFiles, nodeFiles, type SegmentFile } from './files.ts';
import { encodeFrame } from './frame.ts';
import type { RecordHashes } from './hashes.ts';
import { type LogIdentity, readIdentity } from './identity.ts';
import { formatNoteKeys, KeyChain, parseNoteKeys } from './key-chain.ts';
import { takeLock } from './lock.ts';
import { formatNoteKey, type NoteKey, type NoteSigner, parseNote } from './note.ts';
import { recoverSegment } from './recover.ts';
import { readWitnessed, Witness } from './witness.ts';

export interface HandOverOptions {
  /** The log's folder, and that of its checkpoints. */
  dir: string;
  checkpointsDir: string;
  record: RecordHashes;
  /** The signer until now, and the one from here on. */
  from: NoteSigner;
  to: NoteSigner;
  fs?: EvidenceFiles;
}

/**
 * Ends the log under one key and begins it under the next: a checkpoint over all rows names the new key
 * and is signed by both; `<log>.keys` lists all keys, `<log>.key` is the new one. Called again after a
 * crash with the same keys, it does what is left to do. Throws `state_locked` while a platform runs,
 * `object_missing` where there is no log, and what opening a log throws where it does not hold.
 */
export async function handOverLog(options: HandOverOptions): Promise<NoteKey> {
  const files = options.fs ?? nodeFiles;
  const identity = await readIdentity(files, options.dir);
  if (identity === undefined) {
    throw new EvidenceError('object_missing', `there is no evidence in ${options.dir}`);
  }
  const release = takeLock(files, join(options.dir, 'lock'));
  try {
    const segment = await files.openSegment(join(options.dir, 'segment'));
    try {
      return await handOver(options, { files, identity, segment });
    } finally {
      await segment.close();
    }
  } finally {
    release();
  }
}

interface Opened {
  files: EvidenceFiles;
  identity: LogIdentity;
  segment: SegmentFile;
}

async function handOver(
  { checkpointsDir, record, from, to }: HandOverOptions,
  { files, identity, segment }: Opened,
): Promise<NoteKey> {
  const { log, origin: name } = identity;
  const [key, next] = [from, to].map(({ publicKey }): NoteKey => ({ name, publicKey }));
  const path = join(checkpointsDir, log);
  const either = new KeyChain([key!, next!]);
  const { checkpoints } = await readWitnessed(files, path, (note) => either.open(note));
  const found = await recoverSegment(segment, { log, key: key!, record, witnessed: checkpoints });
  let { note } = found;
  if (note === undefined || readCheckpoint(parseNote(note)).nextKey !== formatNoteKey(next!)) {
    await listKeys(files, `${path}.keys`, [key!, next!]);
    const { size } = found.frontier;
    note = signHandover({ origin: name, size, root: found.frontier.root() }, from, to);
    if ((await segment.size()) > found.end) await segment.truncate(found.end);
    await segment.write(encodeFrame('checkpoint', note), found.end);
    await segment.datasync();
  }
  const witness = new Witness(files, checkpointsDir, log, next!);
  await witness.begin(note);
  await witness.close();
  return next!;
}

/** Adds the next key behind the one before it, which is the last of the list or the first there is. */
async function listKeys(files: EvidenceFiles, path: string, pair: NoteKey[]): Promise<void> {
  const known = await files.read(path);
  const listed = known === undefined ? [] : parseNoteKeys(Buffer.from(known).toString('utf8'));
  const texts = listed.map(formatNoteKey);
  const added = pair.filter((key) => !texts.includes(formatNoteKey(key)));
  await files.replace(path, Buffer.from(formatNoteKeys([...listed, ...added]), 'utf8'));
}

/** Throws `checkpoint_invalid` where the last checkpoint hands the log over to another key than this. */
export function requireOwnLog(note: Uint8Array, key: NoteKey): void {
  const { nextKey } = openCheckpoint(note, key);
  if (nextKey === undefined || nextKey === formatNoteKey(key)) return;
  throw new EvidenceError('checkpoint_invalid', 'the log was handed over to another key', {
    hint: 'Finish that with platform audit rotate-key.',
  });
}
