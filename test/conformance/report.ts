// What a run of the conformance cases comes to, in numbers and as a table by folder.
import Table from 'cli-table3';
import type { Verdict } from './run-case.ts';

export interface ConformanceReport {
  cases: number;
  /** Those without a built-in whose answer comes from outside. */
  deterministic: number;
  /** Of the deterministic ones. */
  passed: number;
  /** Of the deterministic ones, how many our own compiler took. */
  compiled: number;
  /** Of the deterministic ones, how many OPA optimised. */
  optimised: number;
  failed: { case: string; reason: string }[];
  nondeterministic: { case: string; builtins: string[]; passed: boolean }[];
}

/** The numbers of a run. */
export function reportOf(verdicts: readonly Verdict[]): ConformanceReport {
  const deterministic = verdicts.filter((each) => each.nondeterministic.length === 0);
  return {
    cases: verdicts.length,
    deterministic: deterministic.length,
    passed: deterministic.filter(({ passed }) => passed).length,
    compiled: deterministic.filter(({ compiled }) => compiled).length,
    optimised: deterministic.filter(({ optimised }) => optimised).length,
    failed: deterministic
      .filter(({ passed }) => !passed)
      .map((each) => ({ case: each.case, reason: each.reason ?? '' })),
    nondeterministic: verdicts
      .filter((each) => each.nondeterministic.length > 0)
      .map((each) => ({
        case: each.case,
        builtins: each.nondeterministic,
        passed: each.passed,
      })),
  };
}

/** A table by folder, folders with failures marked. */
export function tableOf(verdicts: readonly Verdict[]): string {
  const table = new Table({
    head: ['folder', 'cases', 'deterministic', 'passed', 'failed'],
    colAligns: ['left', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  });
  for (const folder of new Set(verdicts.map((each) => each.folder))) {
    const { cases, deterministic, passed } = reportOf(
      verdicts.filter((each) => each.folder === folder),
    );
    table.push([folder, cases, deterministic, passed, deterministic - passed || '']);
  }
  return table.toString();
}

/** `passed` of `all` in percent, with two digits after the point and never rounded up. */
export function share(passed: number, all: number): string {
  return `${(Math.floor((passed / Math.max(all, 1)) * 10_000) / 100).toFixed(2)} %`;
}
