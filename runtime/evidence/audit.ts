// The whole audit of a log, offline: verify every row and checkpoint, execute every decision again.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { EvidenceError } from '../errors.ts';
import { hex } from '../hex.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import { Conduct } from './conduct.ts';
import { Executors } from './executors.ts';
import { type EvidenceReader, nodeReader } from './files.ts';
import type { ByteSource } from './frame.ts';
import type { RecordHashes } from './hashes.ts';
import { type LogIdentity, readIdentity } from './identity.ts';
import { type NoteKey, parseNoteKey } from './note.ts';
import { ObjectReader } from './objects.ts';
import type { OpeningsSource } from './openings.ts';
import type { RecordedRow } from './recorded.ts';
import { type DecisionVerdict, replayRecorded } from './replay.ts';
import { Schemas } from './schemas.ts';
import { type Counts, type Finding, Tally } from './tally.ts';
import type { Answers, TimelineBucket } from './timeline.ts';
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
  openings: OpeningsSource;
  /** The key to trust; by default the one beside the checkpoints. */
  key?: NoteKey;
  /** More checkpoints, such as the auditor kept from an earlier visit: their notes. */
  keptCheckpoints?: Uint8Array[];
  /** The public keys to trust for bundles. */
  bundleKeys: readonly JWK[];
  onProgress?: (rows: number) => void;
  /** Called with each row that is proved, in order; what it promises is waited for. */
  onRow?: (row: RecordedRow) => Promise<void> | undefined;
}

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
  /** Decisions over the log's time, in at most 240 equal parts. */
  timeline: TimelineBucket[];
  /** Milliseconds of each part. */
  timelineWidthMs: number;
  /** The earliest and the latest time of a row; undefined where there is none. */
  firstTime: string | undefined;
  lastTime: string | undefined;
  /** Ids of compliance controls, with how many rows name each. */
  controls: Record<string, number>;
  /** Decisions by boundary, and by the rule that answered. */
  boundaries: Record<string, Answers>;
  rules: Record<string, Answers>;
  /** What the log cannot show, in sentences. */
  gaps: string[];
  /** What does not hold; rows before it are proved, nothing after it is. */
  tampered: { code: string; message: string } | undefined;
}

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
  const replay = { record, schemas: new Schemas(objects), openings, executors };
  await using segment = await openSegment(reader, evidence);
  const steps = verifyLog({ segment, log: identity.log, key, record, witnessed });
  const conduct = new Conduct();
  const tally = new Tally();
  try {
    for (;;) {
      const step = await steps.next();
      if (step.done) return conclude(report, step.value);
      for (const row of step.value.rows) {
        const problem = conduct.check(row);
        const verdicts: DecisionVerdict[] = [];
        for (const decision of row.decisions) {
          const verdict = replayRecorded(decision, replay);
          verdicts.push(verdict instanceof Promise ? await verdict : verdict);
        }
        tally.add(row, verdicts, problem);
        if (options.onRow) await options.onRow(row);
      }
      options.onProgress?.(tally.rows);
    }
  } finally {
    report.openIntents = conduct.openIntents;
    fill(report, tally);
  }
}

function conclude(report: AuditReport, log: VerifiedLog): void {
  report.checkpoints = log.checkpoints;
  report.root = hex(log.root);
  report.tailBytes = log.tailBytes;
}

/** Puts the counts of an audit into its report. */
export function fill(report: AuditReport, tally: Tally): void {
  const { rows, rowVerdicts, decisionVerdicts, diverged, divergedCount, undetermined } = tally;
  const { firstTime, lastTime, timeline } = tally;
  Object.assign(report, { rows, rowVerdicts, decisionVerdicts, diverged, divergedCount });
  Object.assign(report, { undetermined, firstTime, lastTime });
  report.timeline = timeline.buckets();
  report.timelineWidthMs = timeline.widthMs;
  report.controls = Object.fromEntries(tally.controls);
  report.boundaries = Object.fromEntries(tally.boundaries);
  report.rules = Object.fromEntries(tally.rules);
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

/** A report of nothing yet. */
export function emptyReport(): AuditReport {
  const report = {
    ...{ log: '', origin: '', checkpoints: 0, root: undefined, tailBytes: 0 },
    ...{ openIntents: 0, checkpointDamage: undefined, gaps: [], tampered: undefined },
  } as unknown as AuditReport;
  fill(report, new Tally());
  return report;
}
