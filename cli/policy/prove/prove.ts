// Proves a sentence about a policy and its data, or refutes it with an input, or says what stops it.
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import { type Ask, findInput } from './counterexample.ts';
import { constantsOf, explore, type Leaf, lookDeeper, mayAllow, mayLack } from './explore.ts';
import { type Stop, type Subject, TooMuch } from './machine.ts';
import { type Property, SentenceError } from './property.ts';
import { type Candidate, type Question, questionOf } from './question.ts';

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
      /** What an input has that the cases speak of; a list is of constants of which it has one. */
      scope?: Record<string, JsonValue>;
      stops: Stop[];
      /** What the proof rests on besides; the checker shares no assumption. */
      assumed?: string;
    }
  | {
      verdict: 'refuted';
      /** Inputs that the compiled module allows: one, or two that together contradict the sentence. */
      inputs: JsonObject[];
    }
  | { verdict: 'unknown'; stops: Stop[]; open: Record<string, JsonValue>[] }
);

/** How many inputs are tried in all, and how many findings are searched for one. */
const INPUTS_MAX = 10_000;
const CANDIDATES_MAX = 200;
const CASES_MAX = 20_000;

/** @throws SentenceError `input_invalid` for a name or boundary that is not there */
export function prove(proving: Proving): Proof {
  const first = attempt(proving);
  if (first.verdict !== 'unknown') return first;
  const subject = { ...proving.subject, identitiesAgree: true };
  const second = attempt({ ...proving, subject });
  if (second.verdict !== 'proved') return second.verdict === 'refuted' ? second : first;
  return { ...second, assumed: IDENTITIES_AGREE };
}

const IDENTITIES_AGREE =
  'trust_domain, tenant, agent and role beside a SPIFFE ID in the input are those that it states';

function attempt(proving: Proving): Proof {
  const { property, subject } = proving;
  const question = questionOf(property, subject.data, proving.mentioned);
  requireDecision(subject, property.boundary);
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

/** A boundary without rules allows nothing, of which every sentence would hold. */
function requireDecision({ tree }: Subject, boundary: string): void {
  const decision = tree.children.get('platform')?.children.get(boundary)?.children.get('decision');
  if (decision === undefined) {
    throw new SentenceError('input_invalid', `the policy decides nothing at boundary ${boundary}`);
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
  const budget = { inputs: INPUTS_MAX };
  const look = lookDeeper(subject, entrypoint, mayAllow);
  const search = ({ held, stranger }: Candidate['classes'][number]) =>
    findInput({ subject, entrypoint, ask, schema, identity, stranger, budget, look }, held);
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
    scopes: counts,
    split: pairs,
    listed,
    progress,
    leavesMax: CASES_MAX,
  });
  // What was explored for a pair of agents speaks of no other identity, which a scope cannot say.
  const ofOne = property.kind === 'tenant_only' || property.kind === 'only_scope';
  for (const [found, scopes] of [
    [full.leaves, counts],
    ...(ofOne ? [[leaves, question.scopes] as const] : []),
  ] as const) {
    if (found.length > CASES_MAX) continue;
    const whens = found.map(({ held }) => constantsOf(held, pairs));
    if (whens.some((when) => when === undefined)) continue;
    // Several actions allow the same pair.
    const cases = new Map(whens.map((when) => [JSON.stringify(when), { when: when! }]));
    return { cases: [...cases.values()], scope: scopeOf(scopes) };
  }
  return {};
}

/** The constants of all alternatives by pointer: the one, or where there are several their list. */
function scopeOf(scopes: Question['scopes']): Record<string, JsonValue> {
  const constants = new Map<string, Set<JsonValue>>();
  for (const [pointer, what] of scopes.flatMap((scope) => [...scope])) {
    if (!('is' in what)) continue;
    constants.set(pointer, (constants.get(pointer) ?? new Set()).add(what.is));
  }
  return Object.fromEntries(
    [...constants].map(([pointer, all]) => [pointer, all.size === 1 ? [...all][0]! : [...all]]),
  );
}

/**
 * An allow without the control: looked for in each class of identities, then of objects. Where none can
 * be, the one case of the certificate is every input.
 */
function proveControl(proving: Proving, question: Question, control: string): Proof {
  const { property, subject, ask, schema, progress } = proving;
  const entrypoint = entrypointOf(property);
  const { identity, listed } = question;
  const look = lookDeeper(subject, entrypoint, mayLack(control));
  const split = [identity, ...(question.object === undefined ? [] : [question.object])];
  const { leaves, evaluations } = explore({
    subject,
    entrypoint,
    scopes: question.scopes,
    split,
    listed,
    look,
    progress,
  });
  const confirms = (output: JsonValue) =>
    isJsonObject(output) &&
    output.allow === true &&
    !(Array.isArray(output.controls) && output.controls.includes(control));
  const stranger = 'spiffe://platform.local/agent/stranger/stranger/main';
  const budget = { inputs: INPUTS_MAX };
  const open: Leaf[] = [];
  for (const leaf of leaves.slice(0, CANDIDATES_MAX)) {
    const beside = { identity, stranger, look, confirms, budget };
    const searching = { subject, entrypoint, ask, schema, ...beside };
    const { input, exhausted } = findInput(searching, leaf.held);
    if (input !== undefined) return { verdict: 'refuted', inputs: [input], evaluations };
    if (!exhausted) open.push(leaf);
  }
  if (open.length === 0 && leaves.length <= CANDIDATES_MAX) {
    return { verdict: 'proved', cases: [{ when: {} }], scope: {}, stops: [], evaluations };
  }
  const described = open.map(({ held }) => describeHeld(held));
  return { verdict: 'unknown', stops: stopsOf(open), open: described, evaluations };
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
