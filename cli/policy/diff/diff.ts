// Compares two sides: plans what each boundary is asked, shares it between threads, and names the rules responsible.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { canonical } from '../../../runtime/bundle/revision.ts';
import { ModuleError, PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import { policySources } from '../../commands/policy/sources.ts';
import type { BoundaryCoverage, BoundaryPlan } from './boundary-task.ts';
import { changeDigest } from './changes.ts';
import { type Compared, type ComparePlan, decidingOf, type OnProgress } from './compare.ts';
import type { CompareMessage } from './compare-worker.ts';
import { affectedBoundaries, editedRules, editedTenants } from './edits.ts';
import type { EvidenceCoverage, EvidencePlan } from './evidence-task.ts';
import { type FlipGroup, Flips } from './flips.ts';
import { placesOf, type RulePlace, shownPlaces } from './places.ts';
import type { Side } from './side.ts';
import { type RuleFacts, readRules } from './syntax.ts';

export interface DiffOptions {
  /** Generated inputs a boundary. */
  count: number;
  seed: string;
  /** Only these; all that either side has when undefined. */
  boundaries?: readonly string[];
  /** Generate requests only where the edit, or other data, can matter; evidence is compared everywhere. */
  onlyAffected?: boolean;
  evidence?: Omit<EvidencePlan, 'reads' | 'boundaries' | 'deadline'>;
  /** After so long it ends with what there is; a thread that does not is ended. */
  timeoutMs?: number;
  /** Threads at most; by default one a core, and no more than two. */
  threads?: number;
  onProgress?: OnProgress;
}

/** A group with the rules responsible on both sides. */
export interface Flip extends FlipGroup {
  /** The change that an entry of `accepted-flips.json` has to name, see `changeDigest`. */
  change: string;
  places: { old: RulePlace[]; now: RulePlace[] };
  /** The boundary's rules that are not the same on both sides; none where only the data differ. */
  changed: { old: RulePlace[]; now: RulePlace[] };
}

export interface DiffResult {
  /** The widening ones are not set apart here; see `acceptance`. */
  flips: Flip[];
  boundaries: BoundaryCoverage[];
  evidence?: EvidenceCoverage;
}

const THREADS_MAX = 2;
/** How long a thread has beyond its time, to start and to end by itself. */
const GRACE_MS = 15_000;

/** Compares both sides over generated inputs, and over evidence where there is some. */
export async function diff(old: Side, now: Side, options: DiffOptions): Promise<DiffResult> {
  const shipped = await policySources([]);
  const schemas = { ...shipped.schemas, ...old.schemas, ...now.schemas };
  const rules = { old: await rulesOf(old), now: await rulesOf(now) };
  const plan = planOf(old, now, rules, schemas, options);
  const parts = await Promise.all(shares(plan, options).map((part) => inWorker(part, options)));
  const known = Object.keys(schemas);
  const changeAt = (boundary: string) => {
    const at = (list: RuleFacts[]) => list.filter((rule) => mayDecide(rule, boundary, known));
    const before = { rules: at(editedRules(rules.old, rules.now)), data: old.data, wasm: old.wasm };
    const after = { rules: at(editedRules(rules.now, rules.old)), data: now.data, wasm: now.wasm };
    return changeDigest(before, after);
  };
  const flips = new Flips();
  for (const { flips: found } of parts) for (const group of found) flips.add(group);
  return {
    flips: [...flips.groups.values()]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((group) => ({
        ...group,
        change: changeAt(group.boundary),
        places: {
          old: placesOf(rules.old, group.boundary, group.from),
          now: placesOf(rules.now, group.boundary, group.to),
        },
        changed: {
          old: shownPlaces(editedRules(ofBoundary(rules.old, group.boundary), rules.now)),
          now: shownPlaces(editedRules(ofBoundary(rules.now, group.boundary), rules.old)),
        },
      })),
    boundaries: parts
      .flatMap((part) => part.boundaries)
      .sort((a, b) => (a.boundary < b.boundary ? -1 : 1)),
    evidence: parts.find((part) => part.evidence)?.evidence,
  };
}

/** A boundary's own rules, and those of no boundary, which any of them may refer to. */
function mayDecide(rule: RuleFacts, boundary: string, known: readonly string[]): boolean {
  const [, name = ''] = rule.package.split('.');
  return name === boundary || !known.includes(name);
}

function ofBoundary(rules: readonly RuleFacts[], boundary: string): RuleFacts[] {
  return rules.filter((each) => `${each.package}.`.startsWith(`platform.${boundary}.`));
}

async function rulesOf({ files }: Side): Promise<RuleFacts[]> {
  return readRules((await RegoCompiler.load()).parse({ files }).modules);
}

function planOf(
  old: Side,
  now: Side,
  { old: oldRules, now: newRules }: Record<'old' | 'now', readonly RuleFacts[]>,
  schemas: Record<string, JsonValue>,
  options: DiffOptions,
): ComparePlan {
  const { count, seed, timeoutMs, evidence } = options;
  const deadline = timeoutMs === undefined ? undefined : Date.now() + timeoutMs;
  const known = Object.keys(schemas).sort();
  const unknown = options.boundaries?.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new PlatformError('configuration_invalid', `there is no boundary ${unknown}`, {
      hint: `the boundaries are ${known.join(', ')}`,
    });
  }
  const names = options.boundaries ?? known;
  const reads = bothRead(old, now);
  const isSameData = canonical(old.data) === canonical(now.data);
  const affected =
    options.onlyAffected && isSameData
      ? affectedBoundaries(
          { files: old.files, rules: oldRules },
          { files: now.files, rules: newRules },
          names,
        )
      : names;
  const edited = [...editedRules(oldRules, newRules), ...editedRules(newRules, oldRules)];
  const boundaries = affected.map((boundary): BoundaryPlan => {
    const here = (rule: RuleFacts) => mayDecide(rule, boundary, known);
    return {
      ...{ boundary, count, seed, data: [old.data, now.data] },
      rules: [...oldRules, ...newRules].filter(here),
      edited: edited.filter(here),
      schema: schemas[boundary] as JsonObject,
      tenants: editedTenants(oldRules, newRules, boundary),
      reads: reads[`platform/${boundary}/decision`],
    };
  });
  return {
    ...{ old: decidingOf(old), now: decidingOf(now), boundaries, deadline },
    ...(evidence && { evidence: { ...evidence, reads, boundaries: names } }),
  };
}

