// What a rule asks of its documents and arguments before anything else: a value that must equal a constant.
import type { Constant, IrBlock, IrStatement, Local, Operand } from './ir.ts';

/** Integers with one text each, which a double has too. */
const INTEGER = /^(0|-?[1-9][0-9]{0,14})$/;

/** A rule of a function: the block of its body, and what takes over its value. */
export interface Rule {
  blocks: IrBlock[];
  guards: Guard[];
}

/** The rule holds only where this value is there and equals the constant. */
export interface Guard {
  subject: Subject;
  constant: Constant;
}

/** A path below one of the function's parameters; the path may be empty. */
export interface Subject {
  name: string;
  root: Local;
  keys: readonly string[];
}

/** The guards of a body: of its first statements, which change nothing and call nothing. */
export function guardsOf(
  body: IrBlock,
  params: readonly Local[],
  strings: readonly string[],
): Guard[] {
  const guards: Guard[] = [];
  const subjects = new Map<Local, Subject>(params.map((root) => [root, subjectOf(root, [])]));
  const constants = new Map<Local, Constant>();
  for (const statement of body.stmts ?? []) {
    const { type, stmt } = statement;
    if (type === 'EqualStmt') {
      const guard = guardOf(stmt.a, stmt.b) ?? guardOf(stmt.b, stmt.a);
      if (guard !== undefined) guards.push(guard);
    } else if (type === 'PathStmt') {
      const root = subjects.get(stmt.root);
      if (root === undefined) subjects.delete(stmt.target);
      else subjects.set(stmt.target, subjectOf(root.root, [...root.keys, ...stmt.keys]));
    } else if (type === 'AssignVarStmt') {
      const subject = stmt.source.type === 'local' ? subjects.get(stmt.source.value) : undefined;
      if (subject === undefined) subjects.delete(stmt.target);
      else subjects.set(stmt.target, subject);
    } else if (!learn(statement, constants, strings)) break;
  }
  return guards;

  function guardOf(value: Operand, other: Operand): Guard | undefined {
    const subject = value.type === 'local' ? subjects.get(value.value) : undefined;
    const constant = constantOf(other, constants, strings);
    return subject && constant ? { subject, constant } : undefined;
  }
}

/** Notes a constant that a variable gets. False when the statement may do more than that or test. */
function learn(
  { type, stmt }: IrStatement,
  constants: Map<Local, Constant>,
  strings: readonly string[],
): boolean {
  switch (type) {
    case 'MakeNumberRefStmt':
      // Others may equal constants of another text.
      if (INTEGER.test(strings[stmt.index] ?? ''))
        constants.set(stmt.target, { type: 'integer', value: Number(strings[stmt.index]) });
      else constants.delete(stmt.target);
      return true;
    case 'MakeNumberIntStmt':
      if (Number.isSafeInteger(stmt.value))
        constants.set(stmt.target, { type: 'integer', value: stmt.value });
      else constants.delete(stmt.target);
      return true;
    case 'CompareStmt':
    case 'ConstantStmt':
    case 'IsArrayStmt':
    case 'IsDefinedStmt':
    case 'IsObjectStmt':
    case 'IsSetStmt':
    case 'IsUndefinedStmt':
    case 'KindStmt':
    case 'NotEqualStmt':
    case 'ResetLocalStmt':
      return true;
    default:
      return false;
  }
}

function constantOf(
  operand: Operand,
  constants: ReadonlyMap<Local, Constant>,
  strings: readonly string[],
): Constant | undefined {
  if (operand.type === 'local') return constants.get(operand.value);
  if (operand.type === 'bool') return { type: 'boolean', value: operand.value === true };
  return { type: 'string', text: strings[operand.value] ?? '' };
}

function subjectOf(root: Local, keys: readonly string[]): Subject {
  return { name: JSON.stringify([root, ...keys]), root, keys };
}
