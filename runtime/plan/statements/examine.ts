// Statements that look into values and compare them; where the answer is no, the block ends.
import type { Frame } from '../frame.ts';
import type { Operand } from '../ir.ts';
import { Kind } from '../layout.ts';
import type { Handlers } from './handlers.ts';

export const examine: Handlers<
  | 'DotStmt'
  | 'EqualStmt'
  | 'IsArrayStmt'
  | 'IsDefinedStmt'
  | 'IsObjectStmt'
  | 'IsSetStmt'
  | 'IsUndefinedStmt'
  | 'LenStmt'
  | 'NotEqualStmt'
> = {
  DotStmt(frame, { source, key, target }) {
    if (source.type !== 'local') {
      frame.fail();
      return;
    }
    frame.read(source);
    frame.read(key);
    frame.plan.runtime.call(frame.code, 'dot');
    frame.code.tee(frame.local(target)).op('eqz');
    frame.failIf();
  },

  LenStmt(frame, { source, target }) {
    frame.read(source);
    frame.plan.runtime.call(frame.code, 'lengthValue');
    frame.set(target);
  },

  EqualStmt(frame, { a, b }) {
    compare(frame, a, b);
    frame.code.op('eqz');
    frame.failIf();
  },

  NotEqualStmt(frame, { a, b }) {
    compare(frame, a, b);
    frame.failIf();
  },

  IsArrayStmt(frame, { source }) {
    hasKind(frame, source, Kind.Array);
  },

  IsObjectStmt(frame, { source }) {
    hasKind(frame, source, Kind.Object);
  },

  IsSetStmt(frame, { source }) {
    hasKind(frame, source, Kind.Set);
  },

  IsDefinedStmt(frame, { source }) {
    frame.get(source).op('eqz');
    frame.failIf();
  },

  IsUndefinedStmt(frame, { source }) {
    frame.get(source);
    frame.failIf();
  },
};

function compare(frame: Frame, a: Operand, b: Operand): void {
  frame.read(a);
  frame.read(b);
  frame.plan.runtime.call(frame.code, 'equal');
}

/** Address 0 holds no kind, so that what is undefined is of none. */
function hasKind(frame: Frame, source: Operand, kind: number): void {
  frame.read(source).load8(0).i32(kind).op('ne');
  frame.failIf();
}
