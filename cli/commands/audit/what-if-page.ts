// What another policy would have changed, as one HTML file for whoever decides about the change.

import { documentOf } from '../../report/document.ts';
import { cut, grouped, type Html, html } from '../../report/html.ts';
import type { AgentChanges, Answer, Change } from './changes.ts';
import { conclusionText, kindText, type WhatIfFound } from './what-if-report.ts';

const TEXT_MAX = 300;
const AGENTS_SHOWN = 20;

/** The whole document. It has no clock in it: the same history and policy give the same bytes. */
export function whatIfHtml(found: WhatIfFound): string {
  const { report, policy, data, counts, changes } = found;
  const list = changes.list();
  const isChanged = changes.count > 0;
  const widens = list.some(({ widening }) => widening);
  const tone =
    report.tampered || widens ? 'is-diverged' : isChanged ? 'is-undetermined' : 'reproduced';
  const word = report.tampered
    ? 'Tampered with'
    : isChanged
      ? 'Decisions would change'
      : 'Nothing would change';
  const undetermined = [...counts.undetermined];
  return documentOf(
    `What a change of policy changes: ${word}`,
    html`<header><h1>What a change of policy would have changed</h1></header>
<section class="verdict ${tone}"><p class="word">${word}</p><p class="say">${capital(cut(conclusionText(found), 600))}.</p></section>
<dl class="numbers"><div><dt>Decisions</dt><dd>${grouped(counts.decisions)}</dd></div>
<div><dt>Asked again</dt><dd>${grouped(counts.asked)}</dd></div>
<div><dt>Would change</dt><dd>${grouped(changes.count)}</dd></div>
<div><dt>Undetermined</dt><dd>${grouped(undetermined.reduce((total, [, count]) => total + count, 0))}</dd></div></dl>
${list.map(changeSection)}
${
  undetermined.length + changes.failures.size > 0 &&
  html`<section><h2>What could not be determined, or fails</h2><table><thead><tr><th>Reason</th><th class="number">Decisions</th></tr></thead><tbody>
${undetermined.map(([why, count]) => html`<tr><td>${cut(why, TEXT_MAX)}</td><td class="number">${grouped(count)}</td></tr>`)}
${[...changes.failures].map(([code, count]) => html`<tr><td>The new policy gives no answer: <code>${cut(code, TEXT_MAX)}</code></td><td class="number">${grouped(count)}</td></tr>`)}</tbody></table></section>`
}
<section><h2>What was compared</h2><dl class="pair">
<dt>Log</dt><dd><code>${report.origin || 'unknown'}</code></dd>
<dt>Rows</dt><dd>${grouped(report.rows)}, from ${report.firstTime ?? 'none'} to ${report.lastTime ?? 'none'}</dd>
<dt>Merkle root</dt><dd><code>${report.root ?? 'none: the log does not hold'}</code></dd>
<dt>Policies then</dt><dd>${[...counts.revisions].map(([revision, count]) => html`<code>${revision || '(none)'}</code> ${grouped(count)} decisions<br>`)}</dd>
<dt>New policy</dt><dd><code>${policy.revision}</code></dd>
<dt>Data</dt><dd>${data === undefined ? 'that of each decision’s time' : html`<code>${data.revision}</code>`}</dd></dl>
<p class="soft">Each recorded input is answered by the new policy and held against the recorded answer. Callers may have acted otherwise after another answer: what follows from a change is not shown.</p></section>
<footer>Made offline by <code>platform audit --replay</code>.</footer>`,
  );
}

function changeSection({ kind, widening, name, count, agents, boundary }: Change): Html {
  const { first } = agents[0]!;
  return html`<section><h2>${kindText(kind)}: ${grouped(count)} decisions at ${cut(boundary, TEXT_MAX)}</h2>
<p class="soft"><code>${cut(name, TEXT_MAX)}</code>${widening && ' · lets through what was held before'}</p>
<dl class="pair"><dt>Was</dt><dd>${answer(first.before)}</dd><dt>Would be</dt><dd>${answer(first.after)}</dd></dl>
<table><thead><tr><th>Agent</th><th>First and last row</th><th class="number">Decisions</th></tr></thead><tbody>
${agents.slice(0, AGENTS_SHOWN).map(agentRow)}</tbody></table>
${agents.length > AGENTS_SHOWN && html`<p class="soft">And ${grouped(agents.length - AGENTS_SHOWN)} more agents.</p>`}</section>`;
}

function agentRow({ agent, count, first, last }: AgentChanges): Html {
  const rows = first.row === last.row ? `${first.row}` : `${first.row}, ${last.row}`;
  return html`<tr><td><code>${cut(agent, TEXT_MAX)}</code></td><td>${rows}<br><span class="soft">${first.time}</span></td><td class="number">${grouped(count)}</td></tr>`;
}

function answer({ allow, rule, obligations }: Answer): Html {
  const asked = obligations.length > 0 ? cut(JSON.stringify(obligations), TEXT_MAX) : undefined;
  return html`<span class="value">${allow ? 'allow' : 'deny'}</span> <code>${cut(rule, TEXT_MAX)}</code>${asked !== undefined && html` with <code>${asked}</code>`}`;
}

function capital(sentence: string): string {
  return sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
}
