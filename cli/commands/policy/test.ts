// `platform policy test`: runs the test rules and says which lines none of them reached.
import pc from 'picocolors';
import { RegoCompiler, type RegoCoverage, type RegoTest } from '../../../runtime/modules/rego.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { describeFindings } from './findings.ts';
import { policySources, print, printJson } from './sources.ts';

export interface TestFlags {
  folders: string[];
  json: boolean;
  /** Regular expression over `data.<package>.<test>`. */
  run?: string;
  /** Least percentage of covered lines. */
  threshold: number;
}

/** Returns 0 when all passed and enough lines were covered; prints `{ok, errors, tests, coverage}`. */
export async function test(flags: TestFlags): Promise<number> {
  const sources = await policySources(flags.folders);
  const answer = (await RegoCompiler.load()).test({ ...sources, run: flags.run });
  const covered = answer.coverage.percent >= flags.threshold;
  const ok = answer.ok && covered && answer.tests.length > 0;
  if (flags.json) {
    printJson({ ok, errors: answer.errors, tests: answer.tests, coverage: answer.coverage });
  } else if (answer.errors.length > 0) {
    print(describeFindings(answer.errors));
  } else {
    for (const outcome of answer.tests) if (!outcome.pass) print(describeFailure(outcome));
    print(summary(answer.tests));
    print(describeCoverage(answer.coverage, covered));
  }
  return ok ? 0 : EXIT_FAILED;
}

function describeFailure(outcome: RegoTest): string {
  const state = outcome.skip === true ? pc.yellow('skipped') : pc.red('failed');
  const lines = [`${state} ${outcome.file}:${outcome.row} ${outcome.name}`];
  if (outcome.failed_at !== undefined) {
    lines.push(`  not true: ${outcome.file}:${outcome.failed_at_row} ${outcome.failed_at}`);
  }
  if (outcome.error !== undefined) lines.push(`  ${outcome.error}`);
  if (outcome.output !== undefined && outcome.output !== '') {
    lines.push(
      ...outcome.output
        .trimEnd()
        .split('\n')
        .map((line) => `  print: ${line}`),
    );
  }
  return lines.join('\n');
}

function summary(tests: readonly RegoTest[]): string {
  if (tests.length === 0) return pc.red('no test was found');
  const passed = tests.filter((outcome) => outcome.pass).length;
  const skipped = tests.filter((outcome) => outcome.skip === true).length;
  return `${passed} passed, ${tests.length - passed - skipped} failed, ${skipped} skipped`;
}

function describeCoverage(coverage: RegoCoverage, enough: boolean): string {
  const percent = `${coverage.percent.toFixed(1)} % of lines covered`;
  const missed = Object.entries(coverage.files)
    .filter(([, ranges]) => ranges.length > 0)
    .map(([file, ranges]) => {
      const rows = ranges.map(({ start, end }) => (start === end ? start : `${start}-${end}`));
      return `  not covered: ${file}:${rows.join(',')}`;
    });
  return [enough ? percent : pc.red(percent), ...missed].join('\n');
}
