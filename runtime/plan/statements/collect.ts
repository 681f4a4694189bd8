// Statements that add to arrays, objects, sets and the result.
import type { Handlers } from './handlers.ts';

export const collect: Handlers<
  | 'ArrayAppendStmt'
  | 'ObjectInsertStmt'
  | 'ObjectInsertOnceStmt'
  | 'ObjectMergeStmt'
  | 'ResultSetAddStmt'
  | 'SetAddStmt'
> = {
  ArrayAppendStmt(frame, { array, value }) {
    frame.get(array);
    frame.read(value);
    frame.plan.runtime.run(frame.code, 'push');
  },

  ObjectInsertStmt(frame, { object, key, value }) {
    frame.get(object);
    frame.read(key);
    frame.read(value);
    frame.plan.runtime.run(frame.code, 'insert');
  },

  /** A second value for a key is a conflict, unless it is the same. */
  ObjectInsertOnceStmt(frame, { object, key, value }) {
    frame.get(object);
    frame.read(key);
    frame.read(value);
    frame.plan.runtime.run(frame.code, 'insertOnce');
  },

  ObjectMergeStmt(frame, { a, b, target }) {
    frame.get(a);
    frame.get(b);
    frame.plan.runtime.call(frame.code, 'mergeDocuments');
    frame.set(target);
  },

  SetAddStmt(frame, { set, value }) {
    frame.get(set);
    frame.read(value);
    frame.plan.runtime.run(frame.code, 'add');
  },

  /** The bindings of a query, or of an entrypoint only what it calls `result`. */
  ResultSetAddStmt(frame, { value }) {
    const { code, plan } = frame;
    if (plan.bindings) {
      code.get(frame.result);
      frame.get(value);
      plan.runtime.run(code, 'add');
      return;
    }
    frame.get(value);
    code.getGlobal(plan.constants.global({ type: 'string', text: 'result' }));
    plan.runtime.call(code, 'dot');
    code.set(frame.result);
  },
};
