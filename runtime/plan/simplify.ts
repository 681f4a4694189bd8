// Rewrites the blocks of a plan into fewer statements that do the same.
import { foldConstants } from './fold.ts';
import { fuse } from './fuse.ts';
import type { IrBlock, IrStatement, List } from './ir.ts';
import { localUse } from './locals.ts';

/** A pass over the statements of one block. */
type Pass = (stmts: readonly IrStatement[]) => readonly IrStatement[];

/** The blocks of a function or a plan, simplified. */
export function simplify(blocks: List<IrBlock>, strings: readonly string[]): IrBlock[] {
  const folded = everywhere(blocks ?? [], foldConstants(strings, localUse(blocks)));
  return everywhere(folded, fuse(strings, localUse(folded)));
}

/** Applies a pass to every block, inner ones first. */
function everywhere(blocks: readonly IrBlock[], pass: Pass): IrBlock[] {
  return blocks.map((block) => ({
    stmts: pass((block.stmts ?? []).map((each) => inner(each, pass))),
  }));
}

function inner(statement: IrStatement, pass: Pass): IrStatement {
  const { type, stmt } = statement;
  if (type === 'BlockStmt')
    return { type, stmt: { ...stmt, blocks: everywhere(stmt.blocks ?? [], pass) } };
  if (type === 'NotStmt')
    return { type, stmt: { ...stmt, block: everywhere([stmt.block], pass)[0]! } };
  if (type === 'ScanStmt')
    return { type, stmt: { ...stmt, block: everywhere([stmt.block], pass)[0]! } };
  if (type === 'WithStmt')
    return { type, stmt: { ...stmt, block: everywhere([stmt.block], pass)[0]! } };
  return statement;
}
