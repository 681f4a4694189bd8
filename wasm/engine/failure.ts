// What ends an evaluation without an answer, and what a failing built-in does.

/** Why an evaluation ended; runtime/modules/decisions.ts maps them to codes. */
export const enum Failure {
  None,
  /** A built-in cannot answer these arguments: undefined, or under `strict` the end (OPA's eval_builtin_error). */
  Builtin,
  /** A built-in was given an argument of another type (OPA's eval_type_error). */
  Type,
  /** Two rules give one document different values (OPA's eval_conflict_error). */
  Conflict,
  /** The module's memory is used up. */
  Memory,
  /** A value nests deeper than the limit. */
  Depth,
  /** A `with` replaces what cannot be replaced (OPA's eval_with_merge_error). */
  Merge,
}

let failure: Failure = Failure.None;
let strict: bool = false;

/** Why the last evaluation ended in a trap, or `None`. */
export function failureOf(): i32 {
  return failure;
}

/** Whether a failing built-in ends the evaluation (OPA's strict built-in errors). */
export function setStrict(on: bool): void {
  strict = on;
}

/** Forgets the last failure; each evaluation begins with it. */
export function clearFailure(): void {
  failure = Failure.None;
}

/** Ends the evaluation. */
export function stop(reason: Failure): void {
  failure = reason;
  unreachable();
}

/** What a built-in returns that cannot answer: undefined (0), unless errors are strict. */
export function failed(reason: Failure = Failure.Builtin): u32 {
  if (strict) stop(reason);
  return 0;
}
