// What a report for people is made of: the audit's findings, and how, when and with whose keys it was done.
import type { AuditReport } from '../../runtime/evidence/audit/audit.ts';
import type { ExportManifest } from '../../runtime/evidence/export/manifest.ts';
import type { Catalogue } from '../policy/controls/catalogue.ts';

/** Where a key came from: from the auditor, or from beside what it verifies. */
export type KeySource = 'given' | 'beside';

export interface AuditFacts {
  /** When the audit was made, and how long it took. */
  madeAt: Date;
  seconds: number;
  /** The export that was read, without its list of files; undefined for a state folder. */
  exported: (Omit<ExportManifest, 'files'> & { isSigned: boolean }) | undefined;
  /** The verifier keys of the log (C2SP signed note), and their source. */
  logKeys: { texts: string[]; source: KeySource };
  /** RFC 7638 thumbprints of the bundles' keys, and their source. */
  bundleKeys: { ids: string[]; source: KeySource };
  /** How many checkpoints the auditor brought, and how many openings were given. */
  keptCheckpoints: number;
  openings: number;
}

export interface ReportInput {
  report: AuditReport;
  facts: AuditFacts;
  catalogue: Catalogue;
}

export type Verdict = 'reproduced' | 'undetermined' | 'diverged' | 'tampered';

/** The worst that the report says; what its exit code says too. */
export function verdictOf(report: AuditReport): Verdict {
  if (report.tampered) return 'tampered';
  if (report.rowVerdicts.diverged > 0) return 'diverged';
  const { checkpointDamage, rowsAfterKept, intentsNotFollowed, rowVerdicts } = report;
  const isWhole = checkpointDamage === undefined && rowsAfterKept + intentsNotFollowed === 0;
  return isWhole && rowVerdicts.undetermined === 0 ? 'reproduced' : 'undetermined';
}
