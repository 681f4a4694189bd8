// `platform audit --verify`: runs the audit and prints what it found.
import { EvidenceError } from '../../../runtime/errors.ts';
import { Record } from '../../../runtime/modules/record.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import type { StateFolder } from '../../state-folder.ts';
import { conclude, type Output } from './conclude.ts';
import { progress } from './progress.ts';
import { factsOf, refusedExport, runAudit } from './run.ts';
import { type EvidenceAtHand, type EvidenceChoices, openEvidence } from './source.ts';

export interface VerifyChoices extends EvidenceChoices, Output {}

/** Audits a state folder's evidence or an export, prints the report, and returns the exit code. */
export async function verifyEvidence(state: StateFolder, choices: VerifyChoices): Promise<number> {
  const started = performance.now();
  let at: EvidenceAtHand;
  try {
    at = await openEvidence(state, choices);
  } catch (error) {
    if (!(error instanceof EvidenceError) || error.code !== 'export_invalid') throw error;
    return conclude(refusedExport(error), undefined, choices);
  }
  await using _ = at;
  const shown = progress(!choices.asJson);
  const report = await runAudit(at, {
    record: Record.create(moduleBytes('record')),
    onProgress: (rows) => shown.say(`${rows} rows …`),
  });
  shown.end();
  return conclude(report, await factsOf(at, report, choices, started), choices);
}
