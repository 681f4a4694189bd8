// Shows that every input that is no case is refused, by splitting the inputs until each part is decided.
import type { Abstract } from './abstract.ts';
import { type Budget, Evaluator, TooMuch } from './evaluator.ts';
import type { Node, Rule } from './program.ts';
import type { Result } from './rules.ts';
import { Combination, type Trace, type Wanted } from './state.ts';
import { textOf, type Value } from './values.ts';

/** One case: JSON Pointer to constant. */
export type Case = ReadonlyMap<string, Value>;

export interface Claim {
  program: Node;
  data: Value;
  rule: Rule;
  /** The pointers of all cases, and by the texts of their values the cases. */
  pointers: readonly string[];
  cases: ReadonlySet<string>;
  /** Values that the cases name, by pointer. */
  values: ReadonlyMap<string, ReadonlyMap<string, Value>>;
  /** The claim speaks of inputs that have, at each of these pointers, one of its constants. */
  only: ReadonlyMap<string, readonly Value[]>;
  /** With it the claim is that every allow lists this control. */
  control?: string;
}

/** A combination of which the claim could not be shown. */
export interface Gap {
  combination: Combination;
  /** Surely allowed, which makes the claim wrong; otherwise only not shown. */
  certain: boolean;
  trace?: Trace;
  /** The work was more than the checker does. */
  tooMuch?: boolean;
}

/** Beside the cases, which need no work. */
const COMBINATIONS_MAX = 60_000;
const STEPS_MAX = 100_000_000;
const GAPS_MAX = 5;
/** How many parts of the input beside those of the cases may be told apart at once. */
const DEPTH_MAX = 32;

/** The text by which a case is found. */
export function keyOf(values: readonly Value[]): string {
  return values.map(textOf).join('\n');
}

/** Looks at every combination; `combinations` counts those that were decided. */
export function findGaps(claim: Claim): { gaps: Gap[]; combinations: number } {
  const budget: Budget = { steps: STEPS_MAX };
  const evaluator = new Evaluator(claim.program, claim.data, new Combination(), budget);
  const gaps: Gap[] = [];
  let combinations = 0;
  let evaluated = 0;
  const open = combinationsOf(claim.only);
  try {
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      combinations++;
      if (isCase(claim, next)) continue;
      if (++evaluated > COMBINATIONS_MAX) throw new TooMuch();
      const { result, trace } = evaluator.evaluate(claim.rule, next);
      if (isRefused(result, claim.control)) continue;
      const split = splitOf(claim, next, trace);
      if (split !== undefined) {
        combinations--;
        open.push(...next.split(...split));
        continue;
      }
      const certain = next.isOfInputs() && isAllowed(result, claim.control);
      gaps.push({ combination: next, certain, trace });
      if (gaps.length >= GAPS_MAX) break;
    }
  } catch (error) {
    if (!(error instanceof TooMuch) && !(error instanceof RangeError)) throw error;
    gaps.push({ combination: new Combination(), certain: false, tooMuch: true });
  }
  return { gaps, combinations };
}

/** Every choice of one constant for each pointer. */
function combinationsOf(only: Claim['only']): Combination[] {
  return [...only].reduce(
    (all, [pointer, values]) =>
      all.flatMap((one) => values.map((value) => one.with(pointer, { kind: 'is', value }))),
    [new Combination()],
  );
}

function isCase({ pointers, cases }: Claim, { assumed }: Combination): boolean {
  if (cases.size === 0) return false;
  const values: Value[] = [];
  for (const pointer of pointers) {
    const what = assumed.get(pointer);
    if (what?.kind !== 'is') return false;
    values.push(what.value);
  }
  return cases.has(keyOf(values));
}

/** No value that the decision may have allows (or lacks the control). */
function isRefused({ values }: Result, control: string | undefined): boolean {
  return values.every(({ value }) => {
    const allow = memberOf(value, 'allow');
    const refused = allow === undefined || (allow.kind === 'known' && allow.value !== true);
    return refused || (control !== undefined && lists(memberOf(value, 'controls'), control));
  });
}

function isAllowed({ values }: Result, control: string | undefined): boolean {
  return values.some(({ value, sure }) => {
    const allow = memberOf(value, 'allow');
    const allowed = allow?.kind === 'known' && allow.value === true;
    if (!sure || !allowed) return false;
    return control === undefined || memberOf(value, 'controls')?.kind === 'known';
  });
}

function memberOf(value: Abstract, name: string): Abstract | undefined {
  if (value.kind === 'object') return value.members.get(name);
  if (value.kind === 'known') {
    if (!(value.value instanceof Map)) return undefined;
    const member = value.value.get(name) as Value | undefined;
    return member === undefined ? undefined : { kind: 'known', value: member };
  }
  return value.kind === 'any' || value.kind === 'input' ? { kind: 'any' } : undefined;
}

function lists(controls: Abstract | undefined, control: string): boolean {
  const is = (value: Abstract) => value.kind === 'known' && value.value === control;
  if (controls?.kind === 'known') {
    return Array.isArray(controls.value) && controls.value.includes(control);
  }
  if (controls?.kind === 'array') return controls.items.some(is);
  if (controls?.kind !== 'many' || controls.of !== 'array') return false;
  return controls.items.some(({ value, sure }) => sure && is(value));
}

/** The part of the input to tell apart next: of the cases first, then whatever was asked for. */
function splitOf(
  claim: Claim,
  combination: Combination,
  trace: Trace,
): [string, Wanted] | undefined {
  for (const pointer of claim.pointers) {
    if (combination.assumed.get(pointer)?.kind === 'is') continue;
    const wanted = trace.wanted.get(pointer) ?? { values: new Map(), missing: false };
    const values = new Map([...(claim.values.get(pointer) ?? []), ...wanted.values]);
    const split = useful(combination, pointer, { values, missing: wanted.missing });
    if (split !== undefined) return split;
  }
  if (combination.assumed.size >= claim.pointers.length + DEPTH_MAX) return undefined;
  const splits = [...trace.wanted]
    .filter(([pointer]) => !claim.pointers.includes(pointer))
    .map(([pointer, wanted]) => useful(combination, pointer, wanted))
    .filter((split) => split !== undefined);
  // Which grants hold says which controls there are; who is allowed, the input says better.
  const isCondition = ([pointer]: [string, Wanted]) => pointer.startsWith('#');
  const isGrant = ([pointer]: [string, Wanted]) => pointer.startsWith('#grants:');
  const ranked = [
    claim.control === undefined ? undefined : splits.find(isGrant),
    splits.find((split) => !isCondition(split) && split[1].values.size > 0),
    splits.find((split) => !isCondition(split)),
    splits[0],
  ];
  return ranked.find((split) => split !== undefined);
}

function useful(
  { assumed }: Combination,
  pointer: string,
  { values, missing }: Wanted,
): [string, Wanted] | undefined {
  const before = assumed.get(pointer);
  if (before !== undefined && before.kind !== 'not') return undefined;
  const left = new Map([...values].filter(([text]) => !before?.values.has(text)));
  const askMissing = missing && before?.present !== true;
  return left.size > 0 || askMissing ? [pointer, { values: left, missing: askMissing }] : undefined;
}
