// Comparisons for equality, which mostly need no call: equal pointers are equal, and so on by kind.
import type { Label } from '../code.ts';
import type { Frame } from '../frame.ts';
import type { Operand } from '../ir.ts';
import { INTERNED, Kind } from '../layout.ts';

/** Offset of a value's flags. */
const FLAGS = 1;
/** The first two bytes of an interned string. */
const INTERNED_STRING = Kind.String | (INTERNED << 8);

/** Branches to `different` where the two values are not the same, and goes on where they are. */
export function unlessEqual(frame: Frame, a: Operand, b: Operand, different: Label): void {
  const { code, plan } = frame;
  if (a.type !== 'local' && b.type === 'local') {
    unlessEqual(frame, b, a, different);
    return;
  }
  if (b.type === 'bool') {
    // There is one null, one false and one true.
    frame.read(a);
    frame.read(b).op('ne').branchIf(different);
    return;
  }
  const same = code.block();
  frame.read(a);
  frame.read(b).op('eq').branchIf(same);
  if (b.type === 'string_index') {
    // Another interned string is another text, if the constant is one too: it may have lost its place (intern.ts).
    frame.read(a).load8(0).i32(Kind.String).op('ne').branchIf(different);
    frame.read(a).load8(FLAGS);
    frame.read(b).load8(FLAGS).op('and').i32(INTERNED).op('and').branchIf(different);
  } else {
    frame.read(a).load16(0).i32(INTERNED_STRING).op('eq');
    frame.read(b).load16(0).i32(INTERNED_STRING).op('eq').op('and').branchIf(different);
  }
  frame.read(a);
  frame.read(b);
  plan.runtime.call(code, 'equal');
  code.op('eqz').branchIf(different);
  code.end();
}
