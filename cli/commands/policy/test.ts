// `platform policy test`: runs the test rules, shows what a failed one saw, and names uncovered lines.
import pc from 'picocolors';
import { printable } from '../../../runtime/explain/printable.ts';
import { linesOf } from '../../../runtime/explain/text.ts';
import { linesOfTest } from '../../../runtime/explain/view.ts';
import {
  RegoCompiler,
  type RegoCoverage,
  type RegoFile,
  type RegoTest,
} from '../../../runtime/modules/rego.ts';
import type { Command } from '../../command.ts';
import { EXIT_FAILED, reportFailure } from '../../failure.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { followFolders } from '../../up/follow-policies.ts';
import { describeFindings } from './findings.ts';
import {
  FOLDERS_HELP,
  FOLDERS_MAX,
  isBundle,
  policyFolders,
  policySources,
  print,
  printJson,
  replacesOwn,
} from './sources.ts';

const help = `Usage
  platform policy test [FOLDER...] [--run R] [--threshold N] [--watch] [options]

Runs the rules whose name begins with test_ in files that end in _test.rego, with OPA's interpreter,
and names the lines that no test reached: those of the given folders, or of all policies. Of a failed test it shows each condition with the values
that it saw, and where one was not true, the rules behind it.

${FOLDERS_HELP}

Options
  --run R          only tests whose name matches the regular expression R
  --threshold N    fail when fewer than N percent of the lines are covered (default 0)
  --watch          run again whenever a file changes, until interrupted
  --json           print {ok, errors, tests, coverage}; with --watch once for each run, a line each

Exit codes
  0 all passed and enough lines were covered; 1 not, or there was no test; 2 wrong command line

Examples
  platform policy test
  platform policy test my-policies --threshold 100
  platform policy test my-policies --run refunds --watch`;

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
        watch: { type: 'boolean', default: false },
      },
      FOLDERS_MAX,
    );
    const threshold = Number(values.threshold);
    if (!(threshold >= 0 && threshold <= 100)) throw new UsageError('--threshold is a percentage');
    const flags = { folders: positionals, json: values.json === true, run: values.run, threshold };
    return values.watch === true ? watch(flags) : test(flags);
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
  const isWhole = flags.folders.length === 0 || flags.folders.some(replacesOwn);
  const files = isWhole ? sources.files : ownTests(sources.files);
  const answer = (await RegoCompiler.load()).test({ ...sources, files, run: flags.run });
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

/**
 * Of the platform's own files the policies alone, whose lines do not count: what an operator's folder
 * narrows would make tests fail that know nothing of it.
 */
function ownTests(files: readonly RegoFile[]): RegoFile[] {
  return files.flatMap((file) => {
    if (file.operator === true || file.tenant !== undefined) return [file];
    return file.path.endsWith('_test.rego') ? [] : [{ ...file, generated: true }];
  });
}

/** Runs the tests now and after every change; resolves to the last exit code when interrupted. */
async function watch(flags: TestFlags): Promise<number> {
  const folders = policyFolders(flags.folders.filter((path) => !isBundle(path)));
  let code = EXIT_FAILED;
  const stop = followFolders(folders, async () => {
    // A file that is being written may be no policy yet: that is said, and the next change is waited for.
    code = await test(flags).catch((error: unknown) =>
      reportFailure(error, 'policy test', flags.json),
    );
    if (!flags.json) print(pc.dim('waiting for a change; ctrl-c ends it'));
  });
  await new Promise<void>((resolve) => {
    // The watcher does not keep the process; this does.
    const alive = setInterval(() => {}, 1 << 30);
    const end = () => {
      clearInterval(alive);
      resolve();
    };
    process.once('SIGINT', end).once('SIGTERM', end);
  });
  await stop();
  return code;
}

function describeFailure(outcome: RegoTest): string {
  const state = outcome.skip === true ? pc.yellow('skipped') : pc.red('failed');
  const lines = [`${state} ${outcome.file}:${outcome.row} ${outcome.name}`];
  lines.push(...linesOf(linesOfTest(outcome.trace ?? []), false));
  if (outcome.error !== undefined) lines.push(`  ${outcome.error}`);
  if (outcome.output !== undefined && outcome.output !== '') {
    lines.push(
      ...outcome.output
        .trimEnd()
        .split('\n')
        .map((line) => `  print: ${printable(line)}`),
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
