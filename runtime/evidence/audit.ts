// The whole audit of a log, offline: verify every row and checkpoint, execute every decision again.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { EvidenceError } from '../errors.ts';
import { hex } from '../hex.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import { Conduct, type RowProblem } from './conduct.ts';
import { Executors } from './executors.ts';
import { type EvidenceReader, nodeReader } from './files.ts';
import type { ByteSource } from './frame.ts';
import type { RecordHashes } from './hashes.ts';
import { type LogIdentity, readIdentity } from './identity.ts';
import { type NoteKey, parseNoteKey } from './note.ts';
import { ObjectReader } from './objects.ts';
import type { Openings } from './openings.ts';
import { type DecisionVerdict, replayDecision, type Verdict } from './replay.ts';
import type { RowContent, RowDecision } from './row.ts';
import { type VerifiedLog, verifyLog } from './verify.ts';
import { readWitnessed, witnessedLogs } from './witness.ts';

export interface AuditOptions {
  /** The log's folder, with its objects. */
  evidence: string;
  /** The folder of the checkpoints that were kept outside the log. */
  checkpoints: string;
  /** How both folders are read; by default from the file system. */
  reader?: EvidenceReader;
  record: RecordHashes;
  openings: Openings;
  /** The key to trust; by default the one beside the checkpoints. */
  key?: NoteKey;
  /** More checkpoints, such as the auditor kept from an earlier visit: their notes. */
  keptCheckpoints?: Uint8Array[];
  /** The public keys to trust for bundles. */
  bundleKeys: readonly JWK[];
  onProgress?: (rows: number) => void;
}

/** A decision that could not be reproduced, or a row that its decisions do not bear out. */
export interface Finding extends DecisionVerdict {
  sequence: number;
  time: string;
  boundary: string;
  /** The decision; undefined where it is the row as a whole. */
  module: string | undefined;
  decisionId: string | undefined;
}

export type Counts = Record<Verdict, number>;

export interface AuditReport extends LogIdentity {
  /** Rows that a signed checkpoint covers and whose place in the log is proved. */
  rows: number;
  checkpoints: number;
  /** Hexadecimal Merkle root over the rows; undefined when tampered. */
  root: string | undefined;
  tailBytes: number;
  /** Each row by the worst verdict of its decisions and of itself, see `Conduct`. */
  rowVerdicts: Counts;
  decisionVerdicts: Counts;
  /** The first findings, at most `FINDINGS_MAX`, and how many there are. */
  diverged: Finding[];
  divergedCount: number;
  /** Why decisions or rows are undetermined, with how many of each. */
  undetermined: Map<string, number>;
  /** Intents whose outcome is not in the log: a call in progress, or one that recovery will close. */
  openIntents: number;
  /** Why the latest checkpoint cannot be read: rows of the last seconds may be missing unseen. */
  checkpointDamage: string | undefined;
  /** What does not hold; rows before it are proved, nothing after it is. */
  tampered: { code: string; message: string } | undefined;
}

export const FINDINGS_MAX = 100;
const PROGRESS_ROWS = 250;

/**
 * Audits the log in a folder. Nothing is written, no network is used, and the platform may be
 * running. Throws only where there is nothing to audit or a key cannot be read.
 */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const report = emptyReport();
  try {
    await auditInto(report, options);
  } catch (error) {
    if (!(error instanceof EvidenceError) || error.code === 'object_missing') throw error;
    report.tampered = { code: error.code, message: error.message };
  }
  return report;
}

async function auditInto(report: AuditReport, options: AuditOptions): Promise<void> {
  const { evidence, checkpoints, record, openings, reader = nodeReader } = options;
  const identity = await identityOf(options);
  Object.assign(report, { log: identity.log, origin: identity.origin });
  const key = options.key ?? (await keyBeside(reader, checkpoints, identity));
  const { witnessed, damage } = await witnessedBy(options, identity, key);
  report.checkpointDamage = damage;
  const objects = new ObjectReader(reader, evidence);
  const executors = new Executors(objects, options.bundleKeys);
  const replay = { record, objects, openings, executors };
  await using segment = await openSegment(reader, evidence);
  const steps = verifyLog({ segment, log: identity.log, key, record, witnessed });
  const conduct = new Conduct();
  for (;;) {
    const step = await steps.next();
    if (step.done) return conclude(report, step.value);
    const problem = conduct.check(step.value);
    report.openIntents = conduct.openIntents;
    report.rows++;
    count(report, step.value, await verdictsOf(step.value, replay), problem);
    if (report.rows % PROGRESS_ROWS === 0) options.onProgress?.(report.rows);
  }
}

