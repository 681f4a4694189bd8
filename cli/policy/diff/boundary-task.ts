// Compares both policies at one boundary over generated inputs.
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import type { Record as RecordModule } from '../../../runtime/modules/record.ts';
import type { Comparison } from './comparison.ts';
import { madeOf } from './elements.ts';
import { Random } from './random.ts';
import { search } from './search.ts';
import type { Observation } from './seeds.ts';
import { isSettable, type Slot, slotsOf } from './slots.ts';
import type { Path, RuleFacts } from './syntax.ts';
import { pairsOf, templatesOf, Vocabulary } from './vocabulary.ts';

export interface BoundaryPlan {
  boundary: string;
  schema: JsonObject;
  /** Rules of both sides that may decide here. */
  rules: readonly RuleFacts[];
  /** Those of them that the other side has not, or has otherwise. */
  edited: readonly RuleFacts[];
  data: readonly [JsonObject, JsonObject];
  /** Tenants whose own policies differ. */
  tenants: readonly string[];
  /** JSON Pointers that either side reads here; undefined: any. */
  reads: readonly string[] | undefined;
  count: number;
  seed: string;
  /** Milliseconds since 1970 at which to stop with what there is. */
  deadline?: number;
}

export interface BoundaryCoverage {
  boundary: string;
  /** How many different inputs both policies were asked. */
  inputs: number;
  allowedOld: number;
  allowedNew: number;
  /** Stopped by the deadline. */
  isCut: boolean;
}

const DEADLINE_EVERY = 64;

/** Asks both sides `count` generated inputs; flips go to the comparison. */
export function compareBoundary(
  plan: BoundaryPlan,
  comparison: Comparison,
  record: RecordModule,
): BoundaryCoverage {
  const { boundary, rules, data, tenants } = plan;
  const read = rules.flatMap((rule) => rule.paths);
  const slots = slotsOf(plan.schema, read).filter((slot) => isRead(slot, plan.reads));
  const vocabulary = new Vocabulary({ rules, data, tenants });
  const coverage = { boundary, inputs: 0, allowedOld: 0, allowedNew: 0, isCut: false };
  const seen = new Map<string, Observation>();
  let asked = 0;
  const probe = (input: JsonValue): Observation | undefined => {
    if (asked++ % DEADLINE_EVERY === 0 && Date.now() > (plan.deadline ?? Infinity)) {
      coverage.isCut = true;
      return undefined;
    }
    const canonical = record.canonicalizeValue(input);
    const key = Buffer.from(record.sha256(canonical).subarray(0, 8)).toString('latin1');
    const known = seen.get(key);
    if (known !== undefined) return known;
    const { old, now } = comparison.generated(boundary, canonical);
    coverage.inputs++;
    if (old.allow) coverage.allowedOld++;
    if (now.allow) coverage.allowedNew++;
    const allowed = old.allow || now.allow || old.asks || now.asks;
    const observed = { signature: `${old.rule} ${now.rule}`, allowed };
    seen.set(key, observed);
    return observed;
  };
  const random = new Random(`${plan.seed} ${boundary}`);
  const [templates, edited] = [templatesOf(rules), templatesOf(rules, plan.edited)];
  const pairs = pairsOf(rules);
  const ties = rules.flatMap((rule) => rule.ties).filter((tie) => tie.every(isSettable));
  const made = madeOf(rules, plan.edited);
  search({ vocabulary, slots, templates, edited, made, pairs, ties, random, probe }, plan.count);
  const canonicalOf = (input: JsonValue) => record.canonicalizeValue(input);
  comparison.shrink(boundary, slots, canonicalOf, plan.deadline);
  return coverage;
}

/** What neither policy can see is not varied. */
function isRead({ path }: Slot, reads: readonly Path[number][] | undefined): boolean {
  if (reads === undefined) return true;
  const own = `${pointerOf(path)}/`;
  return reads.some((pointer) => `${pointer}/`.startsWith(own) || own.startsWith(`${pointer}/`));
}

function pointerOf(path: Path): string {
  return path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
