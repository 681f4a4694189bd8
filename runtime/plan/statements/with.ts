// The statement that replaces the input, the data or a part of them while its block runs.
import type { Handlers } from './handlers.ts';

export const replace: Handlers<'WithStmt'> = {
  WithStmt(frame, { local, path, value, block }, write) {
    const { code, plan } = frame;
    const [saved, memo, isUndefined] = [code.local(), code.local(), code.local()];
    frame.get(local).set(saved);
    if (path === null || path.length === 0) frame.read(value);
    else {
      const items = path.map((index) => ({ type: 'string' as const, text: frame.string(index) }));
      frame.get(local).getGlobal(plan.constants.global({ type: 'array', items }));
      frame.read(value);
      plan.runtime.call(code, 'replaceAt');
    }
    frame.set(local);
    // Results that are known belong to the documents as they were.
    code.getGlobal(plan.memo.global).set(memo);
    plan.runtime.call(code.i32(plan.memo.slots), 'memoTable');
    code.setGlobal(plan.memo.global);
    code.i32(1).set(isUndefined);
    const label = code.block();
    frame.replacing(label, () => {
      write(frame, block);
      code.i32(0).set(isUndefined);
    });
    code.end();
    code.get(saved);
    frame.set(local);
    plan.runtime.run(code.getGlobal(plan.memo.global), 'freeMemo');
    code.get(memo).setGlobal(plan.memo.global);
    code.get(isUndefined);
    frame.failIf();
  },
};