function conclude(report: AuditReport, log: VerifiedLog): void {
  report.checkpoints = log.checkpoints;
  report.root = hex(log.root);
  report.tailBytes = log.tailBytes;
}

async function verdictsOf(
  row: RowContent,
  options: Parameters<typeof replayDecision>[1],
): Promise<[RowDecision, DecisionVerdict][]> {
  const verdicts: [RowDecision, DecisionVerdict][] = [];
  for (const decision of row.decisions) {
    verdicts.push([decision, await replayDecision(decision, options)]);
  }
  return verdicts;
}

function count(
  report: AuditReport,
  row: RowContent,
  decisions: [RowDecision, DecisionVerdict][],
  problem: RowProblem | undefined,
): void {
  const { sequence, time, boundary } = row;
  const verdicts: Verdict[] = ['reproduced'];
  const add = (found: DecisionVerdict, of: Pick<Finding, 'boundary' | 'module' | 'decisionId'>) => {
    verdicts.push(found.verdict);
    if (found.verdict === 'diverged') {
      report.divergedCount++;
      if (report.diverged.length >= FINDINGS_MAX) return;
      report.diverged.push({ sequence, time, ...of, ...found });
    }
    if (found.verdict === 'undetermined') {
      report.undetermined.set(found.why, (report.undetermined.get(found.why) ?? 0) + 1);
    }
  };
  for (const [decision, found] of decisions) {
    report.decisionVerdicts[found.verdict]++;
    const { module, id: decisionId } = decision;
    add(found, { boundary: decision.boundary, module, decisionId });
  }
  if (problem) add(problem, { boundary, module: undefined, decisionId: undefined });
  const worst = (['diverged', 'undetermined', 'reproduced'] as const).find((verdict) =>
    verdicts.includes(verdict),
  );
  report.rowVerdicts[worst!]++;
}

async function identityOf(options: AuditOptions): Promise<LogIdentity> {
  const { evidence, checkpoints, reader = nodeReader } = options;
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

async function openSegment(
  reader: EvidenceReader,
  evidence: string,
): Promise<ByteSource & AsyncDisposable> {
  try {
    return await reader.open(join(evidence, 'segment'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new EvidenceError('evidence_truncated', 'the segment of the log is gone', { cause });
  }
}

async function keyBeside(
  reader: EvidenceReader,
  checkpoints: string,
  { log }: LogIdentity,
): Promise<NoteKey> {
  const bytes = await reader.read(join(checkpoints, `${log}.key`));
  if (bytes) return parseNoteKey(Buffer.from(bytes).toString('utf8').trim());
  throw new EvidenceError('checkpoint_missing', `the key of the log is not in ${checkpoints}`);
}

async function witnessedBy(
  { checkpoints, keptCheckpoints = [], reader = nodeReader }: AuditOptions,
  { log, origin }: LogIdentity,
  key: NoteKey,
): Promise<{ witnessed: Checkpoint[]; damage: string | undefined }> {
  if (key.name !== origin) {
    throw new EvidenceError(
      'checkpoint_invalid',
      `the log is ${origin}, the key is of ${key.name}`,
    );
  }
  const kept = keptCheckpoints.map((note) => openCheckpoint(note, key));
  const found = await readWitnessed(reader, join(checkpoints, log), key);
  return { witnessed: [...found.checkpoints, ...kept], damage: found.damage };
}

/** Reads a verifier key string from a file. */
export async function readNoteKey(path: string): Promise<NoteKey> {
  return parseNoteKey((await readFile(path, 'utf8')).trim());
}

function emptyReport(): AuditReport {
  const zero = (): Counts => ({ reproduced: 0, diverged: 0, undetermined: 0 });
  return {
    ...{ log: '', origin: '', rows: 0, checkpoints: 0, root: undefined, tailBytes: 0 },
    ...{ rowVerdicts: zero(), decisionVerdicts: zero(), diverged: [] },
    ...{ divergedCount: 0, undetermined: new Map() },
    ...{ openIntents: 0, checkpointDamage: undefined, tampered: undefined },
  };
}
