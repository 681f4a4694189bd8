// Audits some rows of a log from an export: each by its proof, then its decisions, executed again.
import { EvidenceError, PlatformError } from '../../errors.ts';
import { hex } from '../../hex.ts';
import { type AuditOptions, type AuditReport, emptyReport, fill } from '../audit/audit.ts';
import { Conduct } from '../audit/conduct.ts';
import { Executors } from '../audit/executors.ts';
import { keysOf, type LogKeys } from '../audit/input.ts';
import { type RecordedRow, readRow } from '../audit/recorded.ts';
import { type DecisionVerdict, replayRecorded } from '../audit/replay.ts';
import { Schemas } from '../audit/schemas.ts';
import { Tally } from '../audit/tally.ts';
import type { Checkpoint } from '../checkpoint.ts';
import { equalBytes, type RecordHashes } from '../hashes.ts';
import { KeyChain } from '../key-chain.ts';
import { ObjectReader } from '../objects.ts';
import { verifyInclusion } from '../proof.ts';
import type { ExportManifest, Selection } from './manifest.ts';
import type { ExportArchive } from './reader.ts';
import { isSelected, type ProvedRow, readProved, SELECTION } from './selection.ts';

const PROGRESS_ROWS = 250;

export type SelectionOptions = Pick<
  AuditOptions,
  | 'record'
  | 'openings'
  | 'key'
  | 'moreKeys'
  | 'keptCheckpoints'
  | 'bundleKeys'
  | 'onProgress'
  | 'onRow'
>;

/**
 * Audits the selected rows of an export in constant memory. Tampering is told in the report, as `audit`
 * does; what a selection cannot show is among its gaps.
 */
export async function auditSelection(
  archive: ExportArchive,
  options: SelectionOptions,
): Promise<AuditReport> {
  const { log, origin } = archive.manifest;
  const report = Object.assign(emptyReport(), { log, origin });
  try {
    await auditInto(report, archive, options);
  } catch (error) {
    if (!(error instanceof EvidenceError) || error.code === 'object_missing') throw error;
    report.tampered = { code: error.code, message: error.message };
  }
  return report;
}

async function auditInto(
  report: AuditReport,
  archive: ExportArchive,
  options: SelectionOptions,
): Promise<void> {
  const { manifest, reader } = archive;
  const { record, openings } = options;
  const { checkpoint, gaps } = await signedEnd(archive, options);
  const objects = new ObjectReader(reader, 'evidence');
  const executors = new Executors(objects, options.bundleKeys);
  const replay = { record, schemas: new Schemas(objects), openings, executors };
  const conduct = new Conduct(false);
  const tally = new Tally();
  try {
    await using rows = await openRows(archive);
    for await (const proved of readProved(rows)) {
      const row = checkProved(proved, checkpoint, manifest, record);
      const problem = conduct.check(row);
      const verdicts: DecisionVerdict[] = [];
      for (const decision of row.decisions) {
        const verdict = replayRecorded(decision, replay);
        verdicts.push(verdict instanceof Promise ? await verdict : verdict);
      }
      tally.add(row, verdicts, problem);
      if (options.onRow) await options.onRow(row);
      if (tally.rows % PROGRESS_ROWS === 0) options.onProgress?.(tally.rows);
    }
  } finally {
    report.openIntents = conduct.openIntents;
    fill(report, tally);
  }
  if (tally.rows !== manifest.rows) {
    const message = `the manifest counts ${manifest.rows} rows, the file has ${tally.rows}`;
    throw new EvidenceError('export_invalid', message);
  }
  report.checkpoints = 1;
  report.root = hex(checkpoint.root);
  report.gaps.push(...gaps, ...gapsOf(manifest, tally.rows));
}

/** The checkpoint that every proof must lead to, its signature checked, and what it was not compared with. */
async function signedEnd(
  archive: ExportArchive,
  { keptCheckpoints = [], ...options }: SelectionOptions,
): Promise<{ checkpoint: Checkpoint; gaps: string[] }> {
  const { reader } = archive;
  const { log } = archive.manifest;
  const { trusted } = await trustedKeys(archive, options);
  const keys = new KeyChain(trusted);
  const note = await reader.read(`checkpoints/${log}.checkpoint`);
  if (note === undefined) {
    throw new EvidenceError('checkpoint_missing', 'the export has no checkpoint for its proofs');
  }
  // Not with an older one: the log may have been taken from it, and some rows do not show that.
  const checkpoint = new KeyChain(trusted.slice(-1)).open(note);
  const { size, root } = archive.manifest;
  if (size !== checkpoint.size || root !== hex(checkpoint.root)) {
    const message = `the manifest counts ${size} rows in the log, or a root, as its checkpoint does not`;
    throw new EvidenceError('export_invalid', message);
  }
  const gaps: string[] = [];
  for (const kept of keptCheckpoints.map((bytes) => keys.open(bytes))) {
    if (kept.size !== checkpoint.size) {
      gaps.push(
        `A checkpoint of ${kept.size} rows that was kept cannot be compared with some rows of a log: only an export of the whole log can.`,
      );
    } else if (!equalBytes(kept.root, checkpoint.root)) {
      throw new EvidenceError(
        'evidence_corrupt',
        `the first ${kept.size} rows are not those of the checkpoint kept outside`,
      );
    }
  }
  return { checkpoint, gaps };
}

/** The keys whose signatures count: a selection has not the checkpoints that lead from one to the next. */
function trustedKeys(
  { manifest, reader }: ExportArchive,
  { key, moreKeys }: Pick<SelectionOptions, 'key' | 'moreKeys'>,
): Promise<LogKeys> {
  return keysOf({ checkpoints: 'checkpoints', reader, key, moreKeys }, manifest);
}

async function openRows({ reader }: ExportArchive): ReturnType<typeof reader.open> {
  try {
    return await reader.open(SELECTION);
  } catch (cause) {
    throw new EvidenceError('export_invalid', 'the export has no rows', { cause });
  }
}

function checkProved(
  { row: bytes, index, path }: ProvedRow,
  { size, root }: Checkpoint,
  { log, selection }: ExportManifest,
  record: RecordHashes,
): RecordedRow {
  if (!verifyInclusion(record, record.leafHash(bytes), index, size, path, root)) {
    throw corrupt(index, `the proof of row ${index} does not lead from it to the signed root`);
  }
  let isCanonical: boolean;
  try {
    isCanonical = record.isCanonical(bytes);
  } catch (cause) {
    if (!(cause instanceof PlatformError)) throw cause;
    throw corrupt(index, `row ${index} is refused: ${cause.code}`);
  }
  if (!isCanonical) throw corrupt(index, `row ${index} is not canonical`);
  const row = readRow(Buffer.from(bytes));
  if (row.log !== log) throw corrupt(index, `row ${index} is of another log`);
  if (row.sequence !== index) throw corrupt(index, `row ${index} says it is row ${row.sequence}`);
  if (isSelected(row, selection ?? {})) return row;
  throw new EvidenceError(
    'export_invalid',
    `row ${index} is not of the selection that the manifest states`,
  );
}

function gapsOf({ size, selection }: ExportManifest, rows: number): string[] {
  return [
    `These are ${rows} of ${size} rows (${selectionText(selection ?? {})}). That no other row is of the selection cannot be seen from them: whoever made the export may have left rows out.`,
  ];
}

/** `tenant acme, from 2026-01-01T00:00:00.000Z`, for people. */
export function selectionText(selection: Selection): string {
  return Object.entries(selection)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function corrupt(row: number, message: string): EvidenceError {
  return new EvidenceError('evidence_corrupt', message, { data: { row } });
}
