// Makes constants of arrays, objects and sets that are built of nothing but constants.
import type { Constant, IrStatement, Local, Operand } from './ir.ts';
import { blocksOf, changedBy, type LocalUse, readsOf } from './locals.ts';

/** A value that is being built; complete once all changes that the function makes were seen. */
interface Building {
  at: number;
  type: 'array' | 'object' | 'set';
  entries: Constant[][];
  changes: number[];
}

const BUILT = { MakeArrayStmt: 'array', MakeObjectStmt: 'object', MakeSetStmt: 'set' } as const;

/**
 * The pass over one block: a value that is made once, changed in this block only, by constants and before
 * anything reads it, is made beforehand.
 */
export function foldConstants(
  strings: readonly string[],
  use: LocalUse,
): (stmts: readonly IrStatement[]) => readonly IrStatement[] {
  // What one variable holds may be changed through another one where values come from elsewhere.
  if (!use.ownChanges) return (stmts) => stmts;
  return (stmts) => new Folding(strings, use).fold(stmts);
}

class Folding {
  readonly #strings: readonly string[];
  readonly #use: LocalUse;
  readonly #building = new Map<Local, Building>();
  readonly #known = new Map<Local, Constant>();

  constructor(strings: readonly string[], use: LocalUse) {
    this.#strings = strings;
    this.#use = use;
  }

  fold(stmts: readonly IrStatement[]): readonly IrStatement[] {
    stmts.forEach((statement, at) => {
      this.#visit(statement, at);
    });
    const gone = new Set<number>();
    const made = new Map<number, IrStatement>();
    for (const [target, { at, changes }] of this.#building) {
      const constant = this.#complete(target);
      if (constant === undefined) continue;
      made.set(at, { type: 'ConstantStmt', stmt: { constant, target } });
      for (const change of changes) gone.add(change);
    }
    return stmts.flatMap((statement, at) => (gone.has(at) ? [] : [made.get(at) ?? statement]));
  }

  #visit(statement: IrStatement, at: number): void {
    const { type, stmt } = statement;
    if (type === 'MakeArrayStmt' || type === 'MakeObjectStmt' || type === 'MakeSetStmt') {
      if (this.#use.writes.get(stmt.target) === 1)
        this.#building.set(stmt.target, { at, type: BUILT[type], entries: [], changes: [] });
      return;
    }
    if (type === 'MakeNumberRefStmt')
      this.#know(stmt.target, { type: 'number', text: this.#strings[stmt.index] ?? '' });
    if (type === 'MakeNumberIntStmt')
      this.#know(stmt.target, { type: 'integer', value: stmt.value });
    if (type === 'MakeNullStmt') this.#know(stmt.target, { type: 'null', value: false });
    const changed = changedBy(statement);
    const building = changed === undefined ? undefined : this.#building.get(changed);
    if (building !== undefined) {
      const entry = this.#entry(statement);
      if (entry === undefined) this.#building.delete(changed!);
      else {
        building.entries.push(entry);
        building.changes.push(at);
      }
    }
    for (const local of reads(statement))
      if (this.#building.has(local) && this.#complete(local) === undefined)
        this.#building.delete(local);
  }

  #know(local: Local, constant: Constant): void {
    if (this.#use.writes.get(local) === 1) this.#known.set(local, constant);
  }

  /** What a statement adds, if that is constant; a key that is there twice is left to the evaluation. */
  #entry({ type, stmt }: IrStatement): Constant[] | undefined {
    const operands =
      type === 'ObjectInsertStmt'
        ? [stmt.key, stmt.value]
        : type === 'ArrayAppendStmt' || type === 'SetAddStmt'
          ? [stmt.value]
          : [];
    const entry = operands.map((operand) => this.#constant(operand));
    return entry.length > 0 && entry.every((each) => each !== undefined) ? entry : undefined;
  }

  #constant(operand: Operand): Constant | undefined {
    if (operand.type === 'string_index')
      return { type: 'string', text: this.#strings[operand.value] ?? '' };
    if (operand.type === 'bool') return { type: 'boolean', value: operand.value === true };
    return this.#known.get(operand.value) ?? this.#complete(operand.value);
  }

  #complete(local: Local): Constant | undefined {
    const building = this.#building.get(local);
    if (building === undefined) return undefined;
    if (building.changes.length !== (this.#use.changes.get(local) ?? 0)) return undefined;
    if (building.type !== 'object')
      return { type: building.type, items: building.entries.map(([item]) => item!) };
    return { type: 'object', items: building.entries.map(([key, value]) => [key!, value!]) };
  }
}

/** What a statement reads, in its blocks too. */
function reads(statement: IrStatement): Local[] {
  const inner = blocksOf(statement).flatMap(({ stmts }) => (stmts ?? []).flatMap(reads));
  return [...readsOf(statement), ...inner];
}