/** What either side reads; an entrypoint is left out where one side's reads are not known. */
function bothRead(old: Side, now: Side): Record<string, string[]> {
  const both: Record<string, string[]> = {};
  for (const [entrypoint, pointers] of Object.entries(old.reads ?? {})) {
    const others = now.reads?.[entrypoint];
    if (others !== undefined) both[entrypoint] = [...new Set([...pointers, ...others])];
  }
  return both;
}

/** Evidence goes with the fewer boundaries. */
function shares(plan: ComparePlan, { threads }: DiffOptions): ComparePlan[] {
  const count = Math.min(threads ?? Math.min(availableParallelism(), THREADS_MAX), THREADS_MAX);
  const { evidence, boundaries, ...sides } = plan;
  const parts = Array.from({ length: count }, (_, thread) => ({
    ...sides,
    boundaries: boundaries.filter((_, at) => at % count === thread),
    ...(evidence && thread === count - 1 ? { evidence } : {}),
  }));
  return parts.filter((part) => part.boundaries.length > 0 || 'evidence' in part);
}

function inWorker(part: ComparePlan, { timeoutMs, onProgress }: DiffOptions): Promise<Compared> {
  const url = new URL('./compare-worker.ts', import.meta.url);
  const worker = new Worker(url, { workerData: part });
  return new Promise<Compared>((resolve, reject) => {
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            reject(new ModuleError('module_trapped', `a policy ran for over ${timeoutMs} ms`));
            void worker.terminate();
          }, timeoutMs + GRACE_MS);
    worker.on('message', (message: CompareMessage) => {
      if ('progress' in message) onProgress?.(message.progress);
      else if ('compared' in message) resolve(message.compared);
      else {
        const { code, message: text, hint } = message.failure;
        reject(new PlatformError(code, text, { hint }));
      }
    });
    worker.once('error', reject);
    worker.once('exit', () => {
      clearTimeout(timer);
      reject(new ModuleError('module_trapped', 'the comparison gave no answer'));
    });
  });
}
