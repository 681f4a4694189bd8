// What the parts of the evaluation share: what is asked, what is held, and what each needs of the others.
import type { JsonObject } from '../../../runtime/json.ts';
import type { AstBody, AstRule, AstTerm } from '../../../runtime/modules/rego.ts';
import type { Meet } from './compare.ts';
import type { Env } from './env.ts';
import type { Inexact } from './numbers.ts';
import type { PolicyNode } from './policy.ts';
import type { Element, InputPart, Scalar, Value } from './values.ts';

/** What a member of the input is held to; with a set, to anything but the constants in it. */
export type Held = { is: Scalar } | { not: ReadonlySet<string> };

/** By JSON Pointer; all the rest of the input may be anything. */
export type Assignment = ReadonlyMap<string, Held>;

/** An expression that the prover does not interpret here, and takes for one that may hold. */
export interface Stop {
  file: string;
  row: number;
  why: string;
}

/** Where a rule's body begins: with its arguments bound, for every input or for some. */
export type Start = { env: Env; sure: boolean };
export type Found = (value: Value, env: Env, sure: boolean) => void;
export type Solved = (env: Env, sure: boolean) => void;

export class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

/**
 * What is assumed of a set's rules besides: that one of them gives an element, or that none does. Whoever
 * goes through all of them has assumed nothing.
 */
export interface Supposition {
  set: PolicyNode;
  rule: AstRule | undefined;
}

export interface Subject {
  tree: PolicyNode;
  data: JsonObject;
  /** How many arguments each built-in has. */
  arity: ReadonlyMap<string, number>;
  /** Numbers of the sources and the data, without sign, that binary64 may not hold, with where they are. */
  inexact: Inexact;
  /**
   * Assumes that trust domain, tenant, agent and role beside a SPIFFE ID are those that it states, as
   * every caller of the platform writes them.
   */
  identitiesAgree?: boolean;
}

/** One evaluation, as its parts see it. */
export interface Machine {
  readonly subject: Subject;
  /** Notes a constant that decides something about a part of the input. */
  readonly meet: Meet;
  /** Counts one step of work. @throws TooMuch when there were too many */
  tick(): void;
  /** Notes an expression that is not interpreted; without a place where there is none. */
  stop(at: { location?: { file: string; row: number } } | undefined, why: string): void;
  solve(body: AstBody, index: number, env: Env, sure: boolean, solved: Solved): void;
  match(pattern: AstTerm, value: Value, env: Env, sure: boolean, solved: Solved): void;
  /** The values that rules of one name, which are no function, may have. */
  ruleValues(node: PolicyNode): Element[];
  /** The values of complete rules, or of a function, whose arguments `start` binds. */
  complete(rules: AstRule[], start: (rule: AstRule) => Start | undefined): Element[];
  /** A member of a part of the input. */
  input(base: InputPart, key: string | number, found: (value: Value, sure: boolean) => void): void;
}
