// Ends an audit: prints the report, writes it to the files that were asked for, and picks the exit code.
import { writeFile } from 'node:fs/promises';
import { EvidenceError } from '../../../runtime/errors.ts';
import type { AuditReport } from '../../../runtime/evidence/audit/audit.ts';
import { readCatalogue } from '../../policy/controls/catalogue.ts';
import { reportDocument } from '../../report/json.ts';
import { type AuditFacts, type Verdict, verdictOf } from '../../report/model.ts';
import { reportHtml } from '../../report/page.ts';
import { reportText } from './report.ts';

const exitCodes: Record<Verdict, number> = {
  reproduced: 0,
  undetermined: 3,
  diverged: 4,
  tampered: 5,
};

export interface Output {
  asJson: boolean;
  /** Files to write, each named .html or .json. */
  reportFiles: string[];
}

/** Prints and writes the report; throws `state_unwritable` where a file cannot be written. */
export async function conclude(
  report: AuditReport,
  given: AuditFacts | undefined,
  { asJson, reportFiles }: Output,
): Promise<number> {
  const facts = given ?? nothingRead();
  const document = reportDocument(report, facts);
  for (const path of reportFiles) {
    const text = path.endsWith('.html')
      ? reportHtml({ report, facts, catalogue: await readCatalogue() })
      : `${JSON.stringify(document, null, 2)}\n`;
    await writeReport(path, text);
  }
  process.stdout.write(`${asJson ? JSON.stringify(document) : reportText(report, facts)}\n`);
  return exitCodes[verdictOf(report)];
}

/** The facts of a file that is no export: nothing of it was read. */
function nothingRead(): AuditFacts {
  return {
    ...{ madeAt: new Date(), seconds: 0, exported: undefined },
    logKeys: { texts: [], source: 'beside' as const },
    ...{ bundleKeys: { ids: [], source: 'beside' as const }, keptCheckpoints: 0, openings: 0 },
  };
}

/** Writes a report's file, over an older one. */
export async function writeReport(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((cause: unknown) => {
    throw new EvidenceError('state_unwritable', `the report ${path} cannot be written`, { cause });
  });
}
