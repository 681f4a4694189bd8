// The flips that a change says it wants: a file that is part of the change, one entry a flip, each with a reason.
import { readFile } from 'node:fs/promises';
import { PlatformError } from '../../../runtime/errors.ts';
import { isJsonObject, type JsonValue } from '../../../runtime/json.ts';
import { type FlipGroup, OTHERS } from './flips.ts';
import { WIDENING } from './judge.ts';

/** The file's usual name, in the folder of the new policies. */
export const ACCEPTED_FILE = 'accepted-flips.json';

export interface AcceptedFlip {
  /** As `platform policy diff` prints it. */
  name: string;
  boundary: string;
  /** The rules that answered before and that answer now. */
  from: string;
  to: string;
  /** One sentence for whoever reviews the change. */
  why: string;
  /** The digest of the change that it accepts, as printed beside the flip. */
  change: string;
  /** The last day (UTC), `2026-01-31`, on which it counts. */
  expires?: string;
}

const BYTES_MAX = 1 << 20;
const ENTRIES_MAX = 1000;
const MEMBERS = ['name', 'boundary', 'from', 'to', 'why', 'change', 'expires'];

/** A flip and the change that it is of, see `changeDigest`. */
export type BoundFlip = FlipGroup & { change: string };

/** What the entries leave: flips that nobody accepted, and entries that are of no use. */
export interface Acceptance {
  /** Widening flips without an entry in force, by name. */
  refused: BoundFlip[];
  accepted: { flip: BoundFlip; entry: AcceptedFlip }[];
  /** Entries that are for no flip of this change; `right` where they were for another change of its rules. */
  stale: { entry: AcceptedFlip; right?: string }[];
  /** Entries that would be for a flip, had they not run out. */
  expired: AcceptedFlip[];
}

/** Reads `{"accepted": [...]}`. Throws `configuration_invalid`, naming the entry. */
export async function readAccepted(path: string): Promise<AcceptedFlip[]> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw invalid(`cannot read ${path}`, cause);
  });
  if (bytes.length > BYTES_MAX) throw invalid(`${path} is over 1 MiB`);
  return parseAccepted(bytes.toString('utf8'), path);
}

/** Parses the text of the file; `path` is for messages. */
export function parseAccepted(text: string, path: string): AcceptedFlip[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(`${path} is not JSON`, cause);
  }
  const list = isJsonObject(value) && Object.keys(value).length === 1 ? value.accepted : undefined;
  if (!Array.isArray(list) || list.length > ENTRIES_MAX) {
    throw invalid(
      `${path} is an object with the one member "accepted", a list of at most ${ENTRIES_MAX}`,
    );
  }
  const entries = list.map((entry, at) => parseEntry(entry, `${path}: entry ${at + 1}`));
  const names = new Set<string>();
  for (const { name } of entries) {
    if (names.has(name)) throw invalid(`${path} has two entries named ${name}`);
    names.add(name);
  }
  return entries;
}

function parseEntry(entry: JsonValue, where: string): AcceptedFlip {
  if (!isJsonObject(entry)) throw invalid(`${where} is not an object`);
  const unknown = Object.keys(entry).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined)
    throw invalid(`${where} has an unknown member ${JSON.stringify(unknown)}`);
  for (const member of MEMBERS) {
    const value = entry[member];
    if (member === 'expires' && value === undefined) continue;
    if (typeof value !== 'string' || value.trim() === '')
      throw invalid(`${where}: ${member} is missing`);
  }
  const accepted = entry as unknown as AcceptedFlip;
  const { expires } = accepted;
  if (expires !== undefined && !isDay(expires)) {
    throw invalid(`${where}: expires is a day such as 2026-01-31`);
  }
  return accepted;
}

function isDay(text: string): boolean {
  const time = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString() === `${text}T00:00:00.000Z`;
}

/** Matches entries with the flips that widen; `today` is a day such as `2026-01-31` (UTC). */
export function acceptance(
  flips: readonly BoundFlip[],
  entries: readonly AcceptedFlip[],
  today: string,
): Acceptance {
  const found: Acceptance = { refused: [], accepted: [], stale: [], expired: [] };
  const used = new Set<AcceptedFlip>();
  for (const flip of flips) {
    if (!WIDENING.has(flip.kind)) continue;
    const entry = entries.find((each) => isFor(each, flip));
    if (entry !== undefined) used.add(entry);
    if (entry !== undefined && !isExpired(entry, today)) found.accepted.push({ flip, entry });
    else found.refused.push(flip);
    if (entry !== undefined && isExpired(entry, today)) found.expired.push(entry);
  }
  for (const entry of entries) {
    if (used.has(entry)) continue;
    const right = found.refused.find((flip) => isNamed(entry, flip))?.change;
    found.stale.push(right === undefined ? { entry } : { entry, right });
  }
  return found;
}

/** What was accepted once accepts no later change of the same rules. */
function isFor(entry: AcceptedFlip, flip: BoundFlip): boolean {
  return entry.change === flip.change && isNamed(entry, flip);
}

/** The name alone is not enough: what a reviewer reads beside it must be true as well. */
function isNamed(entry: AcceptedFlip, flip: BoundFlip): boolean {
  if (flip.name.split(':')[1] === OTHERS) return false;
  return (
    entry.name === flip.name &&
    entry.boundary === flip.boundary &&
    entry.from === flip.from &&
    entry.to === flip.to
  );
}

function isExpired({ expires }: AcceptedFlip, today: string): boolean {
  return expires !== undefined && today > expires;
}

function invalid(message: string, cause?: unknown): PlatformError {
  return new PlatformError('configuration_invalid', message, {
    cause,
    hint: 'see docs/policy-diff.md for the form of the file',
  });
}
