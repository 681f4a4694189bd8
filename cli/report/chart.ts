// What the plots of the report share: scales with plain numbers, and times as people write them.

/** Marks of an axis from 0: at most `most` steps of 1, 2 or 5 times a power of ten. */
export function ticks(highest: number, most: number): number[] {
  const rough = Math.max(highest, 1) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough) ?? 10;
  const step = Math.max(1, factor * power);
  const marks: number[] = [];
  for (let mark = 0; mark < Math.max(highest, 1) + step; mark += step) marks.push(mark);
  return marks;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in words, such as `5 minutes`; milliseconds. */
export function lengthOf(milliseconds: number): string {
  const units: [number, string][] = [
    [DAY, 'day'],
    [HOUR, 'hour'],
    [MINUTE, 'minute'],
    [1000, 'second'],
    [1, 'millisecond'],
  ];
  const [size, name] = units.find(([unit]) => milliseconds >= unit) ?? units.at(-1)!;
  const count = Math.round((milliseconds / size) * 10) / 10;
  return count === 1 ? `1 ${name}` : `${count} ${name}s`;
}

/** A time of a log that is `spanMs` long, in UTC and no finer than needed. */
export function timeLabel(time: number, spanMs: number): string {
  const text = new Date(time).toISOString();
  if (spanMs > 4 * DAY) return text.slice(0, 10);
  if (spanMs > DAY) return `${text.slice(5, 10)} ${text.slice(11, 16)}`;
  if (spanMs > 5 * MINUTE) return text.slice(11, 16);
  return text.slice(11, 19);
}

/** Coordinates with at most two digits behind the point. */
export function px(value: number): string {
  return String(Math.round(value * 100) / 100);
}
