// Compares both policies over the authorization decisions that a platform recorded.
import { BOUNDARIES, type Boundary, committedFields } from '../../../runtime/decide/boundary.ts';
import type { Opening } from '../../../runtime/decide/decision.ts';
import { importOpenings, type Openings } from '../../../runtime/evidence/openings.ts';
import { decodeRow, type RowDecision } from '../../../runtime/evidence/row.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../runtime/json.ts';
import type { Record as RecordModule } from '../../../runtime/modules/record.ts';
import { readStoredOpenings } from '../../commands/audit/openings.ts';
import { readGroups } from '../../commands/audit/rows.ts';
import type { StateFolder } from '../../state-folder.ts';
import type { Comparison } from './comparison.ts';

export interface EvidencePlan {
  state: StateFolder;
  /** Whether to open committed fields with the state folder's own store. */
  storedOpenings: boolean;
  /** Text of a file that `platform audit openings --out` wrote. */
  openings?: string;
  /** By entrypoint, the pointers that either side reads; an entrypoint without an entry reads all. */
  reads: Record<string, readonly string[]>;
  boundaries: readonly string[];
  /** Only so many of the last rows. */
  rowsMax?: number;
  /** Milliseconds since 1970 at which to stop with what there is. */
  deadline?: number;
}

export interface EvidenceCoverage {
  rows: number;
  /** Authorization decisions, those that both policies were asked again, and those of an unreadable input. */
  decisions: number;
  asked: number;
  unreadable: number;
  /** Why decisions could not be asked again, with how many of each. */
  undetermined: Record<string, number>;
  isCut: boolean;
}

/** Asks both sides every recorded authorization decision of the boundaries. */
export async function compareEvidence(
  plan: EvidencePlan,
  comparison: Comparison,
  record: RecordModule,
  onProgress: (rows: number) => void,
): Promise<EvidenceCoverage> {
  const openings = await openingsOf(plan);
  const coverage: EvidenceCoverage = {
    ...{ rows: 0, decisions: 0, asked: 0, unreadable: 0, undetermined: {}, isCut: false },
  };
  for await (const bytes of lastRows(plan)) {
    if (Date.now() > (plan.deadline ?? Infinity)) {
      coverage.isCut = true;
      break;
    }
    const { sequence, decisions } = decodeRow(bytes);
    coverage.rows++;
    if (coverage.rows % 1000 === 0) onProgress(coverage.rows);
    for (const decision of decisions) {
      if (decision.module !== 'authorization') continue;
      if (!plan.boundaries.includes(decision.boundary)) continue;
      coverage.decisions++;
      const { input } = decision;
      if (commitmentIn(input) !== undefined) {
        // No policy ever saw it: it was refused because nobody can read it, as it would be again.
        coverage.unreadable++;
        continue;
      }
      const opened = open(decision, openings, plan.reads);
      if (typeof opened === 'string') {
        coverage.undetermined[opened] = (coverage.undetermined[opened] ?? 0) + 1;
        continue;
      }
      coverage.asked++;
      const committed = record.canonicalizeValue(input).slice();
      const canonical = record.canonicalizeValue(opened.input);
      const recorded = { sequence, committed, isOpened: opened.isOpened };
      comparison.recorded(decision.boundary, canonical, recorded);
    }
  }
  return coverage;
}

/** All rows, or the last `rowsMax`, which are kept while the ones before are passed over. */
async function* lastRows({ state, rowsMax }: EvidencePlan): AsyncGenerator<Uint8Array> {
  if (rowsMax === undefined) {
    for await (const { rows } of readGroups(state)) yield* rows;
    return;
  }
  const kept: Uint8Array[] = [];
  for await (const { rows } of readGroups(state)) {
    kept.push(...rows.map((row) => row.slice()));
    if (kept.length > rowsMax * 2) kept.splice(0, kept.length - rowsMax);
  }
  yield* kept.slice(-rowsMax);
}

async function openingsOf({ state, storedOpenings, openings }: EvidencePlan): Promise<Openings> {
  if (storedOpenings) return readStoredOpenings(state);
  return openings === undefined ? new Map<string, Opening>() : importOpenings(openings);
}

/** The input with its committed fields opened; why it cannot be asked, where a policy reads one that is not. */
function open(
  { boundary, input }: RowDecision,
  openings: Openings,
  reads: Record<string, readonly string[]>,
): { input: JsonValue; isOpened: boolean } | string {
  if (!isJsonObject(input)) return { input, isOpened: false };
  const pointers = reads[`platform/${boundary}/decision`];
  const committed = isBoundary(boundary) ? committedFields('authorization', boundary) : [];
  const whole: JsonObject = { ...input };
  let isOpened = false;
  for (const field of committed) {
    const commitment = commitmentIn(input[field]);
    if (commitment === undefined) continue;
    const opening = openings.get(commitment);
    if (opening?.field === field) {
      whole[field] = JSON.parse(Buffer.from(opening.value).toString('utf8')) as JsonValue;
      isOpened = true;
    } else if (pointers === undefined || pointers.some((pointer) => reaches(pointer, field))) {
      return `the field ${field} is committed and no opening of it is given`;
    }
  }
  return { input: whole, isOpened };
}

function reaches(pointer: string, field: string): boolean {
  return pointer === '' || pointer === `/${field}` || pointer.startsWith(`/${field}/`);
}

function commitmentIn(value: JsonValue | undefined): string | undefined {
  if (!isJsonObject(value) || Object.keys(value).length !== 1) return undefined;
  return typeof value.$commitment === 'string' ? value.$commitment : undefined;
}

function isBoundary(value: string): value is Boundary {
  return (BOUNDARIES as readonly string[]).includes(value);
}
