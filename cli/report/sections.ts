// The parts of the report that explain: what diverged, what cannot be said, which controls are covered.
import type { AuditReport } from '../../runtime/evidence/audit/audit.ts';
import type { Finding } from '../../runtime/evidence/audit/tally.ts';
import type { JsonValue } from '../../runtime/json.ts';
import { type Catalogue, supportedBy } from '../policy/controls/catalogue.ts';
import { titleOf } from './control-titles.ts';
import { cut, grouped, type Html, html } from './html.ts';

const VALUE_CHARACTERS_MAX = 600;
const NAME_CHARACTERS_MAX = 200;
const RULES_SHOWN = 20;

/** Each row that diverged: which decision, where, expected and found. */
export function findings({ diverged, divergedCount }: AuditReport): Html | undefined {
  if (divergedCount === 0) return undefined;
  const more = divergedCount - diverged.length;
  return html`<section><h2>What diverged</h2>
<p class="soft">Each of these rows says something that the modules, bundles or decisions of its time do not.</p>
${diverged.map(finding)}
${more > 0 && html`<p class="soft">And ${grouped(more)} more after these.</p>`}</section>`;
}

function finding({ sequence, time, why, difference, reads = [], ...of }: Finding): Html {
  const { module, boundary, decisionId } = of;
  const what = module === undefined ? boundary : `${module} at ${boundary}`;
  const decisive = reads.filter((each) => each.decisive);
  const others = reads.filter((each) => !each.decisive).map(({ pointer }) => pointer);
  return html`<div class="finding"><h3>Row ${sequence}: ${cut(why, VALUE_CHARACTERS_MAX)}</h3>
<p class="where soft">${time} · ${cut(what, NAME_CHARACTERS_MAX)}</p>
<dl class="pair">
${decisionId !== undefined && html`<dt>Decision</dt><dd><code>${cut(decisionId, NAME_CHARACTERS_MAX)}</code></dd>`}
${
  difference !== undefined &&
  html`<dt>Field</dt><dd><code>${cut(difference.pointer, NAME_CHARACTERS_MAX) || '(the whole output)'}</code></dd>
<dt>Expected</dt><dd><code class="value">${shown(difference.expected)}</code></dd>
<dt>Found</dt><dd><code class="value">${shown(difference.found)}</code></dd>`
}
${
  decisive.length > 0 &&
  html`<dt>Decisive input</dt><dd>${decisive.map(({ pointer, value }) => html`<code>${cut(pointer, NAME_CHARACTERS_MAX)}</code> <code class="value">${shown(value)}</code><br>`)}</dd>`
}
${others.length > 0 && html`<dt>Also read</dt><dd><code>${cut(others.join(' '), VALUE_CHARACTERS_MAX)}</code></dd>`}
</dl></div>`;
}

function shown(value: JsonValue | undefined): string {
  return value === undefined ? '(nothing)' : cut(JSON.stringify(value), VALUE_CHARACTERS_MAX);
}

/** Why decisions could not be executed again, and what the log cannot show at all. */
export function limits(report: AuditReport): Html | undefined {
  const reasons = [...report.undetermined].sort(([, one], [, other]) => other - one);
  const { gaps } = report;
  if (reasons.length + gaps.length === 0) return undefined;
  return html`<section><h2>What could not be determined</h2>
${
  reasons.length > 0 &&
  html`<table><thead><tr><th>Reason</th><th class="number">Decisions or rows</th></tr></thead><tbody>
${reasons.map(([why, count]) => html`<tr><td>${cut(why, VALUE_CHARACTERS_MAX)}</td><td class="number">${grouped(count)}</td></tr>`)}</tbody></table>`
}
${gaps.length > 0 && html`<h3>Gaps</h3><ul class="plain">${gaps.map((gap) => html`<li>${cut(gap, VALUE_CHARACTERS_MAX)}</li>`)}</ul>`}</section>`;
}

interface Covered {
  id: string;
  rows: number;
}

/** Controls that rows are evidence of, by framework; and those of the catalogue that none is. */
export function controls({ controls: counted, rows }: AuditReport, catalogue: Catalogue): Html {
  const byId = new Map<string, number>();
  // A row supports what its rule names, and what asks for the same elsewhere: the most that either says.
  for (const [id, count] of [
    ...Object.entries(counted),
    ...catalogue.every_decision.map((each): [string, number] => [each, rows]),
  ]) {
    for (const each of supportedBy(catalogue, id)) {
      byId.set(each, Math.max(byId.get(each) ?? 0, count));
    }
  }
  const tables = Object.entries(catalogue.frameworks).map(([name, { name: title, edition }]) => {
    const covered = [...byId].filter(([id, count]) => id.startsWith(`${name}:`) && count > 0);
    return table(
      `${title}, ${edition}`,
      covered.map(([id, count]) => ({ id, rows: count })),
    );
  });
  const known = new Set(Object.keys(catalogue.frameworks));
  const others = [...byId].filter(([id]) => !known.has(id.split(':')[0]!));
  return html`<section><h2>Controls covered</h2>
<p class="soft">A row is evidence of the controls that its rule names, and of those that ask for the same in other frameworks. It is an engineering statement, not a certificate. Titles stand where the framework’s text is public.</p>
<div class="frameworks">${tables}
${
  others.length > 0 &&
  table(
    'Not in the catalogue',
    others.map(([id, count]) => ({ id, rows: count })),
  )
}</div></section>`;
}

function table(title: string, covered: Covered[]): Html {
  if (covered.length === 0) return html``;
  const sorted = [...covered].sort((one, other) => collator.compare(one.id, other.id));
  const name = (id: string) => cut(id.slice(id.indexOf(':') + 1), NAME_CHARACTERS_MAX);
  if (sorted.every(({ id }) => titleOf(id) === undefined)) {
    return html`<div class="framework"><h3>${title}</h3>
<ul class="ids">${sorted.map(({ id, rows }) => html`<li><code>${name(id)}</code> <span class="soft">${grouped(rows)} rows</span></li>`)}</ul></div>`;
  }
  return html`<div class="framework"><h3>${title}</h3>
<table><thead><tr><th class="id">Control</th><th>Title</th><th class="number">Rows</th></tr></thead><tbody>
${sorted.map(({ id, rows }) => html`<tr><td><code>${name(id)}</code></td><td>${titleOf(id) ?? '–'}</td><td class="number">${grouped(rows)}</td></tr>`)}</tbody></table></div>`;
}

const collator = new Intl.Collator('en', { numeric: true });

/** The rules that answered most often. */
export function rules({ rules: counted }: AuditReport): Html | undefined {
  const sorted = Object.entries(counted).sort(
    ([a, one], [b, other]) =>
      other.allowed + other.denied - one.allowed - one.denied || (a < b ? -1 : 1),
  );
  if (sorted.length === 0) return undefined;
  const more = sorted.length - RULES_SHOWN;
  return html`<section><h2>Rules that decided</h2>
<table><thead><tr><th>Rule</th><th class="number">Allowed</th><th class="number">Denied</th></tr></thead><tbody>
${sorted.slice(0, RULES_SHOWN).map(([rule, { allowed, denied }]) => html`<tr><td><code>${cut(rule, NAME_CHARACTERS_MAX)}</code></td><td class="number">${grouped(allowed)}</td><td class="number">${grouped(denied)}</td></tr>`)}</tbody></table>
${more > 0 && html`<p class="soft">And ${grouped(more)} more.</p>`}</section>`;
}
