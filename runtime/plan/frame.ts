// What the statements of one plan or function share while their code is written.
import type { Code, Label } from './code.ts';
import type { Constants } from './constants.ts';
import {
  DATA,
  INPUT,
  type IrBlock,
  type IrFunction,
  type IrPolicy,
  type Local,
  type Operand,
} from './ir.ts';
import type { Paths } from './paths.ts';
import type { PlanModule } from './plan-module.ts';
import type { Runtime } from './runtime.ts';

/** The table of what is known already in this evaluation, with the documents as they are now. */
export interface Memo {
  /** The global with its address. */
  global: number;
  /** How many results it has room for. */
  slots: number;
}

/** A function whose result the documents alone decide is known after its first call. */
export interface PlannedFunction {
  index: number;
  fn: IrFunction;
  blocks: readonly IrBlock[];
  memo: number | undefined;
}

/** What is common to all functions of a plan. */
export interface PlanContext {
  policy: IrPolicy;
  module: PlanModule;
  runtime: Runtime;
  constants: Constants;
  strings: readonly string[];
  functions: ReadonlyMap<string, PlannedFunction>;
  paths: Paths;
  memo: Memo;
  /** Whether a result is all bindings of the query rather than the value of its entrypoint. */
  bindings: boolean;
  /** Whether rules are selected by what they ask for first. */
  index: boolean;
  /** What cannot be compiled. */
  unsupported: Set<string>;
}

/** Where a block that is left early goes on. */
interface Target {
  label: Label;
  /** Left early, a `with` would not be undone. */
  within: number;
}

/** How the first rule that holds ends the others. */
interface Decision {
  variable: Local;
  /** After all rules. */
  done: Label;
  /** The end of the body that is being written. */
  body: Label;
}

export class Frame {
  readonly plan: PlanContext;
  readonly code: Code;
  /** Locals that some statement reads. */
  readonly reads: ReadonlySet<Local>;
  readonly #locals = new Map<Local, number>();
  readonly #targets: Target[] = [];
  #withDepth = 0;
  #temporaries = 0;
  /** Set while rules are written of which one that holds decides the function's result. */
  decision: Decision | undefined;
  /** Set while the rules of a function are written that has too many for one. */
  outlined: IrFunction | undefined;
  /** Where a plan keeps its result. */
  result = 0;
  /** Where a function's result is remembered. */
  memo: number | undefined;
  /** Whether the first two locals are the documents. */
  readonly documents: boolean;

  constructor(plan: PlanContext, code: Code, params: readonly Local[], reads: ReadonlySet<Local>) {
    this.plan = plan;
    this.code = code;
    this.reads = reads;
    this.documents = params[0] === INPUT && params[1] === DATA;
    params.forEach((local, index) => {
      this.#locals.set(local, index);
    });
  }

  local(local: Local): number {
    let index = this.#locals.get(local);
    if (index === undefined) {
      index = this.code.local();
      this.#locals.set(local, index);
    }
    return index;
  }

  /** A variable that the plan does not have. */
  temporary(): Local {
    return -++this.#temporaries;
  }

  /** Puts a local's value on the stack. */
  get(local: Local): Code {
    return this.code.get(this.local(local));
  }

  /** Takes a local's value from the stack. */
  set(local: Local): void {
    this.code.set(this.local(local));
  }

  /** Puts an operand's value on the stack. */
  read(operand: Operand): Code {
    if (operand.type === 'local') return this.get(operand.value);
    return this.code.getGlobal(this.constant(operand));
  }

  /** The global of a constant operand. */
  constant(operand: Operand): number {
    const { constants } = this.plan;
    if (operand.type === 'string_index')
      return constants.global({ type: 'string', text: this.string(operand.value) });
    return constants.global({ type: 'boolean', value: operand.value === true });
  }

  string(index: number): string {
    return this.plan.strings[index] ?? '';
  }

  /** The end of the innermost block, where it is left when a statement is undefined. */
  get failure(): Label {
    return this.#targets.at(-1)!.label;
  }

  /** Leaves the innermost block: a statement is undefined. */
  fail(): void {
    this.code.branch(this.failure);
  }

  /** Leaves the innermost block when the top of the stack is not 0. */
  failIf(): void {
    this.code.branchIf(this.failure);
  }

  /** Leaves as many blocks as a BreakStmt says. */
  leave(index: number): void {
    const target = this.#targets.at(-1 - index);
    if (target === undefined || target.within !== this.#withDepth) {
      this.plan.unsupported.add('a BreakStmt that leaves a WithStmt or the function');
      this.code.op('unreachable');
    } else this.code.branch(target.label);
  }

  /** Whether the statement is in a `with`. */
  get replaced(): boolean {
    return this.#withDepth > 0;
  }

  /** Writes `body` with `label` as the innermost block to leave. */
  inside(label: Label, body: () => void): void {
    this.#targets.push({ label, within: this.#withDepth });
    body();
    this.#targets.pop();
  }

  /** Writes `body` as what a `with` holds. */
  replacing(label: Label, body: () => void): void {
    this.#withDepth++;
    this.inside(label, body);
    this.#withDepth--;
  }

  /** Writes a block of statements, which ends where a statement is undefined. */
  block(block: IrBlock, write: (frame: Frame, block: IrBlock) => void): void {
    const label = this.code.block();
    this.inside(label, () => write(this, block));
    this.code.end();
  }
}
