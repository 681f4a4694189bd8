// Reads the values that options of `platform audit` take; what is none is a wrong command line.
import { UsageError } from '../../options.ts';

/** A whole number from 0 on. */
export function count(text: string, name: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${name} is a whole number from 0 on, not "${text}"`);
}

/** A day of the calendar. */
export function day(text: string): string {
  if (isDay(text)) return text;
  throw new UsageError(`--before is a day such as 2026-01-31, not "${text}"`);
}

/** A day, which begins at midnight UTC, or an RFC 3339 time; as rows of evidence have it. */
export function moment(text: string, name: string): string {
  if (isDay(text)) return `${text}T00:00:00.000Z`;
  const time = new Date(text);
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})$/.test(text);
  if (isTime && !Number.isNaN(time.getTime()) && isDay(text.slice(0, 10))) {
    return time.toISOString();
  }
  throw new UsageError(
    `${name} is a time such as 2026-01-31 or 2026-01-31T12:00:00Z, not "${text}"`,
  );
}

/** The beginning of a SPIFFE ID is all that is looked at: rows are compared with the whole. */
export function spiffeId(text: string, name: string): string {
  if (text.startsWith('spiffe://')) return text;
  throw new UsageError(
    `${name} is a SPIFFE ID such as spiffe://platform.local/agent/acme/bot/main`,
  );
}

function isDay(text: string): boolean {
  const time = new Date(`${text}T00:00:00.000Z`);
  if (Number.isNaN(time.getTime()) || text.length !== 10) return false;
  return time.toISOString().startsWith(text);
}
