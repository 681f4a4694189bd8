// The report as one HTML file: no script, nothing loaded from anywhere, fit for a screen and for paper.
import type { AuditReport } from '../../runtime/evidence/audit/audit.ts';
import type { Selection } from '../../runtime/evidence/export/manifest.ts';
import { boundaryPlot } from './boundaries.ts';
import { lengthOf } from './chart.ts';
import { documentOf } from './document.ts';
import { cut, grouped, type Html, html } from './html.ts';
import { type AuditFacts, type ReportInput, type Verdict, verdictOf } from './model.ts';
import { controls, findings, limits, rules } from './sections.ts';
import { timelinePlot } from './timeline.ts';

/** The whole document. */
export function reportHtml(input: ReportInput): string {
  const { report, facts, catalogue } = input;
  const verdict = verdictOf(report);
  const day = facts.madeAt.toISOString().slice(0, 10);
  return documentOf(
    `Audit of ${day}: ${verdict}`,
    html`<header><h1>Audit of agent decisions</h1><p class="soft">${facts.madeAt.toISOString().slice(0, 16).replace('T', ' ')} UTC</p></header>
${conclusion(report, verdict, facts)}
${numbers(report)}
${plots(report)}
${findings(report)}
${limits(report)}
${controls(report, catalogue)}
${rules(report)}
${method(input)}
<footer>Made offline by <code>platform audit --verify</code> in ${facts.seconds.toFixed(1)} s.</footer>`,
  );
}

const words: Record<Verdict, string> = {
  reproduced: 'Reproduced',
  undetermined: 'Undetermined',
  diverged: 'Diverged',
  tampered: 'Tampered with',
};

function conclusion(report: AuditReport, verdict: Verdict, { exported }: AuditFacts): Html {
  const tone = verdict === 'reproduced' ? 'reproduced' : `is-${verdict}`;
  const scope = exported?.content === 'selection' ? 'selected rows' : 'rows';
  return html`<section class="verdict ${tone}"><p class="word">${words[verdict]}</p>
<p class="say">${sentence(report, verdict, scope)}</p></section>`;
}

function sentence(report: AuditReport, verdict: Verdict, scope: string): string {
  const { rows, rowVerdicts, tampered, checkpointDamage, rowsAfterKept, intentsNotFollowed } =
    report;
  const all = `${grouped(rows)} ${scope}`;
  if (verdict === 'tampered') {
    const proved = report.isVouched
      ? `The ${all} before it are proved; nothing after it is.`
      : 'No key that the auditor trusts signed over any row: none of them is proved.';
    return `${cut(tampered?.message ?? '', 500)} (${tampered?.code}). ${proved}`;
  }
  if (verdict === 'diverged') {
    return `The evidence is whole: all ${all} are what was signed. But ${grouped(rowVerdicts.diverged)} say what the modules or decisions of their time do not.`;
  }
  if (rowVerdicts.undetermined > 0) {
    return `The evidence is whole, and nothing in it is wrong as far as it could be executed again. ${grouped(rowVerdicts.undetermined)} of ${all} need openings or bundles that were not given.`;
  }
  if (checkpointDamage !== undefined) {
    return `All ${all} are reproduced, but the latest checkpoint is damaged: rows of the last seconds may be missing.`;
  }
  if (rowsAfterKept > 0) {
    return `All ${all} are reproduced, but ${grouped(rowsAfterKept)} follow the newest checkpoint that the auditor kept: more may have been cut off behind them.`;
  }
  if (intentsNotFollowed > 0) {
    return `All ${all} are reproduced, but of ${grouped(intentsNotFollowed)} intents it was not followed whether their outcome came.`;
  }
  return `All ${all} are what was signed, and every decision in them, executed again, gives the recorded answer byte for byte.`;
}

function numbers(report: AuditReport): Html {
  const { rows, checkpoints, rowVerdicts, decisionVerdicts } = report;
  const decisions = Object.values(decisionVerdicts).reduce((total, each) => total + each, 0);
  return html`<dl class="numbers">
<div><dt>Rows verified</dt><dd>${grouped(rows)}</dd></div>
<div><dt>Decisions</dt><dd>${grouped(decisions)}</dd></div>
<div><dt>Checkpoints</dt><dd>${grouped(checkpoints)}</dd></div>
<div><dt>Rows reproduced</dt><dd>${grouped(rowVerdicts.reproduced)}</dd></div>
<div><dt>Undetermined</dt><dd${rowVerdicts.undetermined > 0 && html` class="open"`}>${grouped(rowVerdicts.undetermined)}</dd></div>
<div><dt>Diverged</dt><dd${rowVerdicts.diverged > 0 && html` class="bad"`}>${grouped(rowVerdicts.diverged)}</dd></div></dl>`;
}

