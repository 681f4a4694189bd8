// Which variables the statements of a plan read, give a value and change.
import type { IrBlock, IrStatement, List, Local, Operand } from './ir.ts';

export interface LocalUse {
  /** How many statements read a variable's value; a change of the value does not count. */
  reads: ReadonlyMap<Local, number>;
  /** How many statements give a variable its value. */
  writes: ReadonlyMap<Local, number>;
  /** How many statements add to the array, object or set of a variable. */
  changes: ReadonlyMap<Local, number>;
  /** Whether every variable that is added to has only values that the function made for it. */
  ownChanges: boolean;
}

/** Counts the use of every variable in the blocks of a plan or a function. */
export function localUse(blocks: List<IrBlock>): LocalUse {
  const use = {
    reads: new Map<Local, number>(),
    writes: new Map<Local, number>(),
    changes: new Map<Local, number>(),
  };
  const made = new Map<Local, number>();
  const visit = (block: IrBlock): void => {
    for (const statement of block.stmts ?? []) {
      for (const local of readsOf(statement)) count(use.reads, local);
      for (const local of writesOf(statement)) {
        count(use.writes, local);
        if (statement.type.startsWith('Make')) count(made, local);
      }
      const changed = changedBy(statement);
      if (changed !== undefined) count(use.changes, changed);
      for (const inner of blocksOf(statement)) visit(inner);
    }
  };
  for (const block of blocks ?? []) visit(block);
  const ownChanges = [...use.changes.keys()].every(
    (local) => made.get(local) === use.writes.get(local),
  );
  return { ...use, ownChanges };
}

/** The blocks that a statement holds. */
export function blocksOf({ type, stmt }: IrStatement): readonly IrBlock[] {
  if (type === 'BlockStmt') return stmt.blocks ?? [];
  return type === 'NotStmt' || type === 'ScanStmt' || type === 'WithStmt' ? [stmt.block] : [];
}

/** The variable whose array, object or set a statement adds to. */
export function changedBy({ type, stmt }: IrStatement): Local | undefined {
  if (type === 'ArrayAppendStmt') return stmt.array;
  if (type === 'ObjectInsertStmt' || type === 'ObjectInsertOnceStmt') return stmt.object;
  return type === 'SetAddStmt' ? stmt.set : undefined;
}

/** The variables that a statement gives a value, without those of its blocks. */
export function writesOf({ type, stmt }: IrStatement): Local[] {
  if (type === 'ScanStmt') return [stmt.key, stmt.value];
  if (type === 'WithStmt') return [stmt.local];
  if ('target' in stmt) return [stmt.target];
  return 'result' in stmt ? [stmt.result] : [];
}

/** The variables that a statement reads, without those of its blocks. */
export function readsOf(statement: IrStatement): Local[] {
  const { type, stmt } = statement;
  switch (type) {
    case 'ReturnLocalStmt':
    case 'ScanStmt':
    case 'IsDefinedStmt':
    case 'IsUndefinedStmt':
      return [stmt.source];
    case 'ResultSetAddStmt':
      return [stmt.value];
    case 'ObjectMergeStmt':
      return [stmt.a, stmt.b];
    case 'PathStmt':
      return [stmt.root];
    case 'CallDynamicStmt':
      return [...(stmt.args ?? []), ...localsOf(stmt.path ?? [])];
    case 'CallStmt':
      return localsOf(stmt.args ?? []);
    case 'WithStmt':
      return [stmt.local, ...localsOf([stmt.value])];
    default:
      return localsOf(Object.values(stmt).filter(isOperand));
  }
}

function localsOf(operands: readonly Operand[]): Local[] {
  return operands.flatMap((operand) => (operand.type === 'local' ? [operand.value] : []));
}

function isOperand(value: unknown): value is Operand {
  return typeof value === 'object' && value !== null && 'type' in value && 'value' in value;
}

function count(counts: Map<Local, number>, local: Local): void {
  counts.set(local, (counts.get(local) ?? 0) + 1);
}
