// The plot of decisions over time: allowed and denied, with marks where something diverged.

import type { TimelineBucket } from '../../runtime/evidence/audit/timeline.ts';
import { lengthOf, px, ticks, timeLabel } from './chart.ts';
import { grouped, type Html, html } from './html.ts';

/** One bar: what happened from its start (milliseconds since 1970) on. */
interface Bar {
  start: number;
  allowed: number;
  denied: number;
  diverged: number;
  undetermined: number;
}

interface Bars {
  widthMs: number;
  /** Without gaps, in order. */
  bars: Bar[];
}

interface Shape {
  width: number;
  height: number;
  barsMax: number;
  labels: number;
  name: string;
}

const shapes: Shape[] = [
  { width: 920, height: 300, barsMax: 120, labels: 7, name: 'wide' },
  { width: 380, height: 260, barsMax: 48, labels: 3, name: 'narrow' },
];
const [left, right, top, bottom] = [52, 12, 30, 56];

/** Two pictures of the same: the style shows the one that fits the page. */
export function timelinePlot(timeline: readonly TimelineBucket[], widthMs: number): Html {
  const bars = timeline.map(({ start, byBoundary, diverged, undetermined }) => {
    const bar = { start: Date.parse(start), allowed: 0, denied: 0, diverged, undetermined };
    for (const { allowed, denied } of Object.values(byBoundary)) {
      bar.allowed += allowed;
      bar.denied += denied;
    }
    return bar;
  });
  return html`${shapes.map((shape) => plot(merged({ widthMs, bars }, shape.barsMax), shape))}`;
}

/** Neighbouring bars together, so that each can be seen. */
function merged({ widthMs, bars }: Bars, barsMax: number): Bars {
  const factor = Math.max(1, Math.ceil(bars.length / barsMax));
  const fewer: Bar[] = [];
  for (let at = 0; at < bars.length; at += factor) {
    const bar: Bar = { ...bars[at]! };
    for (const each of bars.slice(at + 1, at + factor)) {
      bar.allowed += each.allowed;
      bar.denied += each.denied;
      bar.diverged += each.diverged;
      bar.undetermined += each.undetermined;
    }
    fewer.push(bar);
  }
  return { widthMs: widthMs * factor, bars: fewer };
}

function plot({ widthMs, bars }: Bars, { width, height, labels, name }: Shape): Html {
  const highest = Math.max(...bars.map(({ allowed, denied }) => allowed + denied), 1);
  const marks = ticks(highest, 5);
  const scale = (height - top - bottom) / marks.at(-1)!;
  const step = (width - left - right) / bars.length;
  const base = height - bottom;
  const spanMs = widthMs * bars.length;
  const sum = (of: 'allowed' | 'denied' | 'diverged') =>
    bars.reduce((total, bar) => total + bar[of], 0);
  const range = `${utc(bars[0]!.start)} to ${utc(bars[0]!.start + spanMs)}`;
  const what = `${grouped(sum('allowed'))} decisions allowed and ${grouped(sum('denied'))} denied from ${range}; ${grouped(sum('diverged'))} diverged. One bar is ${lengthOf(widthMs)}.`;
  return html`<svg class="plot ${name}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="time-${name} about-time-${name}">
<title id="time-${name}">Decisions over time</title><desc id="about-time-${name}">${what}</desc>
<text class="unit" x="0" y="14">decisions per ${lengthOf(widthMs)}</text>
${marks.map((mark) => gridLine(mark, base - mark * scale, width))}
${bars.map((each, at) => barOf(each, widthMs, left + at * step, step, base, scale))}
<line class="axis" x1="${left}" x2="${width - right}" y1="${base}" y2="${base}"/>
${timeLabels(bars[0]!.start, spanMs, labels, width, base)}
<text class="unit" x="${px((left + width - right) / 2)}" y="${height - 8}" text-anchor="middle">time (UTC)</text>
</svg>`;
}

function gridLine(mark: number, y: number, width: number): Html {
  return html`<line class="grid" x1="${left}" x2="${width - right}" y1="${px(y)}" y2="${px(y)}"/><text class="tick" x="${left - 8}" y="${px(y + 4)}" text-anchor="end">${grouped(mark)}</text>`;
}

function barOf(
  { start, allowed, denied, diverged, undetermined }: Bar,
  widthMs: number,
  x: number,
  step: number,
  base: number,
  scale: number,
): Html {
  if (allowed + denied + diverged + undetermined === 0) return html``;
  const gap = Math.min(2, step / 4);
  const at = px(x + gap / 2);
  const wide = px(Math.min(step - gap, 28));
  const allowedHigh = allowed * scale;
  const deniedHigh = denied * scale;
  const peak = base - allowedHigh - deniedHigh;
  const middle = x + gap / 2 + Math.min(step - gap, 28) / 2;
  const parts = [`${grouped(allowed)} allowed`, `${grouped(denied)} denied`];
  if (diverged > 0) parts.push(`${grouped(diverged)} diverged`);
  if (undetermined > 0) parts.push(`${grouped(undetermined)} undetermined`);
  return html`<g><title>${utc(start)} to ${utc(start + widthMs)}: ${parts.join(', ')}</title>
${allowed > 0 && html`<rect class="allowed" x="${at}" width="${wide}" y="${px(base - allowedHigh)}" height="${px(allowedHigh)}"/>`}
${denied > 0 && html`<rect class="denied" x="${at}" width="${wide}" y="${px(peak)}" height="${px(deniedHigh)}"/>`}
${undetermined > 0 && html`<rect class="undetermined" x="${at}" width="${wide}" y="${base + 3}" height="5"/>`}
${diverged > 0 && html`<path class="diverged" d="M${px(middle - 5)} ${px(peak - 13)}h10l-5 9z"/>`}</g>`;
}

function timeLabels(start: number, spanMs: number, count: number, width: number, y: number) {
  const plotWidth = width - left - right;
  return Array.from({ length: count }, (_, at) => {
    const part = at / (count - 1);
    const anchor = at === 0 ? 'start' : at === count - 1 ? 'end' : 'middle';
    const label = timeLabel(start + part * spanMs, spanMs);
    return html`<text class="tick" x="${px(left + part * plotWidth)}" y="${y + 24}" text-anchor="${anchor}">${label}</text>`;
  });
}

function utc(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
