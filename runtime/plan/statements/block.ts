// Writes the statements of a block.
import type { Frame } from '../frame.ts';
import type { IrBlock, IrStatement } from '../ir.ts';
import { assign } from './assign.ts';
import { call } from './call.ts';
import { collect } from './collect.ts';
import { examine } from './examine.ts';
import { flow } from './flow.ts';
import type { Handlers } from './handlers.ts';
import { make } from './make.ts';
import { replace } from './with.ts';

const handlers: Handlers<IrStatement['type']> = {
  ...assign,
  ...call,
  ...collect,
  ...examine,
  ...flow,
  ...make,
  ...replace,
};

/** Writes the code of a block's statements; a kind that is not known is noted as unsupported. */
export function writeBlock(frame: Frame, block: IrBlock): void {
  for (const { type, stmt } of block.stmts ?? []) {
    if (Object.hasOwn(handlers, type)) handlers[type](frame, stmt as never, writeBlock);
    else frame.plan.unsupported.add(`the statement ${type}`);
  }
}
