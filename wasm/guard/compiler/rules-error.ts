// The error of a rule file that cannot be compiled: where it stands and what to do about it.

/** `message` names file, line and column and says what to change. */
export class RuleError extends Error {
  readonly code = 'rule_invalid';
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;

  constructor(file: string, line: number, column: number, reason: string, cause?: unknown) {
    super(`${file}:${line}:${column}: ${reason}`, { cause });
    this.name = 'RuleError';
    this.file = file;
    this.line = line;
    this.column = column;
  }
}

/** What is wrong with a pattern, at an offset of its text; who reads the file adds where it stands. */
export class PatternError extends Error {
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(reason);
    this.name = 'PatternError';
    this.offset = offset;
  }
}
