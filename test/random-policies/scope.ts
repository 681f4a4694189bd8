// What a random expression may refer to: variables, rules made before it, and paths into input and data.
import type { Random } from './random.ts';
import { dataType, fits, inputType, type Type, words } from './types.ts';

/** Something with a value: a variable, a rule, a path. */
export interface Named {
  text: string;
  type: Type;
}

export interface Callable {
  text: string;
  parameters: Type[];
  result: Type;
}

/** The variables of a body so far, and the policy around it. */
export interface Scope {
  readonly of: Random;
  readonly variables: readonly Named[];
  readonly policy: Policy;
  /** Whether every variable may have but one value, as where two values of a rule would be a conflict. */
  readonly single: boolean;
}

/** The rules and functions so far. */
export interface Policy {
  readonly rules: Named[];
  readonly functions: Callable[];
  /** Whether its rules may look others up by a name known only at run time, which would lead to themselves. */
  readonly looksUp: boolean;
  /** Makes every name unique. */
  readonly names: { used: number };
}

/** A name that nothing else in the policy has. */
export function fresh(scope: Pick<Scope, 'policy'>, prefix: string): string {
  scope.policy.names.used += 1;
  return `${prefix}${scope.policy.names.used}`;
}

/** The scope with one more variable. */
export function having(scope: Scope, ...variables: Named[]): Scope {
  return { ...scope, variables: [...scope.variables, ...variables] };
}

const roots: Named[] = [
  { text: 'input', type: inputType },
  { text: 'data', type: dataType },
];

/** All values below `named`: members of records, and one member of each list and object. */
function below(of: Random, named: Named): Named[] {
  const { text, type } = named;
  if (typeof type === 'string') return [named];
  if ('record' in type) {
    const members = Object.entries(type.record).flatMap(([key, member]) =>
      below(of, { text: `${text}.${key}`, type: member }),
    );
    return [named, ...members];
  }
  if ('array' in type) {
    return [named, ...below(of, { text: `${text}[${of.below(3)}]`, type: type.array })];
  }
  if ('object' in type) {
    const key = of.pick(words[of.pick(['name', 'kind', 'role'] as const)]);
    return [named, ...below(of, { text: `${text}["${key}"]`, type: type.object })];
  }
  return [named];
}

/** Everything in scope of this type (or of any, without one): variables first. */
export function candidates(scope: Scope, wanted?: Type): Named[] {
  const { of, variables, policy } = scope;
  return [...variables, ...policy.rules, ...roots]
    .flatMap((named) => below(of, named))
    .filter(({ type }) => wanted === undefined || fits(type, wanted));
}
