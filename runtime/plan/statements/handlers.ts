// What writes the code of each kind of statement.
import type { Frame } from '../frame.ts';
import type { AllStatements, IrBlock, StatementKind } from '../ir.ts';

/** Writes the statements of a block one after another. */
export type WriteBlock = (frame: Frame, block: IrBlock) => void;

/** One function a kind; those with blocks of their own are given what writes them. */
export type Handlers<Kind extends StatementKind> = {
  [K in Kind]: (frame: Frame, stmt: AllStatements[K], write: WriteBlock) => void;
};
