// Divides the blocks of a function into its rules and the rest, and finds where all rules give one value.
import { guardsOf, type Rule } from './guards.ts';
import type { IrBlock, IrFunction, IrStatement, Local, Operand } from './ir.ts';
import { blocksOf } from './locals.ts';

export interface Rules {
  /** The blocks before the rules, the rules, and the blocks after them. */
  before: readonly IrBlock[];
  rules: readonly Rule[];
  after: readonly IrBlock[];
  /** The variable of a rule's value, if one rule that holds decides the function's result. */
  decided: Local | undefined;
}

/**
 * The rules among the blocks of a function. OPA's planner begins each body with the reset of the variable
 * of its value, and lets a block follow that takes over the value if there is one.
 */
export function rulesOf(
  fn: IrFunction,
  blocks: readonly IrBlock[],
  strings: readonly string[],
): Rules {
  const first = blocks.findIndex((block) => ruleVariable(block) !== undefined);
  if (first < 0) return { before: blocks, rules: [], after: [], decided: undefined };
  const rules: Rule[] = [];
  let at = first;
  while (at < blocks.length && ruleVariable(blocks[at]!) !== undefined) {
    const body = blocks[at]!;
    const taken = blocks[at + 1];
    const own =
      taken !== undefined && takesOver(taken, ruleVariable(body)!) ? [body, taken] : [body];
    rules.push({ blocks: own, guards: guardsOf(body, fn.params, strings) });
    at += own.length;
  }
  const rest = { before: blocks.slice(0, first), rules, after: blocks.slice(at) };
  return { ...rest, decided: decidedBy(rules) };
}

/** The variable that a body resets first, or undefined where the block is no body of a rule. */
function ruleVariable(block: IrBlock): Local | undefined {
  const first = block.stmts?.[0];
  return first?.type === 'ResetLocalStmt' ? first.stmt.target : undefined;
}

function takesOver({ stmts }: IrBlock, value: Local): boolean {
  const [first] = stmts ?? [];
  return first?.type === 'IsDefinedStmt' && first.stmt.source === value;
}

/** The variable of the rules' values, if all of them give it one and the same constant. */
function decidedBy(rules: readonly Rule[]): Local | undefined {
  const value = ruleVariable(rules[0]!.blocks[0]!)!;
  let common: Operand | undefined;
  for (const { blocks } of rules) {
    const [body, taken] = blocks;
    if (taken === undefined || ruleVariable(body!) !== value) return undefined;
    const given = assignments(body!, value);
    if (given === undefined) return undefined;
    for (const source of given) {
      common ??= source;
      if (source.type !== common.type || source.value !== common.value) return undefined;
    }
  }
  return value;
}

/** The constants that a body gives the variable; undefined if it does anything else that lasts. */
function assignments(body: IrBlock, value: Local): Operand[] | undefined {
  const given: Operand[] = [];
  for (const statement of body.stmts ?? []) {
    if (lasting(statement, value)) return undefined;
    if (statement.type === 'AssignVarOnceStmt') {
      if (statement.stmt.target !== value || statement.stmt.source.type === 'local')
        return undefined;
      given.push(statement.stmt.source);
    }
    for (const inner of blocksOf(statement)) {
      const found = assignments(inner, value);
      if (found === undefined) return undefined;
      given.push(...found);
    }
  }
  return given;
}

/** What a rule of a constant does not do, so that nothing is known to be missed when it ends early. */
function lasting({ type, stmt }: IrStatement, value: Local): boolean {
  return type === 'ReturnLocalStmt' || (type === 'AssignVarStmt' && stmt.target === value);
}
