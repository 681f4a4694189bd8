// Shows what became of recorded decisions: re-executed, or decided again under the draft.
import type { JsonValue } from '../../../../runtime/json.ts';
import type { Flip, Flips, Replayed } from '../protocol.ts';
import { element, short } from './dom.ts';

const flipsShown = 200;

const words: Record<Replayed['verdict'], string> = {
  reproduced:
    'The module gives the recorded output again, byte for byte, and the id is its digest.',
  diverged: 'What was recorded is not what the module gives.',
  undetermined: 'It cannot be told from what is here.',
};

/** One card for each recorded decision. */
export function replayedCards(replayed: readonly Replayed[]): HTMLElement[] {
  return replayed.map(({ verdict, why, difference, id, boundary, module }) =>
    element(
      'article',
      { class: `verdict-card ${verdict}` },
      element('p', { class: 'verdict-word' }, verdict),
      element(
        'div',
        {},
        element('p', { class: 'rule' }, element('code', {}, `${boundary} ${module} ${short(id)}`)),
        element('p', {}, why === '' ? words[verdict] : `${why[0]!.toUpperCase()}${why.slice(1)}.`),
        difference && differenceOf(difference),
      ),
    ),
  );
}

function differenceOf({ pointer, expected, found }: NonNullable<Replayed['difference']>) {
  return element(
    'dl',
    { class: 'facts' },
    element('dt', {}, 'First difference'),
    element('dd', {}, element('code', {}, pointer === '' ? 'the whole value' : pointer)),
    element('dt', {}, 'Recomputed'),
    element('dd', {}, element('code', {}, shown(expected))),
    element('dt', {}, 'Recorded'),
    element('dd', {}, element('code', {}, shown(found))),
  );
}

function shown(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** What a draft would change: the counts, the groups by agent and rule, and the decisions. */
export function flipsReport(flips: Flips, boundary: string, isDraft: boolean): HTMLElement[] {
  const { decisions, same, undetermined, revisions, more } = flips;
  const counts = element(
    'dl',
    { class: 'counts' },
    count('looked at', decisions),
    count('flip', flips.flips.length, flips.flips.length > 0 ? 'flip' : ''),
    count('the same', same),
    count('undetermined', undetermined),
  );
  const notes = [
    ...(isDraft ? [] : ['The policy above is the one in force: edit it to see a change.']),
    ...(decisions === 0 ? [`No decision of the boundary ${boundary} is recorded yet.`] : []),
    ...(more ? ['The log holds older decisions, which were not looked at.'] : []),
    ...(revisions > 1 ? [`They were decided under ${revisions} revisions of the policy.`] : []),
    ...(undetermined > 0
      ? [
          'Undetermined: the policy may read what is committed, or the data of that time is gone. With openings, given under Re-execute, committed values are known.',
        ]
      : []),
  ].map((note) => element('p', { class: 'quiet' }, note));
  if (flips.flips.length === 0) return [counts, ...notes];
  return [counts, ...notes, groups(flips.flips), list(flips.flips)];
}

function count(name: string, value: number, className = ''): HTMLElement {
  const number = element('dd', { class: className }, String(value));
  return element('div', {}, element('dt', {}, name), number);
}

function groups(flips: readonly Flip[]): HTMLElement {
  const counted = new Map<string, { flip: Flip; count: number }>();
  for (const flip of flips) {
    const key = JSON.stringify([flip.agent, flip.before, flip.after]);
    const known = counted.get(key);
    if (known === undefined) counted.set(key, { flip, count: 1 });
    else known.count += 1;
  }
  const rows = [...counted.values()].sort((a, b) => b.count - a.count);
  return table(
    'By agent and rule',
    ['Agent', 'Recorded', 'With your policy', 'Decisions'],
    rows.map(({ flip, count }) => [
      nameOf(flip.agent),
      said(flip.before),
      said(flip.after),
      String(count),
    ]),
  );
}

function list(flips: readonly Flip[]): HTMLElement {
  const shownFlips = flips.slice(0, flipsShown);
  const rest = flips.length - shownFlips.length;
  const rows = shownFlips.map(({ time, agent, before, after, id }) => [
    time.slice(0, 19).replace('T', ' '),
    nameOf(agent),
    said(before),
    said(after),
    element('code', { title: id }, short(id)),
  ]);
  const heads = ['Time', 'Agent', 'Recorded', 'With your policy', 'Decision'];
  return element(
    'details',
    {},
    element('summary', {}, `Each of them${rest > 0 ? `, the newest ${flipsShown}` : ''}`),
    table('', heads, rows),
  );
}

function table(title: string, heads: string[], rows: (HTMLElement | string)[][]): HTMLElement {
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': title || 'Decisions that flip' },
    title === '' ? undefined : element('h3', {}, title),
    element(
      'table',
      {},
      element(
        'thead',
        {},
        element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head))),
      ),
      element(
        'tbody',
        {},
        ...rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, cell)))),
      ),
    ),
  );
}

function said({ allow, rule }: Flip['before']): HTMLElement {
  const word = element('span', { class: allow ? 'allowed' : 'denied' }, allow ? 'allow' : 'deny');
  return element('span', {}, word, ` ${rule.split('.').slice(2).join('.') || rule}`);
}

/** Of a SPIFFE ID what names an agent among the others. */
function nameOf(spiffeId: string): string {
  return spiffeId.split('/').slice(3).join('/') || spiffeId || 'unknown';
}
