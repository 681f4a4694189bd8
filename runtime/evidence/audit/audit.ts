// The whole audit of a log, offline: verify every row and checkpoint, execute every decision again.
import { readFile } from 'node:fs/promises';
import type { JWK } from 'jose';
import { type ErrorCode, EvidenceError } from '../../errors.ts';
import { hex } from '../../hex.ts';
import { type EvidenceReader, nodeReader } from '../files.ts';
import type { RecordHashes } from '../hashes.ts';
import type { LogIdentity } from '../identity.ts';
import { parseNoteKeys } from '../key-chain.ts';
import type { NoteKey } from '../note.ts';
import { ObjectReader } from '../objects.ts';
import type { OpeningsSource } from '../openings.ts';
import { Executors, Unavailable } from './executors.ts';
import { gapsOf } from './gaps.ts';
import { identityOf, openSegment } from './input.ts';
import { inputReads } from './input-reads.ts';
import type { RecordedDecision, RecordedRow } from './recorded.ts';
import { type DecisionVerdict, replayRecorded } from './replay.ts';
import { type AuditResume, beginAudit } from './run.ts';
import { Schemas } from './schemas.ts';
import { type Counts, FINDINGS_MAX, type Finding, Tally } from './tally.ts';
import type { Answers, TimelineBucket } from './timeline.ts';
import { type VerifiedLog, verifyLog } from './verify.ts';

export interface AuditOptions {
  /** The log's folder, with its objects. */
  evidence: string;
  /** The folder of the checkpoints that were kept outside the log. */
  checkpoints: string;
  /** How both folders are read; by default from the file system. */
  reader?: EvidenceReader;
  record: RecordHashes;
  openings: OpeningsSource;
  /** The key of the log to trust; by default the one beside the checkpoints. */
  key?: NoteKey;
  /** Further keys of the log that are trusted, of a log that was handed over to another key. */
  moreKeys?: readonly NoteKey[];
  /** More checkpoints, such as the auditor kept from an earlier visit: their notes. */
  keptCheckpoints?: Uint8Array[];
  /** The public keys to trust for bundles. */
  bundleKeys: readonly JWK[];
  onProgress?: (rows: number, progress?: AuditProgress) => void;
  /** Called with each row that is proved, in order; what it promises is waited for. */
  onRow?: (row: RecordedRow) => Promise<void> | undefined;
  /** To go on later: see `AuditResume`. */
  resume?: AuditResume;
  /** Ends the audit with `audit_interrupted` where it stands, after its state was saved. */
  signal?: AbortSignal;
}

/** How far an audit is, in bytes of the segment, which may be growing. */
export interface AuditProgress {
  bytes: number;
  total: number;
}

/** Up to where it is proved that no row is missing at the end. */
export interface Completeness {
  /** How many rows the newest checkpoint covers that was kept outside the log. */
  rows: number;
  /** When the last of them was written; undefined where there is none, or the audit did not get there. */
  time: string | undefined;
  /** Whether the auditor kept that checkpoint, or it lies beside the log. */
  by: 'kept' | 'beside';
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
  /** Up to where nothing is missing; undefined where the audit did not get to that question. */
  complete: Completeness | undefined;
  /**
   * How many rows follow the newest checkpoint that the auditor kept: they are proved, but whether more
   * followed and were cut off is undetermined. 0 where the auditor kept none.
   */
  rowsAfterKept: number;
  /** Intents beyond those that are followed at a time: whether their outcome came is undetermined. */
  intentsNotFollowed: number;
  /** Whether a key that the auditor trusts signed a checkpoint over the rows; otherwise nothing vouches for them. */
  isVouched: boolean;
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
    if (!(error instanceof EvidenceError) || isNoFinding.has(error.code)) throw error;
    report.tampered = { code: error.code, message: error.message };
  }
  return report;
}

/** What ends an audit without saying anything of the log. */
const isNoFinding: ReadonlySet<string> = new Set<ErrorCode>([
  ...(['object_missing', 'audit_interrupted', 'audit_state_invalid', 'state_unwritable'] as const),
]);

const UNTRUSTED =
  'Not every key that is trusted has signed a checkpoint up to there: the rows before are held together only by other keys.';

async function auditInto(report: AuditReport, options: AuditOptions): Promise<void> {
  const { evidence, record, openings, reader = nodeReader, onRow } = options;
  const identity = await identityOf(options);
  Object.assign(report, { log: identity.log, origin: identity.origin });
  const run = await beginAudit(options, identity);
  const { conduct, tally } = run;
  report.checkpointDamage = run.damage;
  const objects = new ObjectReader(reader, evidence);
  const executors = new Executors(objects, options.bundleKeys);
  const replay = { record, schemas: new Schemas(objects), openings, executors };
  await using segment = await openSegment(options, evidence);
  const { from, keys } = await run.position(segment);
  const { witnessed } = run;
  const steps = verifyLog({ segment, log: identity.log, keys, record, witnessed, from });
  const total = await segment.size();
  let end: VerifiedLog | undefined;
  try {
    for (;;) {
      const step = await steps.next();
      if (step.done) {
        end = step.value;
        break;
      }
      for (const row of step.value.rows) {
        const problem = conduct.check(row);
        const verdicts: DecisionVerdict[] = [];
        for (const decision of row.decisions) {
          const verdict = replayRecorded(decision, replay);
          const found = verdict instanceof Promise ? await verdict : verdict;
          const isShown = found.verdict === 'diverged' && tally.diverged.length < FINDINGS_MAX;
          verdicts.push(isShown ? explained(found, decision, executors) : found);
        }
        tally.add(row, verdicts, problem);
        if (onRow) await onRow(row);
      }
      options.onProgress?.(tally.rows, { bytes: step.value.end, total });
      await run.passed(step.value, keys);
    }
  } finally {
    fill(report, tally);
    report.openIntents = conduct.openIntents;
    const complete = run.complete();
    report.complete = complete;
    report.rowsAfterKept = complete.by === 'kept' ? tally.rows - complete.rows : 0;
    report.intentsNotFollowed = conduct.forgotten;
    report.isVouched = keys.isTrusted;
    if (end === undefined && !keys.isTrusted) report.gaps.push(UNTRUSTED);
  }
  report.checkpoints = end.checkpoints;
  report.root = hex(end.root);
  report.tailBytes = end.tailBytes;
  report.gaps = gapsOf(report);
}

/** A finding with what its decision could depend on. */
function explained(
  found: DecisionVerdict,
  decision: RecordedDecision,
  executors: Executors,
): DecisionVerdict {
  const { executor } = executors.pair(decision.policy_revision, decision.data_revision);
  if (executor === undefined || executor instanceof Unavailable) return found;
  const reads = inputReads(decision, executor);
  return reads.length === 0 ? found : { ...found, reads };
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

/** Reads verifier key strings from a file, one a line. */
export async function readNoteKeysFile(path: string): Promise<NoteKey[]> {
  return parseNoteKeys(await readFile(path, 'utf8'));
}

/** A report of nothing yet. */
export function emptyReport(): AuditReport {
  const report = {
    ...{ log: '', origin: '', checkpoints: 0, root: undefined, tailBytes: 0 },
    ...{ openIntents: 0, checkpointDamage: undefined, complete: undefined, rowsAfterKept: 0 },
    ...{ intentsNotFollowed: 0, isVouched: true, gaps: [], tampered: undefined },
  } as unknown as AuditReport;
  fill(report, new Tally());
  return report;
}
