// The values next to a constant, where a rule that was moved by a little answers differently.
import type { JsonPrimitive, JsonValue } from '../../../runtime/json.ts';

const TEXT_CHARACTERS_MAX = 2048;
const DAY_MS = 86_400_000;

/** True for a constant that every host takes as input: others never reach a policy. */
export function isPortable(value: JsonPrimitive): boolean {
  if (typeof value === 'string') return value.isWellFormed() && value.length <= TEXT_CHARACTERS_MAX;
  if (typeof value !== 'number') return true;
  return Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value));
}

/** The constant first, then what is next to it: as a number, a time, a SPIFFE ID, a URL or a text. */
export function withNeighbours(value: JsonPrimitive): JsonPrimitive[] {
  if (typeof value === 'number') return [value, ...numbersAround(value)].filter(isPortable);
  if (typeof value === 'boolean') return [value, !value];
  if (typeof value !== 'string') return [value];
  return [value, ...timesAround(value), ...textsAround(value)].filter(isPortable);
}

/** n - 1, n + 1, and the next numbers that the policy can tell from n. */
function numbersAround(value: number): number[] {
  const step = Math.max(Math.abs(value), 1) * 2 ** -40;
  return [value + 1, value - 1, value + step, value - step, -value].filter(
    (near) => Number.isFinite(near) && near !== value,
  );
}

/** The instants one millisecond, one second and one day from it. */
function timesAround(text: string): string[] {
  if (!/^\d{4}-\d{2}-\d{2}(T[\d:.]+Z?)?$/.test(text)) return [];
  const time = Date.parse(text.includes('T') && !text.endsWith('Z') ? `${text}Z` : text);
  if (Number.isNaN(time)) return [];
  const steps = [0, 1, -1, 1000, -1000, DAY_MS, -DAY_MS];
  return steps.flatMap((step) => {
    const near = new Date(time + step);
    return Number.isNaN(near.getTime()) ? [] : [near.toISOString()];
  });
}

function textsAround(text: string): string[] {
  const characters = [...text];
  const last = characters.at(-1) ?? '';
  const ends = characters.slice(0, -1).join('');
  const near = [`${text}x`, ends, `${text}/x`, `x${text}`, flipped(text), `${text}-x`];
  if (/[/_.:*-]$/.test(text)) near.push(`${ends}x`, `${ends}${last}x/y`);
  if (text.includes('/')) near.push(...segmentsAround(text));
  if (/^[a-z]+:\/\//i.test(text)) near.push(...urlsAround(text));
  if (text.includes('*')) near.push(text.replaceAll('*', 'x'), text.replaceAll('*', 'x/y'));
  near.push(characters.slice(1).join(''), ` ${text}`, `${text}.`, `${text}\u0000`, '');
  return [...new Set(near)].filter((each) => each !== text);
}

function flipped(text: string): string {
  const upper = text.toUpperCase();
  return upper === text ? text.toLowerCase() : upper;
}

/** One segment more, less, doubled, or of another name. */
function segmentsAround(text: string): string[] {
  const segments = text.split('/');
  const before = segments.slice(0, -1);
  return [
    before.join('/'),
    [...before, 'x'].join('/'),
    [...before, `${segments.at(-1)}x`, 'main'].join('/'),
    [...before.slice(0, -1), `${before.at(-1)}x`, segments.at(-1)].join('/'),
    [...before, '', segments.at(-1)].join('/'),
    [...before, '..', segments.at(-1)].join('/'),
    `${text}/`,
  ];
}

/** Another scheme, and hosts that begin or end like the right one. */
function urlsAround(text: string): string[] {
  const [, scheme = '', host = '', rest = ''] = /^([a-z]+):\/\/([^/?#]*)(.*)$/is.exec(text) ?? [];
  const other = scheme === 'https' ? 'http' : 'https';
  return [
    `${other}://${host}${rest}`,
    `${scheme}://${host}.x.example${rest}`,
    `${scheme}://x.${host}${rest}`,
    `${scheme}://x${host}${rest}`,
    `${scheme}://${host}@x.example${rest}`,
    `${scheme}://${host}:8443${rest}`,
    `${scheme}://${host}`,
    `${scheme}://${host}/x`,
    `${scheme}://${host}${rest}?x#y`,
  ];
}

/** What a member of any kind may be instead: nothing of it is what a schema asks for. */
export const wrongTypes: readonly JsonValue[] = [null, true, false, 0, '', [], {}, [''], { x: 1 }];
