// The built-ins that compare two values: a call of the engine's order, without one of a built-in.
import type { Opcode } from '../code.ts';
import type { Frame } from '../frame.ts';
import type { Operand } from '../ir.ts';

/** What the order of the two values must be, compared with 0. */
const ORDERS: Readonly<Record<string, Opcode>> = {
  equal: 'eq',
  neq: 'ne',
  lt: 'ltS',
  lte: 'leS',
  gt: 'gtS',
  gte: 'geS',
};

/** Whether a built-in only compares its two arguments. */
export function isComparison(name: string): boolean {
  return Object.hasOwn(ORDERS, name);
}

/** Puts on the stack whether the comparison holds: 1 or 0. */
export function comparison(frame: Frame, name: string, a: Operand, b: Operand): void {
  const { code, plan } = frame;
  frame.read(a);
  frame.read(b);
  if (name === 'equal' || name === 'neq') {
    plan.runtime.call(code, 'equal');
    if (name === 'neq') code.op('eqz');
    return;
  }
  plan.runtime.call(code, 'compare');
  code.i32(0).op(ORDERS[name]!);
}
