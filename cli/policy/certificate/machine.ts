// What the parts of the abstract interpreter need of each other.
import type { AstExpr, AstTerm } from '../../../runtime/modules/rego-ast.ts';
import type { Abstract, Verdict } from './abstract.ts';
import { ANY } from './abstract.ts';
import type { Branches, Scoped } from './branches.ts';
import { several } from './branches.ts';
import type { Node, Rule, Scope } from './program.ts';
import type { Input } from './state.ts';
import { variablesIn } from './tree.ts';
import type { Value } from './values.ts';

/** Where an expression stands: the local variables and the file's names. */
export interface Place {
  env: Scoped;
  scope: Scope;
}

export interface Machine {
  readonly program: Node;
  readonly data: Value;
  readonly input: Input;
  /** Counts one step of work; throws when there were too many. */
  tick(): void;
  /** Notes an expression of which nothing exact is known, and why. */
  doubt(node: AstExpr | AstTerm, why: string): void;
  term(term: AstTerm, place: Place): Branches<Abstract>;
  body(body: readonly AstExpr[], place: Place): Branches<undefined>;
  /** The value of a rule that is no function. */
  rule(rule: Rule): { values: readonly { value: Abstract; sure: boolean }[]; total: boolean };
  call(term: AstTerm, place: Place): Branches<Abstract>;
}

/** What a name means at a place. */
export type Meaning =
  | { kind: 'local'; value: Abstract }
  | { kind: 'free' }
  | { kind: 'import'; terms: AstTerm[] }
  | { kind: 'root' }
  | { kind: 'rule' };

export function meaningOf(name: string, { env, scope }: Place): Meaning {
  const local = env.find(name);
  if (local === 'declared') return { kind: 'free' };
  if (local !== undefined) return { kind: 'local', value: local };
  const terms = scope.imports.get(name);
  if (terms !== undefined) return { kind: 'import', terms };
  if (name === 'input' || name === 'data') return { kind: 'root' };
  return scope.package.names.has(name) ? { kind: 'rule' } : { kind: 'free' };
}

export function isFree(name: string, place: Place): boolean {
  return meaningOf(name, place).kind === 'free';
}

/** Gives every variable without a value below a node an unknown one. */
export function bindAll(node: unknown, place: Place): Scoped {
  let { env } = place;
  for (const name of variablesIn(node)) {
    if (isFree(name, { ...place, env })) env = env.with(name, ANY);
  }
  return env;
}

/** Anything or nothing: the answer where the checker cannot follow. */
export function anything(node: unknown, place: Place): Branches<Abstract> {
  return several([{ value: ANY, env: bindAll(node, place), sure: false }]);
}

export function booleanOf(verdict: Verdict): Abstract {
  return verdict === 'maybe' ? ANY : { kind: 'known', value: verdict === 'yes' };
}
