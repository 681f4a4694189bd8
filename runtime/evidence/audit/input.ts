// Opens what an audit reads: the log's identity, its keys, the checkpoints outside it, its segment.
import { join } from 'node:path';
import { EvidenceError } from '../../errors.ts';
import type { Checkpoint } from '../checkpoint.ts';
import { type EvidenceReader, nodeReader } from '../files.ts';
import type { ByteSource } from '../frame.ts';
import { type LogIdentity, readIdentity } from '../identity.ts';
import { type KeyChain, parseNoteKeys } from '../key-chain.ts';
import { formatNoteKey, type NoteKey } from '../note.ts';
import { readWitnessed, witnessedLogs } from '../witness.ts';
import type { AuditOptions } from './audit.ts';

/** Which log it is; throws `object_missing` where there is none, `evidence_truncated` where one is gone. */
export async function identityOf({
  evidence,
  checkpoints,
  reader = nodeReader,
}: AuditOptions): Promise<LogIdentity> {
  const identity = await readIdentity(reader, evidence);
  if (identity) return identity;
  const [left] = await witnessedLogs(reader, checkpoints);
  if (left === undefined) {
    throw new EvidenceError('object_missing', `there is no evidence in ${evidence}`, {
      hint: 'Name the state folder of a platform with --state.',
    });
  }
  throw new EvidenceError(
    'evidence_truncated',
    `the log ${left} is gone, its checkpoints are left`,
  );
}

/** The segment; throws `evidence_truncated` where it is gone. */
export async function openSegment(
  { reader = nodeReader }: AuditOptions,
  evidence: string,
): Promise<ByteSource & AsyncDisposable> {
  try {
    return await reader.open(join(evidence, 'segment'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new EvidenceError('evidence_truncated', 'the segment of the log is gone', { cause });
  }
}

/** The keys of a log, and which of them are trusted. */
export interface LogKeys {
  keys: NoteKey[];
  trusted: NoteKey[];
}

/**
 * The keys that signed the log: those in `<log>.keys` beside the checkpoints, which a log has that was
 * handed over to another key, otherwise the one in `<log>.key`. Trusted are those that the auditor gave,
 * oldest first, by default the last of the log.
 */
export async function keysOf(
  {
    checkpoints,
    reader = nodeReader,
    key,
    moreKeys = [],
  }: Pick<AuditOptions, 'checkpoints' | 'reader' | 'key' | 'moreKeys'>,
  { log, origin }: LogIdentity,
): Promise<LogKeys> {
  const given = key === undefined ? [...moreKeys] : [key, ...moreKeys];
  const listed = await listedKeys(reader, join(checkpoints, log));
  const texts = listed.map(formatNoteKey);
  const isListed = given.every((one) => texts.includes(formatNoteKey(one)));
  const keys = isListed ? listed : given;
  const last = keys.at(-1);
  if (last === undefined) {
    throw new EvidenceError('checkpoint_missing', `the key of the log is not in ${checkpoints}`);
  }
  for (const { name } of [...keys, ...given]) {
    if (name === origin) continue;
    throw new EvidenceError('checkpoint_invalid', `the log is ${origin}, the key is of ${name}`);
  }
  return { keys, trusted: given.length === 0 ? [last] : given };
}

async function listedKeys(reader: EvidenceReader, path: string): Promise<NoteKey[]> {
  const bytes = (await reader.read(`${path}.keys`)) ?? (await reader.read(`${path}.key`));
  return bytes === undefined ? [] : parseNoteKeys(Buffer.from(bytes).toString('utf8'));
}

/** The checkpoints outside the log, and why the latest is not among them. */
export async function witnessedBy(
  { checkpoints, keptCheckpoints = [], reader = nodeReader }: AuditOptions,
  { log }: LogIdentity,
  keys: KeyChain,
): Promise<{ beside: Checkpoint[]; kept: Checkpoint[]; damage: string | undefined }> {
  const kept = keptCheckpoints.map((note) => keys.open(note));
  const found = await readWitnessed(reader, join(checkpoints, log), (note) => keys.open(note));
  return { beside: found.checkpoints, kept, damage: found.damage };
}
