// Draws what is shown of an explanation as a tree of boxes: plain elements, for a page to make.
import type { RegoOutcome } from '../modules/rego.ts';
import type { Line, View } from './view.ts';

/** The elements that a picture is made of, and no others. */
export type PictureTag =
  | 'article'
  | 'section'
  | 'header'
  | 'details'
  | 'summary'
  | 'ul'
  | 'li'
  | 'h2'
  | 'h3'
  | 'p'
  | 'span'
  | 'code'
  | 'strong';

/** One element. Its children are elements and texts; a text is never markup. */
export interface PictureElement {
  tag: PictureTag;
  class?: string;
  /** Of `details`. */
  open?: boolean;
  children: (PictureElement | string)[];
}

/** The mark and the words that say the same to who does not see it. */
const marks: Record<RegoOutcome, [mark: string, words: string]> = {
  true: ['✓', 'true'],
  false: ['✗', 'not true'],
  undefined: ['✗', 'undefined'],
  unreached: ['·', 'not looked at'],
  unknown: ['?', 'unknown'],
};

/** Keeps a picture of a very large evaluation within what a browser lays out. */
const linesMax = 4000;

/** The picture of an explanation; `picture.css` beside this file draws its lines and colours. */
export function pictureOf(view: View): PictureElement {
  const left = { lines: linesMax };
  const heading = element('header', `verdict ${view.allow ? 'allowed' : 'denied'}`, [
    element('h2', '', [
      element('strong', '', [view.verdict]),
      ' ',
      element('code', '', [view.rule]),
    ]),
    ...view.reasons.map((reason) => element('p', '', [reason])),
    ...(view.warning === '' ? [] : [element('p', 'warning', [view.warning])]),
  ]);
  const sections = view.sections.map(({ title, lines, folded }) =>
    folded
      ? details('', false, element('h3', '', [title]), [tree(lines, left)])
      : element('section', '', [element('h3', '', [title]), tree(lines, left)]),
  );
  return element('article', 'explanation', [heading, ...sections]);
}

interface Budget {
  lines: number;
}

function tree(lines: readonly Line[], left: Budget): PictureElement {
  const items: PictureElement[] = [];
  for (const line of lines) {
    left.lines -= 1;
    if (left.lines < 0) {
      items.push(element('li', 'more', ['more than can be drawn']));
      break;
    }
    items.push(element('li', '', [box(line, left)]));
  }
  return element('ul', 'tree', items);
}

function box(line: Line, left: Budget): PictureElement {
  const label = element('span', `box ${line.kind} is-${line.outcome}`, [
    ...markOf(line.outcome),
    element(line.kind === 'condition' ? 'code' : 'span', 'text', [line.text]),
    ...(line.kind === 'rule'
      ? [
          element('span', 'place', [
            [line.name, line.place].filter((part) => part !== '').join(', '),
          ]),
        ]
      : []),
    ...(line.note === '' ? [] : [element('span', 'note', [line.note])]),
    ...values(line),
  ]);
  if (line.children.length === 0) return label;
  return details('branch', !line.folded, label, [tree(line.children, left)]);
}

function markOf(outcome: RegoOutcome): PictureElement[] {
  const [mark, words] = marks[outcome];
  return [element('span', 'mark', [mark]), element('span', 'words', [words])];
}

function values({ values: given, outcome }: Line): PictureElement[] {
  if (given.length === 0 || outcome === 'unreached') return [];
  const pairs = given.map(([name, value]) =>
    element('span', 'value', [element('code', 'of', [name]), ' = ', element('code', '', [value])]),
  );
  return [element('span', 'values', pairs)];
}

function details(
  name: string,
  open: boolean,
  summary: PictureElement,
  children: PictureElement[],
): PictureElement {
  return { ...element('details', name, [element('summary', '', [summary]), ...children]), open };
}

function element(
  tag: PictureTag,
  name: string,
  children: (PictureElement | string)[],
): PictureElement {
  return name === '' ? { tag, children } : { tag, class: name, children };
}
