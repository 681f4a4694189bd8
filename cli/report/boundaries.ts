// The plot of decisions by boundary: how many were allowed and denied where.

import type { Answers } from '../../runtime/evidence/audit/timeline.ts';
import { px, ticks } from './chart.ts';
import { cut, grouped, type Html, html } from './html.ts';

type ByBoundary = Record<string, Answers>;

interface Shape {
  width: number;
  name: string;
  /** Room for the names on the left and the numbers on the right. */
  names: number;
  numbers: number;
  marks: number;
}

const shapes: Shape[] = [
  { width: 920, name: 'wide', names: 110, numbers: 200, marks: 6 },
  { width: 380, name: 'narrow', names: 92, numbers: 86, marks: 3 },
];
const rowHigh = 30;
const barHigh = 16;

/** Bars in the order of their lengths; two pictures of the same, as for the other plot. */
export function boundaryPlot(boundaries: ByBoundary): Html {
  const rows = Object.entries(boundaries).sort(
    ([a, one], [b, other]) => totalOf(other) - totalOf(one) || (a < b ? -1 : 1),
  );
  return html`${shapes.map((shape) => plot(rows, shape))}`;
}

function totalOf({ allowed, denied }: Answers): number {
  return allowed + denied;
}

function plot(rows: [string, ByBoundary[string]][], shape: Shape): Html {
  const { width, name, names, numbers, marks: most } = shape;
  const highest = Math.max(...rows.map(([, counts]) => totalOf(counts)), 1);
  const marks = ticks(highest, most);
  const scale = (width - names - numbers) / marks.at(-1)!;
  const base = 12 + rows.length * rowHigh;
  const height = base + 44;
  const about = rows
    .map(([boundary, { allowed, denied }]) => `${boundary}: ${allowed} allowed, ${denied} denied`)
    .join('; ');
  return html`<svg class="plot ${name}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="at-${name} about-at-${name}">
<title id="at-${name}">Decisions by boundary</title><desc id="about-at-${name}">${about}</desc>
${marks.map((mark) => html`<line class="grid" x1="${px(names + mark * scale)}" x2="${px(names + mark * scale)}" y1="8" y2="${base}"/><text class="tick" x="${px(names + mark * scale)}" y="${base + 16}" text-anchor="middle">${grouped(mark)}</text>`)}
${rows.map(([boundary, counts], at) => row(boundary, counts, 12 + at * rowHigh, scale, shape))}
<line class="axis" x1="${names}" x2="${names}" y1="8" y2="${base}"/>
<text class="unit" x="${px(names + (marks.at(-1)! * scale) / 2)}" y="${base + 36}" text-anchor="middle">decisions</text>
</svg>`;
}

function row(
  boundary: string,
  { allowed, denied }: ByBoundary[string],
  y: number,
  scale: number,
  { names, name }: Shape,
): Html {
  const middle = y + rowHigh / 2;
  const x = names + allowed * scale;
  const text =
    name === 'wide'
      ? `${grouped(allowed)} allowed, ${grouped(denied)} denied`
      : `${grouped(allowed)} / ${grouped(denied)}`;
  return html`<text class="name" x="${names - 10}" y="${middle + 4}" text-anchor="end">${cut(boundary, 14)}</text>
${allowed > 0 && html`<rect class="allowed" x="${names}" y="${middle - barHigh / 2}" width="${px(allowed * scale)}" height="${barHigh}"/>`}
${denied > 0 && html`<rect class="denied" x="${px(x)}" y="${middle - barHigh / 2}" width="${px(denied * scale)}" height="${barHigh}"/>`}
<text class="tick" x="${px(x + denied * scale + 8)}" y="${middle + 4}">${text}</text>`;
}
