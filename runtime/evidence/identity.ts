// Who a log is: its id and its checkpoints' origin, kept in log.json of its folder.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { EvidenceError } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import type { EvidenceFiles, EvidenceReader } from './files.ts';
import { witnessedLogs } from './witness.ts';

export interface LogIdentity {
  log: string;
  origin: string;
}

export interface IdentityOptions {
  dir: string;
  checkpointsDir: string;
  logId?: string;
  originPrefix?: string;
}

const IDENTITY_SCHEMA = 'platform/evidence-log/v1';
const DEFAULT_PREFIX = 'platform.local/evidence';

/** The identity that the folder holds, or undefined for a folder without one. */
export async function readIdentity(
  files: Pick<EvidenceReader, 'read'>,
  dir: string,
): Promise<LogIdentity | undefined> {
  const bytes = await files.read(join(dir, 'log.json'));
  return bytes && parseIdentity(bytes);
}

/** Writes the identity durably. */
export async function writeIdentity(
  files: EvidenceFiles,
  dir: string,
  identity: LogIdentity,
): Promise<void> {
  const { log, origin } = identity;
  const text = `${JSON.stringify({ schema: IDENTITY_SCHEMA, log, origin })}\n`;
  await files.replace(join(dir, 'log.json'), Buffer.from(text));
}

/**
 * An identity for a new log. Refused with `evidence_truncated` where rows or checkpoints of an
 * older one are left: whoever removes only the log's folder must not get an empty, valid log.
 */
export async function newIdentity(
  files: EvidenceFiles,
  options: IdentityOptions,
): Promise<LogIdentity> {
  const { dir, checkpointsDir } = options;
  const segment = await files.openSegment(join(dir, 'segment'));
  const size = await segment.size().finally(() => segment.close());
  if (size > 0 || (await hasRows(files, checkpointsDir))) {
    throw new EvidenceError('evidence_truncated', `the log in ${dir} is gone`, {
      hint: 'Its checkpoints are still there: restore the folder, or delete both to start anew.',
    });
  }
  const log = options.logId ?? randomBytes(16).toString('hex');
  return { log, origin: `${options.originPrefix ?? DEFAULT_PREFIX}/${log}` };
}

// A crash between the first checkpoint and log.json leaves a checkpoint of size 0 only.
async function hasRows(files: EvidenceFiles, folder: string): Promise<boolean> {
  for (const log of await witnessedLogs(files, folder)) {
    const note = await files.read(join(folder, `${log}.synced.checkpoint`));
    if (
      Buffer.from(note ?? [])
        .toString('utf8')
        .split('\n')[1] !== '0'
    )
      return true;
  }
  return false;
}

function parseIdentity(bytes: Uint8Array): LogIdentity {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw new EvidenceError('evidence_corrupt', 'log.json is not JSON', { cause });
  }
  if (!isJsonObject(value) || value.schema !== IDENTITY_SCHEMA) {
    throw new EvidenceError('evidence_corrupt', 'log.json is not a log identity');
  }
  const { log, origin } = value;
  if (typeof log !== 'string' || typeof origin !== 'string') {
    throw new EvidenceError('evidence_corrupt', 'log.json lacks log or origin');
  }
  return { log, origin };
}
