// Reads a result from the table of those that are known, or computes it.
import type { Frame } from '../frame.ts';
import type { Local } from '../ir.ts';

/** In the table: known to be undefined. No value has this address. */
export const UNDEFINED = 1;

/**
 * Gives `target` the result of a slot; `compute` calls what finds it and remembers it. Where it is
 * undefined the block ends, or what `leave` says.
 */
export function known(
  frame: Frame,
  slot: number,
  target: Local,
  compute: () => void,
  leave = () => frame.fail(),
): void {
  const { code, plan } = frame;
  const local = frame.local(target);
  code
    .getGlobal(plan.memo.global)
    .load(slot * 4)
    .tee(local);
  code.i32(UNDEFINED).op('leU').if();
  code.get(local).if();
  code.i32(0).set(local);
  leave();
  code.end();
  compute();
  code.tee(local).op('eqz').if();
  leave();
  code.end();
  code.end();
}

/** Remembers a result, and leaves it on the stack. */
export function remember(frame: Frame, slot: number, result: number): void {
  const { code, plan } = frame;
  code.getGlobal(plan.memo.global);
  code
    .get(result)
    .i32(UNDEFINED)
    .get(result)
    .op('select')
    .store(slot * 4);
  code.get(result);
}