function plots({ timeline, timelineWidthMs, boundaries }: AuditReport): Html | undefined {
  if (timeline.length === 0) return undefined;
  const key = (name: string, text: string) =>
    html`<li><svg viewBox="0 0 12 12" aria-hidden="true">${name === 'diverged' ? html`<path class="diverged" d="M1 2h10l-5 9z"/>` : html`<rect class="${name}" width="12" height="12" rx="2"/>`}</svg>${text}</li>`;
  return html`<section class="plots"><h2>Decisions over time</h2>
<ul class="legend">${key('allowed', 'allowed')}${key('denied', 'denied')}${timeline.some(({ diverged }) => diverged > 0) && key('diverged', 'with a row that diverged')}${timeline.some(({ undetermined }) => undetermined > 0) && key('undetermined', 'with an undetermined row')}</ul>
${timelinePlot(timeline, timelineWidthMs)}</section>
${
  Object.keys(boundaries).length > 0 &&
  html`<section class="plots"><h2>Decisions by boundary</h2>
<ul class="legend">${key('allowed', 'allowed')}${key('denied', 'denied')}</ul>
${boundaryPlot(boundaries)}</section>`
}`;
}

function method({ report, facts }: ReportInput): Html {
  const { exported, logKeys, bundleKeys } = facts;
  const source =
    exported === undefined
      ? 'a platform’s state folder'
      : `an export of ${exported.exported}, ${exported.isSigned ? 'signed with the log’s key' : 'not signed'}`;
  const from = { given: 'given by the auditor', beside: besideText(exported !== undefined) };
  return html`<section><h2>What was verified, and with which keys</h2><dl class="pair">
<dt>Read from</dt><dd>${source}</dd>
${exported?.content === 'selection' && html`<dt>Selection</dt><dd>${grouped(exported.rows)} of ${grouped(exported.size)} rows: ${selectionText(exported.selection ?? {})}</dd>`}
<dt>Log</dt><dd><code>${report.origin || 'unknown'}</code></dd>
<dt>Period</dt><dd>${periodOf(report)}</dd>
<dt>Merkle root</dt><dd><code>${report.root ?? 'none: the log does not hold'}</code></dd>
<dt>Log’s keys</dt><dd>${logKeys.texts.length > 0 ? html`${logKeys.texts.map((text) => html`<code>${text}</code> `)}${from[logKeys.source]}` : 'none'}</dd>
<dt>Bundles’ keys</dt><dd>${bundleKeys.ids.length > 0 ? html`${bundleKeys.ids.map((id) => html`<code>${id}</code> `)}${from[bundleKeys.source]}` : 'none'}</dd>
<dt>Checkpoints kept</dt><dd>${facts.keptCheckpoints > 0 ? `${facts.keptCheckpoints} that the auditor kept` : 'none by the auditor'}</dd>
<dt>Openings</dt><dd>${facts.openings > 0 ? `${grouped(facts.openings)} of committed fields` : 'none: committed fields stay unknown'}</dd>
${report.openIntents > 0 && html`<dt>In progress</dt><dd>${grouped(report.openIntents)} actions without an outcome in the log</dd>`}
${report.tailBytes > 0 && html`<dt>Tail</dt><dd>${grouped(report.tailBytes)} bytes of a group that was never acknowledged</dd>`}
</dl>
<h3>What this does not show</h3><ul class="plain">
<li>That everything that happened is in the log: an action that went past the platform leaves no row.</li>
<li>That the recorded times are true: they are those of the machine. A checkpoint kept elsewhere shows that rows existed by then.</li>
<li>That a decision was right: only that it is what policy, data and modules of that time give.</li>
${isBeside(facts) && html`<li>That nobody who holds the log’s signing key wrote another history: bring the keys, and a checkpoint of an earlier visit, yourself.</li>`}
</ul></section>`;
}

function besideText(isExport: boolean): string {
  return isExport ? 'taken from inside the file' : 'taken from the state folder';
}

function isBeside({ logKeys, bundleKeys }: AuditFacts): boolean {
  return logKeys.source === 'beside' || bundleKeys.source === 'beside';
}

function periodOf({ firstTime, lastTime }: AuditReport): string {
  if (firstTime === undefined || lastTime === undefined) return 'no rows';
  const spanMs = Date.parse(lastTime) - Date.parse(firstTime);
  return `${firstTime} to ${lastTime}${spanMs > 0 ? `, ${lengthOf(spanMs)}` : ''}`;
}

function selectionText(selection: Selection): string {
  const parts = Object.entries(selection).map(([name, value]) => `${name} ${value}`);
  return cut(parts.join(', '), 400);
}
