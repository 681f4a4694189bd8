// One random policy: what our compiled module answers for random inputs against what OPA's interpreter does.
import type { JsonObject } from '../../runtime/json.ts';
import type { RegoCompiler } from '../../runtime/modules/rego.ts';
import { type Outcome, PlanUnderTest } from '../conformance/engine.ts';
import {
  compareExact,
  type Exact,
  ExactNumber,
  exactOfMarked,
  parseExact,
} from '../conformance/exact.ts';
import { coverOf } from './cover.ts';
import { randomData, randomInput } from './documents.ts';
import { randomPolicy } from './policy.ts';
import { Random } from './random.ts';

/** The first input of a policy that is answered in two ways. */
export interface Difference {
  seed: number;
  modules: string[];
  data: string;
  input: string;
  expected: string;
  got: string;
}

export interface Comparison {
  /** A policy that OPA's type checker refuses is not compared. */
  refused?: string;
  /** What our compiler does not take. */
  unsupported?: string[];
  /** Whether the decision was also compared as OPA's optimiser leaves it. */
  optimised: boolean;
  inputs: number;
  allowed: number;
  denied: number;
  cover: Record<string, number>;
  difference?: Difference;
}

export interface CompareTools {
  compiler: RegoCompiler;
  engine: Uint8Array;
}

// All that OPA has: what our own policies may not use is compared as well.
const capabilities = undefined as never;

/** Compares `count` inputs to the policy of this seed, unoptimised and, for its decision, optimised. */
export async function comparePolicy(
  seed: number,
  count: number,
  { compiler, engine }: CompareTools,
): Promise<Comparison> {
  const of = new Random(seed);
  const modules = randomPolicy(of);
  const data = randomData(of) as JsonObject;
  const inputs = Array.from({ length: count }, () => JSON.stringify(randomInput(of)));
  const files = modules.map((content, i) => ({ path: `gen-${i}.rego`, content }));
  const sources = { files, capabilities, lenient: true };
  const comparison: Comparison = {
    optimised: false,
    inputs: 0,
    allowed: 0,
    denied: 0,
    cover: {},
  };
  const planned = compiler.plan({ ...sources, query: 'data.gen = x' });
  if (!planned.ok) return { ...comparison, refused: planned.errors[0]?.message };
  coverOf(planned.plan, comparison.cover);
  const entrypoint = compiler.plan({
    ...sources,
    data,
    entrypoints: ['gen/allow'],
    roots: [''],
    optimize: seed % 2 === 0 ? 1 : 2,
  });
  const text = JSON.stringify(data);
  const whole = await PlanUnderTest.compile(planned.plan, engine, text, { bindings: true });
  if (Array.isArray(whole)) return { ...comparison, unsupported: whole };
  // Now and then OPA refuses with its own type checker what its own optimiser made.
  const decision = entrypoint.ok
    ? await PlanUnderTest.compile(entrypoint.plan, engine, text, {})
    : undefined;
  if (Array.isArray(decision)) return { ...comparison, unsupported: decision };
  comparison.optimised = decision !== undefined;
  const { replies } = compiler.answers({ ...sources, query: 'data.gen = x', inputs, data });
  for (const [i, reply] of replies.entries()) {
    const input = inputs[i]!;
    const expected = expectedOf(reply);
    const allow = allowOf(expected);
    comparison.inputs += 1;
    if (allow) comparison.allowed += 1;
    else comparison.denied += 1;
    const bad =
      differing(expected, gotOf(whole.evaluate(input), true)) ??
      (decision === undefined || !('value' in expected)
        ? undefined
        : differing({ value: allow }, gotOf(decision.evaluate(input), false)));
    if (bad === undefined) continue;
    const shown = { expected: show(bad.expected), got: show(bad.got) };
    comparison.difference = { seed, modules, data: text, input, ...shown };
    break;
  }
  return comparison;
}

/** A value, nothing, or the code of an error. */
interface Answer {
  value?: Exact;
  code?: string;
}

function expectedOf(reply: { results?: unknown; code?: string }): Answer {
  if (reply.code !== undefined) return { code: reply.code };
  const [row] = reply.results as { bindings: Record<string, unknown> }[];
  return row === undefined ? {} : { value: exactOfMarked(row.bindings.x) };
}

function gotOf(outcome: Outcome, isQuery: boolean): Answer {
  if ('code' in outcome) return { code: outcome.code };
  if (outcome.text === undefined) return {};
  const value = parseExact(outcome.text, true);
  if (!isQuery) return { value };
  const [row] = (value as { set: { object: Map<string, Exact> }[] }).set;
  return row === undefined ? {} : { value: row.object.get('x')! };
}

function allowOf({ value }: Answer): boolean {
  return (value as { object: Map<string, Exact> } | undefined)?.object.get('allow') === true;
}

function differing(expected: Answer, got: Answer): { expected: Answer; got: Answer } | undefined {
  const isSame =
    expected.value === undefined || got.value === undefined
      ? expected.value === got.value && expected.code === got.code
      : compareExact(expected.value, got.value) === 0;
  return isSame ? undefined : { expected, got };
}

/** As JSON with every number as its text; sets and objects are marked by `set` and `object`. */
function show(answer: Answer): string {
  return JSON.stringify(answer, (_key, each) => {
    if (each instanceof ExactNumber) return each.text;
    return each instanceof Map ? Object.fromEntries(each) : each;
  });
}
