// Runs the audit of what is at hand: a log, or some rows of one, and the export around them.
import { EvidenceError } from '../../../runtime/errors.ts';
import {
  type AuditOptions,
  type AuditReport,
  audit,
  emptyReport,
} from '../../../runtime/evidence/audit.ts';
import type { ExportArchive } from '../../../runtime/evidence/export-reader.ts';
import { auditSelection } from '../../../runtime/evidence/export-verify.ts';
import { formatNoteKey, type NoteKey, parseNoteKey } from '../../../runtime/evidence/note.ts';
import type { AuditFacts } from '../../report/model.ts';
import type { EvidenceAtHand } from './source.ts';

/** What of an audit does not come with the evidence. */
export type AuditRun = Pick<AuditOptions, 'record' | 'onProgress' | 'onRow'>;

/** The report, with what is wrong with the file that it came in as tampering. */
export async function runAudit(at: EvidenceAtHand, run: AuditRun): Promise<AuditReport> {
  const { evidence, checkpoints, reader, archive } = at;
  const { key, keptCheckpoints, bundleKeys, openings } = at;
  const options = { ...run, key, keptCheckpoints, bundleKeys, openings };
  const report =
    archive?.manifest.content === 'selection'
      ? await auditSelection(archive, options)
      : await audit({ ...options, evidence, checkpoints, reader });
  if (archive !== undefined && report.tampered === undefined) {
    report.tampered = await tamperingOf(archive, report, await logKeyOf(at, report.log));
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
  key: NoteKey | undefined,
): Promise<AuditReport['tampered']> {
  const { manifest } = archive;
  const isOther = manifest.log !== log || manifest.rows !== rows || manifest.root !== root;
  try {
    if (key !== undefined) await archive.verifySignature(key);
    await archive.verifyContents();
    if (!isOther) return undefined;
    const message = 'the manifest is of another export: its log, rows or root are not those here';
    return { code: 'export_invalid', message };
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return { code: error.code, message: error.message };
  }
}

async function logKeyOf(at: EvidenceAtHand, log: string): Promise<NoteKey | undefined> {
  if (at.key !== undefined || log === '') return at.key;
  const bytes = await at.reader.read(`${at.checkpoints}/${log}.key`);
  try {
    return bytes && parseNoteKey(Buffer.from(bytes).toString('utf8').trim());
  } catch {
    return undefined;
  }
}

/** How the audit was done, for its reports. */
export async function factsOf(
  at: EvidenceAtHand,
  { log }: AuditReport,
  given: { bundleKeysFile: string | undefined },
  started: number,
): Promise<AuditFacts> {
  const key = await logKeyOf(at, log);
  const { files: _, ...manifest } = at.archive?.manifest ?? { files: [] };
  return {
    madeAt: new Date(),
    seconds: (performance.now() - started) / 1000,
    exported:
      at.archive === undefined
        ? undefined
        : ({ ...manifest, isSigned: at.archive.isSigned } as AuditFacts['exported']),
    logKey: key && { text: formatNoteKey(key), source: at.key ? 'given' : 'beside' },
    bundleKeys: { ids: at.bundleKeyIds, source: given.bundleKeysFile ? 'given' : 'beside' },
    keptCheckpoints: at.keptCheckpoints.length,
    openings: at.openings.size,
  };
}
