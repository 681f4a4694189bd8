// Runs the tasks of a comparison in this thread, one after the other.
import type { JsonObject } from '../../../runtime/json.ts';
import { Record as RecordModule } from '../../../runtime/modules/record.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import { type BoundaryCoverage, type BoundaryPlan, compareBoundary } from './boundary-task.ts';
import { Comparison } from './comparison.ts';
import { compareEvidence, type EvidenceCoverage, type EvidencePlan } from './evidence-task.ts';
import type { FlipGroup } from './flips.ts';
import type { Deciding } from './judge.ts';
import type { Side } from './side.ts';

/** All of it can be sent to a worker. */
export interface ComparePlan {
  old: Deciding;
  now: Deciding;
  boundaries: BoundaryPlan[];
  evidence?: EvidencePlan;
  /** Milliseconds since 1970 at which to stop with what there is. */
  deadline?: number;
}

export interface Compared {
  flips: FlipGroup[];
  boundaries: BoundaryCoverage[];
  evidence?: EvidenceCoverage;
}

/** Of the time there is, for evidence, which is compared first. */
const EVIDENCE_SHARE = 1 / 3;

/** Told after each task, and now and then within the one over evidence. */
export type OnProgress = (what: string) => void;

/** What a side decides with. */
export function decidingOf({ wasm, decisions, reads, data }: Side): Deciding {
  return { wasm, decisions, reads, data: Buffer.from(JSON.stringify(data satisfies JsonObject)) };
}

/** Compares; throws only where a policy cannot be run at all or evidence cannot be read. */
export async function compare(plan: ComparePlan, onProgress: OnProgress): Promise<Compared> {
  const comparison = new Comparison(plan.old, plan.now);
  const record = RecordModule.create(moduleBytes('record'));
  const compared: Compared = { flips: [], boundaries: [] };
  if (plan.evidence !== undefined) {
    const evidence = { ...plan.evidence, deadline: shareOf(plan, EVIDENCE_SHARE) };
    compared.evidence = await compareEvidence(evidence, comparison, record, (rows) =>
      onProgress(`${rows} rows of evidence`),
    );
    onProgress(`${compared.evidence.asked} recorded decisions`);
  }
  for (const [at, boundary] of plan.boundaries.entries()) {
    const deadline = shareOf(plan, 1 / (plan.boundaries.length - at));
    const coverage = compareBoundary({ ...boundary, deadline }, comparison, record);
    compared.boundaries.push(coverage);
    onProgress(`${boundary.boundary}: ${coverage.inputs} inputs`);
  }
  compared.flips = [...comparison.flips.groups.values()];
  return compared;
}

/** When that share of the time left is over, so that what comes first leaves some to what comes last. */
function shareOf({ deadline }: ComparePlan, share: number): number | undefined {
  return deadline === undefined ? undefined : Date.now() + (deadline - Date.now()) * share;
}
