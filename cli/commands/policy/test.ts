// `platform policy test`: runs the test rules and says which lines none of them reached.
import pc from 'picocolors';
import { RegoCompiler, type RegoCoverage, type RegoTest } from '../../../runtime/modules/rego.ts';
import type { Command } from '../../command.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { describeFindings } from './findings.ts';
import { FOLDERS_HELP, FOLDERS_MAX, policySources, print, printJson } from './sources.ts';

const help = `Usage
  platform policy test [FOLDER...] [--run R] [--threshold N] [options]

Runs the rules whose name begins with test_ in files that end in _test.rego, with OPA's interpreter,
and names the lines that no test reached.

${FOLDERS_HELP}

Options
  --run R          only tests whose name matches the regular expression R
  --threshold N    fail when fewer than N percent of the lines are covered (default 0)
  --json           print {ok, errors, tests, coverage}

Exit codes
  0 all passed and enough lines were covered; 1 not, or there was no test; 2 wrong command line

Examples
  platform policy test
  platform policy test my-policies --threshold 100
  platform policy test my-policies --run refunds`;

/** Runs the tests of policies. */
export const testVerb: Command = {
  name: 'test',
  summary: 'run tests, show uncovered lines',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      {
        json: { type: 'boolean', default: false },
        run: { type: 'string' },
        threshold: { type: 'string', default: '0' },
      },
      FOLDERS_MAX,
    );
    const threshold = Number(values.threshold);
    if (!(threshold >= 0 && threshold <= 100)) throw new UsageError('--threshold is a percentage');
    return test({ folders: positionals, json: values.json === true, run: values.run, threshold });
  },
};

interface TestFlags {
  folders: string[];
  json: boolean;
  /** Regular expression over `data.<package>.<test>`. */
  run?: string;
  /** Least percentage of covered lines. */
  threshold: number;
}

async function test(flags: TestFlags): Promise<number> {
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
