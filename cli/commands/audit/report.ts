// The report of an audit as lines for a terminal.
import pc from 'picocolors';
import type { AuditReport } from '../../../runtime/evidence/audit/audit.ts';
import { FINDINGS_MAX, type Finding } from '../../../runtime/evidence/audit/tally.ts';
import type { JsonValue } from '../../../runtime/json.ts';
import type { AuditFacts } from '../../report/model.ts';

const VALUE_LENGTH_MAX = 200;

/** The report as lines for people. */
export function reportText(report: AuditReport, facts: AuditFacts): string {
  const { rowVerdicts, decisionVerdicts, tampered } = report;
  const lines = [
    `log          ${report.origin || 'unknown'}`,
    `verified     ${report.rows} rows under ${report.checkpoints} signed checkpoints in ${facts.seconds.toFixed(1)} s`,
  ];
  if (report.root) lines.push(`root         ${report.root}`);
  lines.push(...sourceLines(facts));
  if (report.tailBytes > 0) {
    lines.push(`tail         ${report.tailBytes} bytes of a group that was never acknowledged`);
  }
  if (report.openIntents > 0)
    lines.push(`in progress  ${report.openIntents} without an outcome yet`);
  if (report.checkpointDamage !== undefined) {
    lines.push(`${pc.yellow('checkpoint')}   the latest is damaged: ${report.checkpointDamage}`);
  }
  lines.push('', '              rows  decisions');
  for (const verdict of ['reproduced', 'diverged', 'undetermined'] as const) {
    const rows = String(rowVerdicts[verdict]).padStart(6);
    const decisions = String(decisionVerdicts[verdict]).padStart(11);
    lines.push(`${verdict.padEnd(12)}${rows}${decisions}`);
  }
  for (const [why, decisions] of report.undetermined) {
    lines.push(pc.dim(`  undetermined: ${decisions} × ${plain(why)}`));
  }
  for (const gap of report.gaps) lines.push(pc.dim(`  ${plain(gap)}`));
  for (const finding of report.diverged) lines.push('', ...findingLines(finding));
  const more = report.divergedCount - report.diverged.length;
  if (more > 0) lines.push('', `and ${more} more findings after the first ${FINDINGS_MAX}`);
  lines.push('', conclusion(report));
  if (tampered && report.rows > 0 && report.isVouched)
    lines.push(`  the ${report.rows} rows before it are proved`);
  return lines.join('\n');
}

/** Which file it was, and whose keys were believed. */
function sourceLines({ exported, logKeys, bundleKeys }: AuditFacts): string[] {
  if (exported === undefined) return [];
  const { content, rows, size, isSigned } = exported;
  const what = content === 'log' ? 'the whole log' : `${rows} of ${size} rows`;
  const inside = [
    logKeys.source === 'beside' && "the log's",
    bundleKeys.source === 'beside' && "the bundles'",
  ].filter(Boolean);
  return [
    `export       ${what}, made ${plain(exported.exported)}, ${isSigned ? 'signed' : 'not signed'}`,
    ...(inside.length > 0
      ? [
          `keys         verified with the keys inside the file (${inside.join(', ')}): give --key and --bundle-keys to trust your own`,
        ]
      : []),
  ];
}

/** Evidence and exports come from outside: nothing in them may steer the terminal. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

function findingLines(finding: Finding): string[] {
  const { sequence, time, module, boundary, decisionId, why, difference, reads = [] } = finding;
  const what = module === undefined ? boundary : `${module} at ${boundary}`;
  const lines = [`${pc.red('diverged')} row ${sequence} (${time}): ${plain(what)}, ${plain(why)}`];
  if (decisionId !== undefined) lines.push(`  decision  ${plain(decisionId)}`);
  if (difference === undefined) return lines;
  return [
    ...lines,
    `  field     ${plain(difference.pointer) || '(the whole output)'}`,
    `  expected  ${shown(difference.expected)}`,
    `  found     ${shown(difference.found)}`,
    ...reads
      .filter(({ decisive }) => decisive)
      .map(({ pointer, value }) => `  decisive  ${plain(pointer)} = ${shown(value)}`),
  ];
}

function shown(value: JsonValue | undefined): string {
  const text = value === undefined ? '(nothing)' : JSON.stringify(value);
  return plain(text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text);
}

function conclusion(report: AuditReport): string {
  const { tampered, rowVerdicts, rows, checkpointDamage, rowsAfterKept, intentsNotFollowed } =
    report;
  if (tampered) return `${pc.red('tampered')} ${plain(tampered.message)} (${tampered.code})`;
  if (rowVerdicts.diverged > 0) {
    return `${pc.red('diverged')} the evidence is whole, but ${rowVerdicts.diverged} rows say what modules or decisions do not`;
  }
  if (rowVerdicts.undetermined > 0) {
    return `${pc.yellow('undetermined')} the evidence is whole; ${rowVerdicts.undetermined} rows need openings or bundles to be executed again`;
  }
  if (checkpointDamage !== undefined) {
    return `${pc.yellow('undetermined')} all ${rows} rows are reproduced, but rows of the last seconds may be missing`;
  }
  if (rowsAfterKept > 0) {
    return `${pc.yellow('undetermined')} all ${rows} rows are reproduced, but ${rowsAfterKept} follow the newest checkpoint that you kept: more may have been cut off behind them`;
  }
  if (intentsNotFollowed > 0) {
    return `${pc.yellow('undetermined')} all ${rows} rows are reproduced, but of ${intentsNotFollowed} intents it was not followed whether their outcome came`;
  }
  return `${pc.green('reproduced')} all ${rows} rows`;
}
