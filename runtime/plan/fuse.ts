// Makes one statement of a test's call and the check of its answer, and of keys that are looked up in a row.
import { DATA, type IrStatement, type Local, type Operand } from './ir.ts';
import { Kind } from './layout.ts';
import type { LocalUse } from './locals.ts';
import { isComparison } from './statements/comparison.ts';

/** The built-ins that ask for a value's kind. */
const KINDS: Readonly<Record<string, readonly number[]>> = {
  is_array: [Kind.Array],
  is_boolean: [Kind.False, Kind.True],
  is_null: [Kind.Null],
  is_number: [Kind.Number],
  is_object: [Kind.Object],
  is_set: [Kind.Set],
  is_string: [Kind.String],
};

/** The pass over one block. */
export function fuse(
  strings: readonly string[],
  use: LocalUse,
): (stmts: readonly IrStatement[]) => readonly IrStatement[] {
  return (stmts) => {
    const fused: IrStatement[] = [];
    // What was looked up in the data step by step, as OPA looks up a path in its store.
    const stored = new Set<Local>([DATA]);
    for (let at = 0; at < stmts.length; at++) {
      const statement = stmts[at]!;
      const test = asTest(statement, stmts[at + 1], use);
      if (test !== undefined) {
        fused.push(test);
        at++;
        continue;
      }
      const path = asPath(statement, strings);
      const before = fused.at(-1);
      // A step that only the next one needs is no variable of its own.
      if (
        path?.type === 'PathStmt' &&
        before?.type === 'PathStmt' &&
        follows(before.stmt.target, path.stmt.root, use)
      ) {
        fused.pop();
        const { root, keys } = before.stmt;
        fused.push({
          type: 'PathStmt',
          stmt: { root, keys: [...keys, ...path.stmt.keys], target: path.stmt.target },
        });
      } else fused.push(path ?? asStored(statement, stored));
      if (statement.type === 'DotStmt' && isIn(statement.stmt.source, stored))
        stored.add(statement.stmt.target);
    }
    return fused;
  };
}

/** A call of a test whose answer only the next statement reads, which goes on unless it is false. */
function asTest(
  statement: IrStatement,
  next: IrStatement | undefined,
  use: LocalUse,
): IrStatement | undefined {
  if (statement.type !== 'CallStmt' || next?.type !== 'NotEqualStmt') return undefined;
  const { func, args, result } = statement.stmt;
  const { a, b } = next.stmt;
  if (!isLocal(a, result) || b.type !== 'bool' || b.value || use.reads.get(result) !== 1)
    return undefined;
  const kinds = Object.hasOwn(KINDS, func) ? KINDS[func] : undefined;
  if (kinds !== undefined && args?.length === 1)
    return { type: 'KindStmt', stmt: { source: args[0]!, kinds } };
  if (!isComparison(func) || args?.length !== 2) return undefined;
  return { type: 'CompareStmt', stmt: { operator: func, a: args[0]!, b: args[1]! } };
}

function asPath({ type, stmt }: IrStatement, strings: readonly string[]): IrStatement | undefined {
  if (type !== 'DotStmt' || stmt.source.type !== 'local' || stmt.key.type !== 'string_index')
    return undefined;
  const keys = [strings[stmt.key.value] ?? ''];
  return { type: 'PathStmt', stmt: { root: stmt.source.value, keys, target: stmt.target } };
}

/** A look-up in the data by a key that may be a number, which the names in OPA's store are not. */
function asStored(statement: IrStatement, stored: ReadonlySet<Local>): IrStatement {
  const { type, stmt } = statement;
  if (type !== 'DotStmt' || stmt.key.type !== 'local' || !isIn(stmt.source, stored))
    return statement;
  return { type: 'StoredDotStmt', stmt };
}

function isIn(operand: Operand, locals: ReadonlySet<Local>): boolean {
  return operand.type === 'local' && locals.has(operand.value);
}

function follows(target: Local, root: Local, use: LocalUse): boolean {
  return target === root && use.reads.get(target) === 1 && use.writes.get(target) === 1;
}

function isLocal(operand: Operand, local: Local): boolean {
  return operand.type === 'local' && operand.value === local;
}
