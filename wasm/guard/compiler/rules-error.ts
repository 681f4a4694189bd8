// The error of a rule file that cannot be compiled: where it stands and what to do about it.

/** Where something stands in a rule file; line and column count from 1. */
export interface Place {
  file: string;
  line: number;
  column: number;
}

/** `message` names file, line and column and says what to change. */
export class RuleError extends Error {
  readonly code = 'rule_invalid';
  readonly place: Place;

  constructor(place: Place, reason: string, cause?: unknown) {
    super(`${place.file}:${place.line}:${place.column}: ${reason}`, { cause });
    this.name = 'RuleError';
    this.place = place;
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
