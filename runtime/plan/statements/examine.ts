// Statements that look into values and compare them; where the answer is no, the block ends.
import type { Frame } from '../frame.ts';
import { DATA, INPUT, type Operand, type Statements } from '../ir.ts';
import { Kind } from '../layout.ts';
import { comparison } from './comparison.ts';
import { unlessEqual } from './equality.ts';
import type { Handlers } from './handlers.ts';
import { known } from './known.ts';

export const examine: Handlers<
  | 'CompareStmt'
  | 'DotStmt'
  | 'EqualStmt'
  | 'IsArrayStmt'
  | 'IsDefinedStmt'
  | 'IsObjectStmt'
  | 'IsSetStmt'
  | 'IsUndefinedStmt'
  | 'KindStmt'
  | 'LenStmt'
  | 'NotEqualStmt'
  | 'PathStmt'
  | 'StoredDotStmt'
> = {
  DotStmt(frame, stmt) {
    lookUp(frame, stmt, 'dot');
  },

  StoredDotStmt(frame, stmt) {
    lookUp(frame, stmt, 'storedDot');
  },

  LenStmt(frame, { source, target }) {
    frame.read(source);
    frame.plan.runtime.call(frame.code, 'lengthValue');
    frame.set(target);
  },

  EqualStmt(frame, { a, b }) {
    unlessEqual(frame, a, b, frame.failure);
  },

  NotEqualStmt(frame, { a, b }) {
    differ(frame, a, b);
  },

  CompareStmt(frame, { operator, a, b }) {
    if (operator === 'equal') unlessEqual(frame, a, b, frame.failure);
    else if (operator === 'neq') differ(frame, a, b);
    else {
      comparison(frame, operator, a, b);
      frame.code.op('eqz');
      frame.failIf();
    }
  },

  KindStmt(frame, { source, kinds }) {
    const [first, second] = kinds;
    frame.read(source).load8(0).i32(first!).op('eq');
    if (second !== undefined) frame.read(source).load8(0).i32(second).op('eq').op('or');
    frame.code.op('eqz');
    frame.failIf();
  },

  PathStmt(frame, { root, keys, target }) {
    const slot = frame.plan.paths.slot(frame, root, keys);
    if (slot !== undefined) {
      known(frame, slot.memo, target, () => {
        frame.get(INPUT);
        frame.get(DATA).call(slot.index);
      });
      return;
    }
    frame.get(root);
    keys.forEach((text, at) => {
      const { code, plan } = frame;
      plan.runtime.call(code.getGlobal(plan.constants.global({ type: 'string', text })), 'dot');
      code.tee(frame.local(target)).op('eqz');
      frame.failIf();
      if (at < keys.length - 1) frame.get(target);
    });
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

function lookUp(
  frame: Frame,
  { source, key, target }: Statements['DotStmt'],
  call: 'dot' | 'storedDot',
): void {
  if (source.type !== 'local') {
    frame.fail();
    return;
  }
  frame.read(source);
  frame.read(key);
  frame.plan.runtime.call(frame.code, call);
  frame.code.tee(frame.local(target)).op('eqz');
  frame.failIf();
}

function differ(frame: Frame, a: Operand, b: Operand): void {
  if (a.type === 'bool' || b.type === 'bool') {
    frame.read(a);
    frame.read(b).op('eq');
    frame.failIf();
    return;
  }
  const different = frame.code.block();
  unlessEqual(frame, a, b, different);
  frame.fail();
  frame.code.end();
}

/** Address 0 holds no kind, so that what is undefined is of none. */
function hasKind(frame: Frame, source: Operand, kind: number): void {
  frame.read(source).load8(0).i32(kind).op('ne');
  frame.failIf();
}
