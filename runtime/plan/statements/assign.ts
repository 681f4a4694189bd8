// Statements that give values to variables.
import { Failure } from '../layout.ts';
import type { Handlers } from './handlers.ts';

export const assign: Handlers<
  'AssignIntStmt' | 'AssignVarStmt' | 'AssignVarOnceStmt' | 'ResetLocalStmt'
> = {
  AssignIntStmt(frame, { value, target }) {
    frame.code.getGlobal(frame.plan.constants.global({ type: 'integer', value }));
    frame.set(target);
  },

  AssignVarStmt(frame, { source, target }) {
    frame.read(source);
    frame.set(target);
  },

  /** A second value for a variable is a conflict, unless it is the same. */
  AssignVarOnceStmt(frame, { source, target }) {
    const { code, plan, decision } = frame;
    if (decision?.variable === target && source.type !== 'local' && !frame.replaced) {
      // Another value is impossible, so that the rest of the body is not needed.
      frame.read(source);
      frame.set(target);
      code.branch(decision.body);
      return;
    }
    frame.get(target);
    code.if();
    frame.get(target);
    frame.read(source);
    plan.runtime.call(code, 'equal');
    code.op('eqz').if();
    plan.runtime.run(code.i32(Failure.Conflict), 'stop');
    code.end();
    code.op('else');
    frame.read(source);
    frame.set(target);
    code.end();
  },

  ResetLocalStmt(frame, { target }) {
    frame.code.i32(0);
    frame.set(target);
  },
};
