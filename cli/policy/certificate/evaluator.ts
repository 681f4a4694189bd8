// Puts the parts of the abstract interpreter together, and remembers what rules gave.
import type { AstExpr, AstTerm } from '../../../runtime/modules/rego-ast.ts';
import type { Abstract } from './abstract.ts';
import { evaluateBody } from './bodies.ts';
import type { Branches } from './branches.ts';
import { evaluateCall } from './calls.ts';
import type { Machine, Place } from './machine.ts';
import type { Node, Rule } from './program.ts';
import { evaluateRule, type Result } from './rules.ts';
import { type Combination, Input, Trace } from './state.ts';
import { evaluateTerm } from './terms.ts';
import type { Value } from './values.ts';

/** Results of one rule that are kept, each for what it read of the input. */
const KEPT = 6;

/** The work of one certificate is more than the checker does. */
export class TooMuch extends Error {}

/** How much work is left. */
export interface Budget {
  steps: number;
}

interface Kept {
  result: Result;
  trace: Trace;
}

/** Evaluates rules for one combination after another. */
export class Evaluator implements Machine {
  readonly program: Node;
  readonly data: Value;
  readonly #budget: Budget;
  readonly #kept = new Map<Rule, Kept[]>();
  readonly #running = new Set<Rule>();
  input: Input;

  constructor(program: Node, data: Value, combination: Combination, budget: Budget) {
    this.program = program;
    this.data = data;
    this.#budget = budget;
    this.input = new Input(combination);
  }

  /** What the rule may be for every input of the combination, and what that depended on. */
  evaluate(rule: Rule, combination: Combination): { result: Result; trace: Trace } {
    this.input = new Input(combination);
    const result = this.rule(rule);
    return { result, trace: this.input.trace };
  }

  tick(): void {
    if (--this.#budget.steps < 0) throw new TooMuch();
  }

  doubt(node: AstExpr | AstTerm, why: string): void {
    this.input.trace.doubts.set(node, why);
  }

  term(term: AstTerm, place: Place): Branches<Abstract> {
    return evaluateTerm(this, term, place);
  }

  body(body: readonly AstExpr[], place: Place): Branches<undefined> {
    return evaluateBody(this, body, place);
  }

  call(term: AstTerm, place: Place): Branches<Abstract> {
    return evaluateCall(this, term, place);
  }

  rule(rule: Rule): Result {
    const outer = this.input.trace;
    const kept = this.#kept.get(rule) ?? [];
    const found = kept.findIndex(({ trace }) => trace.holdsIn(this.input.combination));
    if (found >= 0) {
      const [entry] = kept.splice(found, 1) as [Kept];
      kept.unshift(entry);
      outer.add(entry.trace);
      return entry.result;
    }
    // The compiler refuses recursion; whatever else this were, it would not end.
    if (this.#running.has(rule)) throw new TooMuch();
    this.#running.add(rule);
    this.input.trace = new Trace();
    try {
      const result = evaluateRule(this, rule);
      kept.unshift({ result, trace: this.input.trace });
      kept.length = Math.min(kept.length, KEPT);
      this.#kept.set(rule, kept);
      return result;
    } finally {
      outer.add(this.input.trace);
      this.input.trace = outer;
      this.#running.delete(rule);
    }
  }
}
