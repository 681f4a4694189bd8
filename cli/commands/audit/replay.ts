// `platform audit --replay`: what another policy would have decided of all that happened.
import { loadModules } from '../../../runtime/decide/local.ts';
import type { RecordedRow } from '../../../runtime/evidence/audit/recorded.ts';
import { count } from '../../../runtime/evidence/audit/tally.ts';
import { WhatIf } from '../../../runtime/evidence/audit/what-if.ts';
import { ObjectReader } from '../../../runtime/evidence/objects.ts';
import type { StateFolder } from '../../state-folder.ts';
import { Changes } from './changes.ts';
import { type Output, writeReport } from './conclude.ts';
import { readNewData, readNewPolicy } from './new-policy.ts';
import { progress } from './progress.ts';
import { runAudit } from './run.ts';
import { type EvidenceChoices, openEvidence } from './source.ts';
import { whatIfHtml } from './what-if-page.ts';
import { whatIfDocument, whatIfText } from './what-if-report.ts';

export interface ReplayChoices extends EvidenceChoices, Output {
  bundle: string;
  data: string | undefined;
}

export const EXIT_CHANGED = 6;

/** How many decisions were made, and what became of each. */
export interface WhatIfCounts {
  decisions: number;
  asked: number;
  same: number;
  unreadable: number;
  undetermined: Map<string, number>;
  /** Policy revisions of history, with how many decisions each. */
  revisions: Map<string, number>;
}

/** Decides history again under the bundle, prints what would change, and returns the exit code. */
export async function replayEvidence(state: StateFolder, choices: ReplayChoices): Promise<number> {
  const policy = await readNewPolicy(choices.bundle);
  const data = choices.data === undefined ? undefined : await readNewData(choices.data);
  await using at = await openEvidence(state, choices);
  const modules = loadModules();
  const { record } = modules;
  const whatIf = new WhatIf({
    ...{ record, policy, data, modules, bundleKeys: at.bundleKeys, openings: at.openings },
    objects: new ObjectReader(at.reader, at.evidence),
  });
  const changes = new Changes();
  const counts: WhatIfCounts = {
    ...{ decisions: 0, asked: 0, same: 0, unreadable: 0 },
    ...{ undetermined: new Map(), revisions: new Map() },
  };
  const shown = progress(!choices.asJson);
  const report = await runAudit(at, {
    record,
    onProgress: (rows) => shown.say(`${rows} rows, ${changes.count} would change …`),
    onRow: (row) => decideRow(row, whatIf, changes, counts),
  });
  shown.end();
  const found = { report, policy, data, counts, changes };
  const document = whatIfDocument(found);
  for (const path of choices.reportFiles) {
    const isPage = path.endsWith('.html');
    const text = isPage ? whatIfHtml(found) : `${JSON.stringify(document, null, 2)}\n`;
    await writeReport(path, text);
  }
  const text = choices.asJson ? JSON.stringify(document) : whatIfText(found);
  process.stdout.write(`${text}\n`);
  if (report.tampered) return 5;
  if (changes.count > 0) return EXIT_CHANGED;
  // What was recorded is not what was decided: that it would stay as it is says nothing.
  if (report.rowVerdicts.diverged > 0) return 4;
  return counts.undetermined.size > 0 ? 3 : 0;
}

async function decideRow(
  row: RecordedRow,
  whatIf: WhatIf,
  changes: Changes,
  counts: WhatIfCounts,
): Promise<void> {
  const { sequence, time, spiffe_id: agent } = row;
  for (const decision of row.decisions) {
    counts.decisions++;
    count(counts.revisions, decision.policy_revision);
    const found = await whatIf.decide(decision);
    switch (found.kind) {
      case 'same':
        counts.same++;
        break;
      case 'unreadable':
        counts.unreadable++;
        break;
      case 'undetermined':
        count(counts.undetermined, found.why);
        break;
      case 'answered':
        counts.asked++;
        changes.add({ sequence, time, agent }, decision, found);
        break;
    }
  }
}
