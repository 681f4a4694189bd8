// Runs the audit of what is at hand: a log, or some rows of one, and the export around them.
import { EvidenceError } from '../../../runtime/errors.ts';
import {
  type AuditOptions,
  type AuditReport,
  audit,
  emptyReport,
} from '../../../runtime/evidence/audit/audit.ts';
import { keysOf } from '../../../runtime/evidence/audit/input.ts';
import type { ExportArchive } from '../../../runtime/evidence/export/reader.ts';
import { auditSelection } from '../../../runtime/evidence/export/verify.ts';
import type { LogIdentity } from '../../../runtime/evidence/identity.ts';
import { formatNoteKey, type NoteKey } from '../../../runtime/evidence/note.ts';
import type { AuditFacts } from '../../report/model.ts';
import type { EvidenceAtHand } from './source.ts';

/** What of an audit does not come with the evidence. */
export type AuditRun = Pick<AuditOptions, 'record' | 'onProgress' | 'onRow' | 'resume' | 'signal'>;

/** The report, with what is wrong with the file that it came in as tampering. */
export async function runAudit(at: EvidenceAtHand, run: AuditRun): Promise<AuditReport> {
  const { evidence, checkpoints, reader, archive } = at;
  const { key, moreKeys, keptCheckpoints, bundleKeys, openings } = at;
  const options = { ...run, key, moreKeys, keptCheckpoints, bundleKeys, openings };
  const report =
    archive?.manifest.content === 'selection'
      ? await auditSelection(archive, options)
      : await audit({ ...options, evidence, checkpoints, reader });
  if (archive !== undefined && report.tampered === undefined) {
    report.tampered = await tamperingOf(archive, report, await logKeysOf(at, report));
  }
  return report;
}

/** A report of a file that is no export as it was written. */
export function refusedExport({ code, message }: EvidenceError): AuditReport {
  return { ...emptyReport(), tampered: { code, message } };
}

async function tamperingOf(
  archive: ExportArchive,
  { log, rows, root }: AuditReport,
  keys: readonly NoteKey[],
): Promise<AuditReport['tampered']> {
  const { manifest } = archive;
  const isOther = manifest.log !== log || manifest.rows !== rows || manifest.root !== root;
  try {
    await archive.verifySignature(keys);
    await archive.verifyContents();
    if (!isOther) return undefined;
    const message = 'the manifest is of another export: its log, rows or root are not those here';
    return { code: 'export_invalid', message };
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return { code: error.code, message: error.message };
  }
}

/** The log's keys: those that the auditor gave and those in force, or none where they cannot be read. */
async function logKeysOf(at: EvidenceAtHand, { log, origin }: LogIdentity): Promise<NoteKey[]> {
  if (log === '') return [];
  try {
    const { keys, trusted } = await keysOf(at, { log, origin });
    // Whoever gave none takes those beside; some rows of a log do not lead from one key to the next.
    return at.key === undefined || at.archive?.manifest.content === 'selection' ? trusted : keys;
  } catch {
    return [];
  }
}

/** How the audit was done, for its reports. */
export async function factsOf(
  at: EvidenceAtHand,
  report: AuditReport,
  given: { bundleKeysFile: string | undefined },
  started: number,
): Promise<AuditFacts> {
  const keys = at.key ? [at.key, ...at.moreKeys] : await logKeysOf(at, report);
  const { files: _, ...manifest } = at.archive?.manifest ?? { files: [] };
  return {
    madeAt: new Date(),
    seconds: (performance.now() - started) / 1000,
    exported:
      at.archive === undefined
        ? undefined
        : ({ ...manifest, isSigned: at.archive.isSigned } as AuditFacts['exported']),
    logKeys: { texts: keys.map(formatNoteKey), source: at.key ? 'given' : 'beside' },
    bundleKeys: { ids: at.bundleKeyIds, source: given.bundleKeysFile ? 'given' : 'beside' },
    keptCheckpoints: at.keptCheckpoints.length,
    openings: at.openings.size,
  };
}
