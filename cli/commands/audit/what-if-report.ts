// What another policy would have changed, for a terminal and as one JSON document.
import pc from 'picocolors';
import type { LoadedData, LoadedPolicy } from '../../../runtime/bundle/pair.ts';
import type { AuditReport } from '../../../runtime/evidence/audit/audit.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import { kinds } from '../../policy/diff/report.ts';
import { verdictOf } from '../../report/model.ts';
import type { Answer, Change, Changes } from './changes.ts';
import type { WhatIfCounts } from './replay.ts';

export const WHAT_IF_SCHEMA = 'platform/what-if/v1';
const AGENTS_SHOWN = 5;

export interface WhatIfFound {
  report: AuditReport;
  policy: LoadedPolicy;
  data: LoadedData | undefined;
  counts: WhatIfCounts;
  changes: Changes;
}

/** The same evidence, bundle and openings give the same document: no clock and no path is in it. */
export function whatIfDocument({ report, policy, data, counts, changes }: WhatIfFound): JsonObject {
  const { log, origin, rows, root, rowVerdicts } = report;
  const document = {
    ...{ schema: WHAT_IF_SCHEMA, log, origin, rows, root: root ?? null },
    // What the history itself is worth: its own audit, by the same run.
    audit: { verdict: verdictOf(report), row_verdicts: rowVerdicts, gaps: report.gaps },
    tampered: report.tampered ?? null,
    old: { policies: sorted(counts.revisions) },
    new: { policy: policy.revision, data: data?.revision ?? null },
    decisions: {
      ...{ all: counts.decisions, asked: counts.asked, same: counts.same },
      ...{ unreadable: counts.unreadable, undetermined: sorted(counts.undetermined) },
    },
    failures: sorted(changes.failures),
    ...{ changed: changes.count, changes: changes.list() },
  };
  return document as unknown as JsonObject;
}

function sorted(counts: Map<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The words of `policy diff`, and one for what only other modules change. */
export function kindText(kind: Change['kind']): string {
  return kind === 'output_changed' ? 'another output' : kinds[kind];
}

/** The report as lines for people. */
export function whatIfText(found: WhatIfFound): string {
  const { report, policy, data, counts, changes } = found;
  const lines = changes.list().map(changeText);
  lines.push(
    `log          ${report.origin || 'unknown'}`,
    `history      ${report.rows} rows, ${verdictOf(report)}`,
    `new policy   ${policy.revision}`,
    `data         ${data?.revision ?? 'that of each decision’s time'}`,
    `decisions    ${counts.decisions}: ${counts.asked} asked again, ${counts.same} cannot change, ${counts.unreadable} of unreadable inputs`,
  );
  for (const [why, count] of counts.undetermined) {
    lines.push(pc.yellow(`             ${count} undetermined: ${plain(why)}`));
  }
  for (const [code, count] of changes.failures) {
    lines.push(pc.yellow(`             ${count} that the new policy fails on: ${plain(code)}`));
  }
  lines.push('', conclusion(found));
  return lines.join('\n');
}

function changeText({ kind, name, widening, count, agents }: Change): string {
  const paint = widening ? pc.red : pc.yellow;
  const { first, last } = agents[0]!;
  const lines = [
    `${paint(kindText(kind))}  ${pc.bold(plain(name))}  ${count} decisions`,
    `  was ${answerText(first.before)}`,
    `  is  ${answerText(first.after)}`,
  ];
  for (const each of agents.slice(0, AGENTS_SHOWN)) {
    const rows =
      each.count === 1 ? `row ${each.first.row}` : `rows ${each.first.row} to ${each.last.row}`;
    lines.push(`  ${plain(each.agent)}  ${each.count}, ${rows}`);
  }
  if (agents.length > AGENTS_SHOWN) lines.push(`  and ${agents.length - AGENTS_SHOWN} more agents`);
  lines.push(
    pc.dim(
      `  row ${first.row} ${plain(first.before.decision_id)} would be ${first.after.decision_id}`,
    ),
  );
  if (last.row !== first.row) {
    lines.push(
      pc.dim(
        `  row ${last.row} ${plain(last.before.decision_id)} would be ${last.after.decision_id}`,
      ),
    );
  }
  return `${lines.join('\n')}\n`;
}

function answerText({ allow, rule, obligations }: Answer): string {
  const asked = obligations.map((each) => plain(JSON.stringify(each))).join(' ');
  return `${allow ? 'allow' : 'deny'} ${plain(rule)}${asked === '' ? '' : ` with ${asked}`}`;
}

/** One sentence: would anything change? */
export function conclusionText({ report, counts, changes }: WhatIfFound): string {
  if (report.tampered) return `${report.tampered.message} (${report.tampered.code})`;
  const unknown = [...counts.undetermined.values()].reduce((total, each) => total + each, 0);
  const open = unknown === 0 ? '' : `; of ${unknown} it cannot be said`;
  if (changes.count === 0) {
    const lies = report.rowVerdicts.diverged > 0 ? ', but the history itself diverged' : '';
    return `no decision of ${counts.decisions} would change${open}${lies}`;
  }
  const widening = changes
    .list()
    .filter((change) => change.widening)
    .reduce((total, { count }) => total + count, 0);
  const wide =
    widening === 0 ? 'none lets through what was held' : `${widening} let through what was held`;
  return `${changes.count} of ${counts.decisions} decisions would change, ${wide}${open}`;
}

function conclusion(found: WhatIfFound): string {
  const text = plain(conclusionText(found));
  if (found.report.tampered) return `${pc.red('tampered')} ${text}`;
  if (found.changes.count > 0) return `${pc.yellow('changed')} ${text}`;
  if (found.report.rowVerdicts.diverged > 0) return `${pc.red('diverged')} ${text}`;
  const isOpen = found.counts.undetermined.size > 0;
  return `${isOpen ? pc.yellow('undetermined') : pc.green('unchanged')} ${text}`;
}

/** Policies and requests write what is shown here: nothing of it may steer a terminal. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
