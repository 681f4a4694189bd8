// Shows a decision: the verdict, why, and the fields that its id is the digest of.
import type { Decided, Explained, Loaded } from '../protocol.ts';
import { element, short } from './dom.ts';

/** The decision as elements; `isDraft` says that the policy is not the one in force. */
export function decisionCard(decided: Decided, isDraft: boolean, request: string): HTMLElement {
  const { allow, rule, reason, controls, obligations, id, microseconds } = decided;
  const verdict = element(
    'div',
    { class: `verdict-card ${allow ? 'allowed' : 'denied'}` },
    element('p', { class: 'verdict-word' }, allow ? 'Allow' : 'Deny'),
    element(
      'div',
      {},
      element('p', { class: 'rule' }, element('code', {}, rule)),
      element('p', {}, `${reason.code}: ${reason.message}`),
      element(
        'p',
        { class: 'quiet' },
        `${isDraft ? 'your edited policy' : 'the policy in force'}, ${time(microseconds)}`,
      ),
    ),
  );
  const facts = element(
    'dl',
    { class: 'facts' },
    ...entry('Decision id', element('code', { class: 'id', id: 'decision-id' }, id)),
    ...entry('In force it is', versus(decided)),
    ...entry('Controls', controls.length === 0 ? 'none' : chips(controls)),
    ...(obligations.length === 0
      ? []
      : entry('Obligations', element('pre', {}, JSON.stringify(obligations, null, 2)))),
  );
  return element('div', {}, verdict, facts, idParts(decided), wireOf(request));
}

function versus({ inForce, allow, rule }: Decided): HTMLElement {
  const same = inForce.allow === allow && inForce.rule === rule;
  const word = element(
    'span',
    { class: inForce.allow ? 'allowed' : 'denied' },
    inForce.allow ? 'allow' : 'deny',
  );
  return element('span', {}, word, same ? ', the same' : `, ${inForce.rule}`);
}

function chips(texts: readonly string[]): HTMLElement {
  return element('span', { class: 'chips' }, ...texts.map((text) => element('span', {}, text)));
}

function entry(name: string, value: HTMLElement | string): HTMLElement[] {
  return [element('dt', {}, name), element('dd', {}, value)];
}

/** Everything that the id depends on: seven fields, each hashed with its length. */
function idParts({ parts }: Decided): HTMLElement {
  const rows = parts.flatMap(({ name, text }) => [
    element('dt', {}, name),
    element('dd', {}, element('code', {}, text)),
  ]);
  return element(
    'details',
    { class: 'parts' },
    element('summary', {}, 'What the id is the SHA-256 of'),
    element(
      'p',
      { class: 'quiet' },
      'Each field with its length before it. The same bytes give the same id in every host.',
    ),
    element('dl', { class: 'facts' }, ...rows),
  );
}

function wireOf(request: string): HTMLElement {
  return element(
    'details',
    { class: 'parts' },
    element('summary', {}, 'The same in a terminal'),
    element(
      'p',
      { class: 'quiet' },
      'One line for ',
      element('code', {}, 'platform decide --bundles DIR --keys FILE'),
      ', with bundles of this policy.',
    ),
    element('pre', { id: 'wire' }, request),
  );
}

/** How much of each file one evaluation looked at; a file is opened by its name. */
export function coverageTable(
  coverage: Explained['coverage'],
  open: (path: string) => void,
): HTMLElement {
  const rows = Object.entries(coverage).map(([path, lines]) => {
    const states = Object.values(lines);
    const count = (wanted: string) => String(states.filter((state) => state === wanted).length);
    const button = element('button', { type: 'button', class: 'link' }, path);
    button.addEventListener('click', () => open(path));
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, button),
      element('td', {}, count('decided')),
      element('td', {}, count('true')),
      element('td', {}, count('false')),
    );
  });
  const heads = ['File', 'Decided it', 'Held', 'Did not'];
  return element(
    'section',
    { class: 'coverage' },
    element('h3', {}, 'Lines that were looked at'),
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...heads.map((head) => th(head)))),
      element('tbody', {}, ...rows),
    ),
  );
}

function th(text: string): HTMLElement {
  return element('th', { scope: 'col' }, text);
}

function time(microseconds: number): string {
  return microseconds < 1000
    ? `${Math.max(1, Math.round(microseconds))} µs`
    : `${(microseconds / 1000).toFixed(1)} ms`;
}

/** What was verified, as names and values. */
export function factsOf({ policyRevision, dataRevision, keyId, modules }: Loaded): HTMLElement[] {
  const digests = modules.map(({ name, digest }): [string, string] => [name, digest]);
  const facts: [string, string][] = [
    ['Policy bundle', policyRevision],
    ['Data bundle', dataRevision],
    ['Signed by', keyId],
    ...digests,
  ];
  return facts.flatMap(([name, text]) =>
    entry(name, element('code', { title: text }, short(text))),
  );
}
