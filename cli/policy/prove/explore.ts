// Goes through all inputs, class by class: splits a class by the constants that matter to it, and
// leaves out the classes for which the answer is certain.
import type { JsonValue } from '../../../runtime/json.ts';
import { equal } from './compare.ts';
import { Evaluation } from './evaluate.ts';
import { type Assignment, type Held, type Stop, type Subject, TooMuch } from './machine.ts';
import { kindOf } from './policy.ts';
import {
  ANYTHING,
  isAbstract,
  isObject,
  keyOf,
  type Scalar,
  SetValue,
  type Value,
} from './values.ts';

/** A class of inputs for which the answer may be the one that is looked for. */
export interface Leaf {
  held: Map<string, Held>;
  stops: Stop[];
}

export interface Exploration {
  leaves: Leaf[];
  /** How many evaluations it took. */
  evaluations: number;
}

export interface Exploring {
  subject: Subject;
  /** Such as `platform/tool/decision`. */
  entrypoint: string;
  /** What every input of interest has: all of one of these. */
  scopes: readonly ReadonlyMap<string, Held>[];
  /** The pointers whose values tell the classes apart, in the order of splitting. */
  split: readonly string[];
  /** By pointer: the only constants of interest; any other value is one class beside them. */
  only?: ReadonlyMap<string, readonly Scalar[]>;
  /** By pointer: constants that are never part of the class "any other value". */
  listed?: ReadonlyMap<string, readonly Scalar[]>;
  /** Evaluates a class, and says whether it may hold what is looked for; allows, unless given. */
  look?: Look;
  /** After so many leaves, and one more, it ends. */
  leavesMax?: number;
  progress?: (evaluations: number) => void;
}

/** The evaluation of a class that may hold what is looked for; undefined when it cannot. */
export type Look = (held: Assignment) => Evaluation | undefined;

/** Looks for an output at the entrypoint. */
export function lookFor(
  subject: Subject,
  entrypoint: string,
  wanted: (output: Value) => boolean,
): Look {
  return (held) => {
    const evaluation = new Evaluation(subject, held);
    return evaluation.values(entrypoint).some(({ value }) => wanted(value))
      ? evaluation
      : undefined;
  };
}

/**
 * Looks closer: a set of rules without which nothing is allowed has an element whenever something is, so
 * what is looked for must be there with one of its rules giving that element.
 */
export function lookDeeper(
  subject: Subject,
  entrypoint: string,
  wanted: (output: Value) => boolean,
): Look {
  const look = lookFor(subject, entrypoint, wanted);
  const may = (evaluation: Evaluation, what: (output: Value) => boolean) =>
    evaluation.values(entrypoint).some(({ value }) => what(value)) && !evaluation.impossible;
  return (held) => {
    const evaluation = look(held);
    if (evaluation === undefined) return undefined;
    for (const set of evaluation.openSets()) {
      if (set.rules.some((rule) => kindOf(rule) !== 'set')) continue;
      if (may(new Evaluation(subject, held, { set, rule: undefined }), mayAllow)) continue;
      const each = set.rules.map((rule) => new Evaluation(subject, held, { set, rule }));
      if (each.every((supposed) => !may(supposed, wanted))) return undefined;
    }
    return evaluation;
  };
}

const EVALUATIONS_MAX = 200_000;

/** @throws TooMuch when the classes multiply beyond the bound */
export function explore(exploring: Exploring): Exploration {
  const { subject, entrypoint, split, only, listed, progress } = exploring;
  const look = exploring.look ?? lookFor(subject, entrypoint, mayAllow);
  const closer = exploring.look ?? lookDeeper(subject, entrypoint, mayAllow);
  const leaves: Leaf[] = [];
  let evaluations = 0;
  const visit = (held: Map<string, Held>): void => {
    if (leaves.length > (exploring.leavesMax ?? EVALUATIONS_MAX)) return;
    if (++evaluations > EVALUATIONS_MAX) throw new TooMuch();
    progress?.(evaluations);
    const evaluation = look(held);
    if (evaluation === undefined) return;
    const pointer = split.find((candidate) => splits(candidate, held, evaluation));
    if (pointer === undefined) {
      if (closer(held) !== undefined) leaves.push({ held, stops: [...evaluation.stops.values()] });
      return;
    }
    const before = held.get(pointer);
    const met = [...(evaluation.met.get(pointer) ?? new Map<string, Scalar>()).values()];
    const known = new Set(before !== undefined && 'not' in before ? before.not : []);
    const chosen =
      before === undefined ? (only?.get(pointer) ?? met) : only?.has(pointer) ? [] : met;
    for (const constant of chosen) {
      if (!known.has(keyOf(constant)!)) visit(new Map(held).set(pointer, { is: constant }));
    }
    for (const constant of [...met, ...chosen, ...(listed?.get(pointer) ?? [])]) {
      known.add(keyOf(constant)!);
    }
    visit(new Map(held).set(pointer, { not: known }));
  };
  for (const scope of exploring.scopes) visit(new Map(scope));
  return { leaves, evaluations };
}

/** A pointer is to be split when nothing holds it, or its "any other value" met new constants. */
function splits(pointer: string, held: Assignment, evaluation: Evaluation): boolean {
  const what = held.get(pointer);
  if (what === undefined) return true;
  if ('is' in what) return false;
  return [...(evaluation.met.get(pointer)?.keys() ?? [])].some((key) => !what.not.has(key));
}

/** Whether an output may be one that allows. */
export function mayAllow(output: Value): boolean {
  if (isAbstract(output)) return true;
  if (!isObject(output) || !Object.hasOwn(output, 'allow')) return false;
  return equal(output.allow ?? ANYTHING, true, () => undefined) !== 'no';
}

/** Whether an output may be one that allows and does not name the control. */
export function mayLack(control: string): (output: Value) => boolean {
  return (output) => {
    if (!mayAllow(output)) return false;
    if (!isObject(output)) return true;
    const { controls } = output;
    if (Array.isArray(controls)) return !controls.includes(control);
    if (!(controls instanceof SetValue)) return true;
    return !controls.elements.some(({ value, sure }) => sure && value === control);
  };
}

/** `{pointer: constant}`, or undefined where a pointer is held to no one constant. */
export function constantsOf(held: Assignment, pointers: readonly string[]) {
  const when: Record<string, JsonValue> = {};
  for (const pointer of pointers) {
    const what = held.get(pointer);
    if (what === undefined || !('is' in what)) return undefined;
    when[pointer] = what.is;
  }
  return when;
}
