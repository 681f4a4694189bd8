// Statements that call: planned functions, built-ins, and rules that are found by a path at run time.
import { builtinOf } from '../builtins.ts';
import type { Frame } from '../frame.ts';
import type { IrFunction, Operand, Statements } from '../ir.ts';
import { comparison, isComparison } from './comparison.ts';
import type { Handlers } from './handlers.ts';
import { known } from './known.ts';

/** How many blocks an undefined result of a call by path leaves: those that would look in the data. */
const DYNAMIC_BLOCKS = 3;

export const call: Handlers<'CallStmt' | 'CallDynamicStmt'> = {
  CallStmt(frame, { func, args, result }) {
    const given = args ?? [];
    if (isComparison(func) && given.length === 2) {
      for (const value of [true, false]) frame.read({ type: 'bool', value });
      comparison(frame, func, given[0]!, given[1]!);
      frame.code.op('select');
      frame.set(result);
      return;
    }
    const planned = frame.plan.functions.get(func);
    if (planned !== undefined && planned.fn.params.length !== given.length)
      frame.plan.unsupported.add(`a call of ${func} with another number of arguments`);
    const index = planned?.index ?? builtinOf(frame.plan.module.engine, func, given.length)?.index;
    if (index === undefined) {
      frame.plan.unsupported.add(`the built-in ${func}`);
      frame.code.op('unreachable');
      return;
    }
    const compute = (): void => {
      for (const argument of given) frame.read(argument);
      frame.code.call(index);
    };
    if (planned?.memo !== undefined) {
      known(frame, planned.memo, result, compute);
      return;
    }
    compute();
    frame.code.tee(frame.local(result)).op('eqz');
    frame.failIf();
  },

  CallDynamicStmt(frame, stmt) {
    const { code } = frame;
    const found = code.block();
    for (const candidate of candidates(frame, stmt)) {
      const next = code.block();
      differs(frame, stmt, candidate, next);
      const { index, memo } = frame.plan.functions.get(candidate.name)!;
      known(
        frame,
        memo!,
        stmt.result,
        () => {
          for (const argument of stmt.args ?? []) frame.get(argument);
          code.call(index);
        },
        () => frame.leave(DYNAMIC_BLOCKS),
      );
      code.branch(found);
      code.end();
    }
    frame.fail();
    code.end();
  },
};

/** The rules that a path may lead to. Functions that take arguments are no part of the data document. */
function candidates(frame: Frame, stmt: Statements['CallDynamicStmt']): IrFunction[] {
  const path = stmt.path ?? [];
  const found: IrFunction[] = [];
  for (const { fn } of frame.plan.functions.values()) {
    if (fn.path?.length !== path.length) continue;
    if (!fn.path.every((name, index) => agrees(frame, path[index]!, name))) continue;
    if (fn.params.length === 2 && stmt.args?.length === 2) found.push(fn);
    else if (fn.path[0] !== 'g0')
      frame.plan.unsupported.add(
        'a CallDynamicStmt below a `with` that replaces functions by values',
      );
  }
  return found;
}

/** Whether an operand may be this name: a constant is, or is not. */
function agrees(frame: Frame, operand: Operand, name: string): boolean {
  return (
    operand.type === 'local' ||
    (operand.type === 'string_index' && frame.string(operand.value) === name)
  );
}

/** Branches to `next` where the path is not the candidate's. */
function differs(
  frame: Frame,
  { path }: Statements['CallDynamicStmt'],
  candidate: IrFunction,
  next: number,
): void {
  const { code, plan } = frame;
  path?.forEach((operand, index) => {
    if (operand.type !== 'local') return;
    frame.read(operand);
    code.getGlobal(plan.constants.global({ type: 'string', text: candidate.path![index]! }));
    plan.runtime.call(code, 'equal');
    code.op('eqz').branchIf(next);
  });
}
