// Statements that make values: constants are made beforehand, containers each time.
import type { Handlers } from './handlers.ts';

export const make: Handlers<
  | 'ConstantStmt'
  | 'MakeArrayStmt'
  | 'MakeNullStmt'
  | 'MakeNumberIntStmt'
  | 'MakeNumberRefStmt'
  | 'MakeObjectStmt'
  | 'MakeSetStmt'
> = {
  ConstantStmt(frame, { constant, target }) {
    frame.code.getGlobal(frame.plan.constants.global(constant));
    frame.set(target);
  },

  MakeNullStmt(frame, { target }) {
    frame.code.getGlobal(frame.plan.constants.global({ type: 'null', value: false }));
    frame.set(target);
  },

  MakeNumberIntStmt(frame, { value, target }) {
    frame.code.getGlobal(frame.plan.constants.global({ type: 'integer', value }));
    frame.set(target);
  },

  MakeNumberRefStmt(frame, { index, target }) {
    const text = frame.string(index);
    frame.code.getGlobal(frame.plan.constants.global({ type: 'number', text }));
    frame.set(target);
  },

  MakeArrayStmt(frame, { capacity, target }) {
    frame.plan.runtime.call(frame.code.i32(capacity), 'newArray');
    frame.set(target);
  },

  MakeObjectStmt(frame, { target }) {
    frame.plan.runtime.call(frame.code.i32(0), 'newObject');
    frame.set(target);
  },

  MakeSetStmt(frame, { target }) {
    frame.plan.runtime.call(frame.code.i32(0), 'newSet');
    frame.set(target);
  },
};
