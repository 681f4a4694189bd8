// Gathers what another policy would have answered otherwise: by rules and agents, in bounded memory.
import type { RecordedDecision } from '../../../runtime/evidence/audit/recorded.ts';
import { count } from '../../../runtime/evidence/audit/tally.ts';
import { shortName } from '../../../runtime/evidence/audit/timeline.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../runtime/json.ts';
import { flipName, OTHERS } from '../../policy/diff/flips.ts';
import {
  type FlipKind,
  flipOf,
  type Verdict,
  verdictOf,
  WIDENING,
} from '../../policy/diff/judge.ts';

/** As kinds of `policy diff`; other modules than `authorization` may also change what they found. */
export type ChangeKind = FlipKind | 'output_changed';

export interface Answer {
  decision_id: string;
  allow: boolean;
  rule: string;
  obligations: JsonObject[];
}

/** One recorded decision that would be another. */
export interface Example {
  row: number;
  time: string;
  agent: string;
  before: Answer;
  after: Answer;
}

export interface AgentChanges {
  agent: string;
  count: number;
  first: Example;
  last: Example;
}

/** Every decision that one rule made and another one would make. */
export interface Change {
  name: string;
  boundary: string;
  module: string;
  kind: ChangeKind;
  widening: boolean;
  from: string;
  to: string;
  count: number;
  /** By how much, the most changed first; those beyond a bound are counted as one. */
  agents: AgentChanges[];
}

const CHANGES_MAX = 500;
const AGENTS_MAX = 200;

/** The changes of one run. */
export class Changes {
  count = 0;
  /** Codes under which the policy would have failed to answer, with how many decisions. */
  readonly failures = new Map<string, number>();
  readonly #groups = new Map<string, { change: Change; agents: Map<string, AgentChanges> }>();

  /** Compares a recorded output with the one that would have been. */
  add(
    { sequence, time, agent }: { sequence: number; time: string; agent: string },
    decision: RecordedDecision,
    after: { output: Uint8Array; id: string },
  ): void {
    const { boundary, module } = decision;
    const output = JSON.parse(Buffer.from(after.output).toString('utf8')) as JsonValue;
    const old = answerOf(decision.output, module);
    const now = answerOf(output, module);
    const failed = failureIn(output);
    if (failed !== undefined) count(this.failures, failed);
    const isOther = Buffer.compare(decision.outputBytes, after.output) !== 0;
    const kind: ChangeKind | undefined =
      flipOf(old, now) ?? (isOther ? 'output_changed' : undefined);
    if (kind === undefined) return;
    this.count++;
    const example: Example = {
      ...{ row: sequence, time, agent: shortName(agent) },
      before: shown(old, decision.id),
      after: shown(now, after.id),
    };
    const [at, which, from, to] = [boundary, module, old.rule, now.rule].map(shortName);
    const of = { boundary: at!, module: which!, kind, from: from!, to: to! };
    this.#count(of, example);
  }

  /** Those that widen first, then by how many decisions they are. */
  list(): Change[] {
    return [...this.#groups.values()]
      .map(({ change, agents }) => ({
        ...change,
        agents: [...agents.values()].sort(
          (one, other) => other.count - one.count || (one.agent < other.agent ? -1 : 1),
        ),
      }))
      .sort(
        (one, other) =>
          Number(other.widening) - Number(one.widening) ||
          other.count - one.count ||
          (one.name < other.name ? -1 : 1),
      );
  }

  #count(of: Pick<Change, 'boundary' | 'module' | 'kind' | 'from' | 'to'>, example: Example): void {
    const { boundary, module, kind, from, to } = of;
    const ownName =
      module === 'authorization' && kind !== 'output_changed'
        ? flipName(boundary, kind, from, to)
        : `${boundary}:${module}:${kind}`;
    const isKnown = this.#groups.has(ownName) || this.#groups.size < CHANGES_MAX;
    const name = isKnown ? ownName : `${boundary}:${OTHERS}:${kind}`;
    let group = this.#groups.get(name);
    if (group === undefined) {
      const widening = kind !== 'output_changed' && WIDENING.has(kind);
      group = { change: { name, ...of, widening, count: 0, agents: [] }, agents: new Map() };
      this.#groups.set(name, group);
    }
    group.change.count++;
    const { agents } = group;
    const isAgent = agents.has(example.agent) || agents.size < AGENTS_MAX;
    const agent = isAgent ? example.agent : `(${OTHERS})`;
    const known = agents.get(agent);
    if (known === undefined) agents.set(agent, { agent, count: 1, first: example, last: example });
    else agents.set(agent, { ...known, count: known.count + 1, last: example });
  }
}

/** The answer as `policy diff` compares it; what failed, or has no rule, goes by its code or module. */
function answerOf(output: JsonValue, module: string): Verdict {
  if (!isJsonObject(output)) return verdictOf({ allow: false, rule: 'module_output_invalid' });
  const rule = typeof output.rule === 'string' ? output.rule : (failureIn(output) ?? module);
  return verdictOf({ ...output, rule });
}

function failureIn(output: JsonValue): string | undefined {
  if (!isJsonObject(output) || output.rule !== undefined || !isJsonObject(output.reason)) return;
  return typeof output.reason.code === 'string' ? output.reason.code : undefined;
}

function shown({ allow, rule, obligations }: Verdict, id: string): Answer {
  return { decision_id: id, allow, rule: shortName(rule), obligations };
}
