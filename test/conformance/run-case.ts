// Runs one of OPA's conformance cases through our compiler and compares it with what OPA expects, exactly.
import type { RegoCompiler } from '../../runtime/modules/rego.ts';
import type { NamedCase } from './cases.ts';
import { type Outcome, PlanUnderTest } from './engine.ts';
import { compareExact, type Exact, parseExact, withoutSets } from './exact.ts';
import { NONDETERMINISTIC } from './portable.ts';

export interface Verdict {
  case: string;
  folder: string;
  passed: boolean;
  /** Whether our compiler took the plan: what it does not take, OPA's own Wasm evaluates. */
  compiled: boolean;
  /** Whether the plan is one that OPA optimised. */
  optimised: boolean;
  /** Built-ins of the case that do not answer the same everywhere and always. */
  nondeterministic: string[];
  reason?: string;
}

export interface CaseTools {
  compiler: RegoCompiler;
  /** Bytes of wasm/build/engine.wasm. */
  engine: Uint8Array;
  /** OPA's level of partial evaluation, for cases that ask for one rule. */
  optimize: 0 | 1 | 2;
}

/** The sleep of OPA's own tests, which shows that time passes. */
const SLEEP = 'test.sleep';
const outside = [...NONDETERMINISTIC, SLEEP];

/** The verdict on one case; never throws. */
export async function runCase(one: NamedCase, tools: CaseTools): Promise<Verdict> {
  const verdict: Verdict = {
    case: one.name,
    folder: one.folder,
    passed: false,
    compiled: false,
    optimised: false,
    nondeterministic: [],
  };
  try {
    const planned = planOf(one, tools);
    if (typeof planned === 'string') {
      const nondeterministic = outside.filter((name) => planned.endsWith(` ${name}`));
      return { ...verdict, nondeterministic, reason: planned };
    }
    verdict.nondeterministic = planned.builtins.filter((name) => outside.includes(name));
    const options = { strict: one.strict === true, bindings: planned.binding === undefined };
    const plan = await PlanUnderTest.compile(planned.plan, tools.engine, one.data ?? '{}', options);
    if (Array.isArray(plan)) return { ...verdict, reason: `does not compile: ${plan.join(', ')}` };
    verdict.compiled = true;
    verdict.optimised = planned.binding !== undefined;
    const reason = difference(one, plan.evaluate(one.input), planned.binding);
    return { ...verdict, passed: reason === undefined, reason };
  } catch (error) {
    return { ...verdict, reason: `fails: ${(error as Error).message.split('\n')[0]}` };
  }
}

interface Planned {
  plan: unknown;
  builtins: string[];
  /** The variable that stands for the value of an optimised entrypoint. */
  binding?: string;
}

/** A query of one rule, which OPA can optimise as an entrypoint. */
const RULE_QUERY = /^data((?:\.[a-z_][a-z0-9_]*)+) = ([a-z]+)$/;

/** What our policies may not use, the cases may: all that OPA has. */
const capabilities = undefined as never;

/** The plan of the case's query, or why OPA does not plan it. */
function planOf(one: NamedCase, { compiler, optimize }: CaseTools): Planned | string {
  const files = (one.modules ?? []).map((content, i) => ({ path: `test-${i}.rego`, content }));
  const match = optimize === 0 ? null : RULE_QUERY.exec(one.query);
  if (match !== null && isLossless(one.data)) {
    const [, path, binding] = match;
    const entrypoints = [path!.slice(1).replaceAll('.', '/')];
    const answer = compiler.plan({
      files,
      capabilities,
      lenient: true,
      data: JSON.parse(one.data ?? '{}'),
      optimize,
      entrypoints,
      roots: [''],
    });
    if (answer.ok) return { plan: answer.plan, builtins: builtinsOf(answer.plan), binding };
  }
  const answer = compiler.plan({ files, capabilities, lenient: true, query: one.query });
  if (!answer.ok) return `OPA does not plan it: ${answer.errors[0]?.message}`;
  return { plan: answer.plan, builtins: builtinsOf(answer.plan) };
}

/** Whether the request to the compiler, which holds JavaScript's numbers, keeps every digit. */
function isLossless(text = '{}'): boolean {
  const again = JSON.stringify(JSON.parse(text));
  return compareExact(parseExact(text, false), parseExact(again, false)) === 0;
}

function builtinsOf(plan: unknown): string[] {
  const { static: fixed } = plan as { static?: { builtin_funcs?: { name: string }[] } };
  return (fixed?.builtin_funcs ?? []).map(({ name }) => name);
}

/** What differs from OPA's expectation, if anything does. */
function difference(one: NamedCase, outcome: Outcome, binding?: string): string | undefined {
  const code = one.errorCode ?? /eval_\w+_error/.exec(one.error ?? '')?.[0];
  if ('code' in outcome) {
    if (code === undefined) return `ends with ${outcome.code}`;
    return code === outcome.code ? undefined : `ends with ${outcome.code} instead of ${code}`;
  }
  const got = resultsOf(one, outcome.text, binding);
  if (code !== undefined) return `ends without ${code}: ${shown(got)}`;
  const expected = { set: (parseExact(one.results!, false) as Exact[]).sort(compareExact) };
  const isEqual = compareExact(withoutRepeats(expected), got) === 0;
  return isEqual ? undefined : `${shown(got)} instead of ${shown(expected)}`;
}

/** The bindings of every result, each set in them as an array, as OPA's own test compares them. */
function resultsOf(one: NamedCase, text: string | undefined, binding?: string): { set: Exact[] } {
  if (text === undefined) return { set: [] };
  const parsed = parseExact(text, true);
  const rows =
    binding === undefined
      ? (parsed as { set: Exact[] }).set
      : [{ object: new Map([[binding, parsed]]) }];
  const plain = rows.map((row) => {
    const { object } = withoutSets(row) as { object: Map<string, Exact> };
    const kept = [...object].filter(
      ([name]) => !one.ignoreGeneratedVars || !name.startsWith('__localq'),
    );
    if (one.sortBindings) for (const [, value] of kept) (value as Exact[]).sort(compareExact);
    return { object: new Map(kept) };
  });
  return withoutRepeats({ set: plain.sort(compareExact) });
}

function withoutRepeats({ set }: { set: Exact[] }): { set: Exact[] } {
  return { set: set.filter((each, i) => i === 0 || compareExact(set[i - 1]!, each) !== 0) };
}

function shown(value: Exact): string {
  const plain = (_key: string, each: unknown) => (each instanceof Map ? [...each] : each);
  return JSON.stringify(value, plain).slice(0, 300);
}
