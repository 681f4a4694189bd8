// `platform audit --verify`: runs the audit and prints what it found.
import { EvidenceError } from '../../../runtime/errors.ts';
import { Record } from '../../../runtime/modules/record.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import type { StateFolder } from '../../state-folder.ts';
import { conclude, type Output } from './conclude.ts';
import { resumeIn } from './resume.ts';
import { factsOf, refusedExport, runAudit } from './run.ts';
import { type EvidenceAtHand, type EvidenceChoices, openEvidence } from './source.ts';
import { type ProgressForm, WalkProgress } from './walk-progress.ts';

export interface VerifyChoices extends EvidenceChoices, Output {
  /** Where an audit that is interrupted keeps what it has found; by default beside the first report. */
  resumeFile: string | undefined;
  progress: ProgressForm;
}

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
  const path = choices.resumeFile ?? besideReport(choices.reportFiles);
  const resuming = path === undefined ? undefined : await resumeIn(path);
  const shown = new WalkProgress(choices.progress);
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  if (resuming !== undefined) process.once('SIGINT', interrupt);
  try {
    const report = await runAudit(at, {
      record: Record.create(moduleBytes('record')),
      onProgress: (rows, progress) => shown.at(rows, progress),
      resume: resuming?.resume,
      signal: interrupted.signal,
    });
    shown.end();
    const facts = await factsOf(at, report, choices, started);
    const code = await conclude(report, facts, choices);
    await resuming?.end();
    return code;
  } finally {
    shown.end();
    process.off('SIGINT', interrupt);
  }
}

function besideReport([first]: readonly string[]): string | undefined {
  return first === undefined ? undefined : `${first}.resume`;
}
