// Proves a sentence about a policy and its data, or refutes it with an input, or says what stops it.
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import { type Ask, findInput } from './counterexample.ts';
import { Evaluation, type Stop, type Subject, TooMuch } from './evaluate.ts';
import { constantsOf, explore, type Leaf, mayAllow, mayLack } from './explore.ts';
import { kindOf } from './policy.ts';
import type { Property } from './property.ts';
import { type Candidate, type Question, questionOf } from './question.ts';
import type { Value } from './values.ts';

export interface Proving {
  property: Property;
  subject: Subject;
  /** The compiled module, asked at the property's boundary. */
  ask: Ask;
  /** JSON Schema of the boundary's input. */
  schema: JsonValue | undefined;
  /** Every text that the policy's sources mention. */
  mentioned: ReadonlySet<string>;
  progress?: (evaluations: number) => void;
}

export type Case = { when: Record<string, JsonValue> };

export type Proof = { evaluations: number } & (
  | {
      verdict: 'proved';
      /** Every allowed input that the sentence is about agrees with one; absent where they are not finite. */
      cases?: Case[];
      /** What an input has that the cases speak of. */
      scope?: Record<string, JsonValue>;
      stops: Stop[];
    }
  | {
      verdict: 'refuted';
      /** Inputs that the compiled module allows: one, or two that together contradict the sentence. */
      inputs: JsonObject[];
    }
  | { verdict: 'unknown'; stops: Stop[]; open: Record<string, JsonValue>[] }
);

/** How many findings are searched for an input before the prover gives up on one. */
const CANDIDATES_MAX = 200;
const CASES_MAX = 20_000;

/** @throws InputError `input_invalid` for a name or boundary that is not there */
export function prove(proving: Proving): Proof {
  const { property, subject } = proving;
  const question = questionOf(property, subject.data, proving.mentioned);
  try {
    return property.kind === 'carries_control'
      ? proveControl(proving, question, property.control)
      : proveReach(proving, question);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    const why = 'the cases multiply beyond what the prover goes through';
    return { verdict: 'unknown', stops: [{ file: '', row: 0, why }], open: [], evaluations: 0 };
  }
}

function entrypointOf(property: Property): string {
  return `platform/${property.boundary}/decision`;
}

function proveReach(proving: Proving, question: Question): Proof {
  const { property, subject, ask, schema, progress } = proving;
  const { identity } = question;
  const entrypoint = entrypointOf(property);
  const { leaves, evaluations } = explore({ subject, entrypoint, progress, ...question });
  const candidates = question.candidates(leaves);
  const unsettled = new Set<Leaf>();
  let settled = true;
  const search = ({ held, stranger }: Candidate['classes'][number]) =>
    findInput({ subject, entrypoint, ask, schema, identity, stranger }, held);
  for (const { classes, leaves: behind, sample } of candidates.slice(0, CANDIDATES_MAX)) {
    const found = classes.map(search);
    const inputs = found.flatMap(({ input }) => (input === undefined ? [] : [input]));
    if (inputs.length === classes.length) return { verdict: 'refuted', inputs, evaluations };
    const whole =
      sample === true
        ? behind.map(({ held }, index) => search({ ...classes[index]!, held }))
        : found;
    if (whole.some(({ exhausted }) => exhausted)) continue;
    settled = false;
    for (const leaf of behind) unsettled.add(leaf);
  }
  if (!settled || candidates.length > CANDIDATES_MAX) {
    const open = [...unsettled].map(({ held }) => describeHeld(held));
    return { verdict: 'unknown', stops: stopsOf([...unsettled]), open, evaluations };
  }
  const cover = candidates.length > 0 ? undefined : coverOf(proving, question, leaves);
  return { verdict: 'proved', ...cover, stops: stopsOf(leaves), evaluations };
}

/**
 * Every pair of identity and object that may be allowed, where these are finite and not too many; else
 * those of the one object that the sentence names, if they are.
 */
function coverOf(
  { property, subject, progress }: Proving,
  question: Question,
  leaves: Leaf[],
): { cases?: Case[]; scope?: Record<string, JsonValue> } {
  const { identity, object, counts, listed } = question;
  const pairs = [identity, object!];
  const full = explore({
    subject,
    entrypoint: entrypointOf(property),
    scope: counts,
    split: pairs,
    listed,
    progress,
    leavesMax: CASES_MAX,
  });
  // What was explored for a pair of agents speaks of no other identity, which a scope cannot say.
  const ofOne = property.kind === 'tenant_only' || property.kind === 'only_scope';
  for (const [found, scope] of [
    [full.leaves, counts],
    ...(ofOne ? [[leaves, question.scope] as const] : []),
  ] as const) {
    if (found.length > CASES_MAX) continue;
    const cases = found.map(({ held }) => constantsOf(held, pairs));
    if (cases.some((when) => when === undefined)) continue;
    return {
      cases: cases.map((when) => ({ when: when! })),
      scope: constantsOf(scope, [...scope.keys()])!,
    };
  }
  return {};
}

/**
 * Looks at each set of rules without which nothing is allowed: it has an element whenever something is,
 * so it is enough that the control is there whichever of its rules gave the element.
 */
function proveControl(proving: Proving, question: Question, control: string): Proof {
  const { property, subject, ask, schema } = proving;
  const entrypoint = entrypointOf(property);
  const lacks = mayLack(control);
  const nothing = new Map();
  const may = (evaluation: Evaluation, wanted: (value: Value) => boolean) =>
    evaluation.values(entrypoint).some(({ value }) => wanted(value));
  const first = new Evaluation(subject, nothing);
  let evaluations = 1;
  const proved: Proof = {
    verdict: 'proved',
    cases: [{ when: {} }],
    scope: {},
    stops: [],
    evaluations,
  };
  if (!may(first, lacks)) return proved;
  for (const set of first.openSets()) {
    evaluations += 1 + set.rules.length;
    if (set.rules.some((rule) => kindOf(rule) !== 'set')) continue;
    if (may(new Evaluation(subject, nothing, { set, rule: undefined }), mayAllow)) continue;
    const each = set.rules.map((rule) => new Evaluation(subject, nothing, { set, rule }));
    if (each.every((evaluation) => !may(evaluation, lacks))) return { ...proved, evaluations };
  }
  const confirms = (output: JsonValue) =>
    isJsonObject(output) &&
    output.allow === true &&
    !(Array.isArray(output.controls) && output.controls.includes(control));
  const stranger = 'spiffe://platform.local/agent/stranger/stranger/main';
  const { identity } = question;
  const searching = {
    subject,
    entrypoint,
    ask,
    schema,
    identity,
    stranger,
    wanted: lacks,
    confirms,
  };
  const { input } = findInput(searching, nothing);
  if (input !== undefined) return { verdict: 'refuted', inputs: [input], evaluations };
  return { verdict: 'unknown', stops: [...first.stops.values()], open: [], evaluations };
}

function stopsOf(leaves: Leaf[]): Stop[] {
  const stops = new Map<string, Stop>();
  for (const stop of leaves.flatMap((leaf) => leaf.stops)) {
    stops.set(`${stop.file}:${stop.row}:${stop.why}`, stop);
  }
  return [...stops.values()];
}

function describeHeld(held: Leaf['held']): Record<string, JsonValue> {
  return Object.fromEntries(
    [...held].map(([pointer, what]) => [pointer, 'is' in what ? what.is : '(any other)']),
  );
}
