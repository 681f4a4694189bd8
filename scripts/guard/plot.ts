// Draws precision-recall curves as an SVG picture of a few kilobytes.

import type { CurvePoint } from './metrics.ts';

const WIDTH = 560;
const HEIGHT = 400;
const LEFT = 56;
const BOTTOM = 48;
const TOP = 16;
const RIGHT = 16;
/** At most this many points of a curve are drawn. */
const POINTS = 120;
const COLOURS = ['#0b57d0', '#9a5b00', '#146c2e', '#8c1d18', '#6a3ea1', '#3d4754'];

const x = (recall: number) => LEFT + recall * (WIDTH - LEFT - RIGHT);
const y = (precision: number) => TOP + (1 - precision) * (HEIGHT - TOP - BOTTOM);

function line(points: readonly CurvePoint[], colour: string): string {
  const step = Math.max(1, Math.ceil(points.length / POINTS));
  const drawn = points.filter((_, i) => i % step === 0 || i === points.length - 1);
  const path = drawn
    .map(({ recall, precision }) => `${x(recall).toFixed(1)},${y(precision).toFixed(1)}`)
    .join(' ');
  return `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${path}"/>`;
}

function axes(): string[] {
  const marks = [0, 0.2, 0.4, 0.6, 0.8, 1];
  return marks.flatMap((mark) => [
    `<line x1="${x(mark)}" y1="${y(0)}" x2="${x(mark)}" y2="${y(1)}" stroke="#ddd"/>`,
    `<line x1="${x(0)}" y1="${y(mark)}" x2="${x(1)}" y2="${y(mark)}" stroke="#ddd"/>`,
    `<text x="${x(mark)}" y="${y(0) + 16}" text-anchor="middle">${mark}</text>`,
    `<text x="${x(0) - 8}" y="${y(mark) + 4}" text-anchor="end">${mark}</text>`,
  ]);
}

/** The picture of the curves, each named in the legend, with the title as its description. */
export function plotCurves(
  title: string,
  curves: readonly { name: string; points: readonly CurvePoint[] }[],
): string {
  const colour = (i: number) => COLOURS[i % COLOURS.length]!;
  const legend = curves.map(({ name }, i) => {
    return `<text x="${x(0) + 12}" y="${y(0) - 12 - 16 * (curves.length - 1 - i)}" fill="${colour(i)}">${name}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    ...axes(),
    ...curves.map(({ points }, i) => line(points, colour(i))),
    ...legend,
    `<text x="${x(0.5)}" y="${HEIGHT - 10}" text-anchor="middle">recall</text>`,
    `<text x="14" y="${y(0.5)}" text-anchor="middle" transform="rotate(-90 14 ${y(0.5)})">precision</text>`,
    '</svg>',
    '',
  ].join('\n');
}
