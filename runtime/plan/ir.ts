// The plan of a policy: OPA's intermediate representation as its JSON has it (package v1/ir).

/** A variable of a plan or a function. */
export type Local = number;

/** The locals that every plan and function begins with. */
export const INPUT: Local = 0;
export const DATA: Local = 1;

/** A value that a statement reads: a variable, a string constant by index, or a boolean. */
export type Operand =
  | { type: 'local'; value: Local }
  | { type: 'string_index'; value: number }
  | { type: 'bool'; value: boolean };

/** Go writes an empty list as null. */
export type List<Item> = readonly Item[] | null;

export interface IrBlock {
  stmts: List<IrStatement>;
}

/** What each kind of statement holds, beside its place in the sources. */
export interface Statements {
  ReturnLocalStmt: { source: Local };
  CallStmt: { func: string; args: List<Operand>; result: Local };
  CallDynamicStmt: { args: List<Local>; result: Local; path: List<Operand> };
  BlockStmt: { blocks: List<IrBlock> };
  BreakStmt: { index: number };
  DotStmt: { source: Operand; key: Operand; target: Local };
  LenStmt: { source: Operand; target: Local };
  ScanStmt: { source: Local; key: Local; value: Local; block: IrBlock };
  NotStmt: { block: IrBlock };
  AssignIntStmt: { value: number; target: Local };
  AssignVarStmt: { source: Operand; target: Local };
  AssignVarOnceStmt: { source: Operand; target: Local };
  ResetLocalStmt: { target: Local };
  MakeNullStmt: { target: Local };
  MakeNumberIntStmt: { value: number; target: Local };
  MakeNumberRefStmt: { index: number; target: Local };
  MakeArrayStmt: { capacity: number; target: Local };
  MakeObjectStmt: { target: Local };
  MakeSetStmt: { target: Local };
  EqualStmt: { a: Operand; b: Operand };
  NotEqualStmt: { a: Operand; b: Operand };
  IsArrayStmt: { source: Operand };
  IsObjectStmt: { source: Operand };
  IsSetStmt: { source: Operand };
  IsDefinedStmt: { source: Local };
  IsUndefinedStmt: { source: Local };
  ArrayAppendStmt: { value: Operand; array: Local };
  ObjectInsertStmt: { key: Operand; value: Operand; object: Local };
  ObjectInsertOnceStmt: { key: Operand; value: Operand; object: Local };
  ObjectMergeStmt: { a: Local; b: Local; target: Local };
  SetAddStmt: { value: Operand; set: Local };
  WithStmt: { local: Local; path: List<number>; value: Operand; block: IrBlock };
  NopStmt: Record<string, never>;
  ResultSetAddStmt: { value: Local };
}

/** Statements that our own passes make of those of OPA (simplify.ts). */
export interface OwnStatements {
  /** Gives a variable a value that is known beforehand. */
  ConstantStmt: { constant: Constant; target: Local };
  /** Ends the block unless a comparison holds: the built-in's name is its operator. */
  CompareStmt: { operator: string; a: Operand; b: Operand };
  /** Ends the block unless the value is of one of these kinds (layout.ts). */
  KindStmt: { source: Operand; kinds: readonly number[] };
  /** A DotStmt in the data document itself, where OPA takes a number for the name that is its text. */
  StoredDotStmt: Statements['DotStmt'];
  /** Looks up constant keys one after another. */
  PathStmt: { root: Local; keys: readonly string[]; target: Local };
}

/** A value that is known beforehand. */
export type Constant =
  | { type: 'string' | 'number'; text: string }
  | { type: 'integer'; value: number }
  | { type: 'null' | 'boolean'; value: boolean }
  | { type: 'array' | 'set'; items: readonly Constant[] }
  | { type: 'object'; items: readonly (readonly [Constant, Constant])[] };

export type AllStatements = Statements & OwnStatements;

export type StatementKind = keyof AllStatements;

export type IrStatement = {
  [Kind in StatementKind]: { type: Kind; stmt: AllStatements[Kind] };
}[StatementKind];

export interface IrFunction {
  name: string;
  /** The input and the data document, then what the function is given. */
  params: readonly Local[];
  return: Local;
  blocks: List<IrBlock>;
  /** Where the data document has it, below the generation that its name begins with. */
  path?: List<string>;
}

export interface IrPlan {
  name: string;
  blocks: List<IrBlock>;
}

export interface IrPolicy {
  static?: {
    strings?: List<{ value: string }>;
    builtin_funcs?: List<{ name: string }>;
  };
  plans?: { plans: List<IrPlan> };
  funcs?: { funcs: List<IrFunction> };
}
