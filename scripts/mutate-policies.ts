// Changes the policies in every small way and says which changes their tests do not notice.
import { basename, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { groupOf, type MutationGroup } from '../cli/policy/mutate/groups.ts';
import { type MutationReport, runMutants } from '../cli/policy/mutate/run.ts';
import { readPolicies } from '../runtime/bundle/compile.ts';

const help = `Usage
  npm run mutate:policies [-- [--json] [FOLDER|BOUNDARY...]]

Makes mutants of policies (operators flipped; conditions dropped and negated; grants and reasons, true
and false exchanged; constants changed; members dropped; results of neighbours exchanged; rules that
never hold), runs the tests against each, and lists those that no test notices. Texts of messages are
not changed, and mutants that do not compile are not counted.

BOUNDARY is a folder of policies/, FOLDER one of operators' policies. Without either, all of policies/.

Options
  --json     print {mutants, killed, folders, survivors}
  --help

Exit codes
  0 at least 95 % were killed, of all and of each folder's; 1 fewer, or the tests fail as they are
  2 wrong command line

Examples
  npm run mutate:policies
  npm run mutate:policies -- tool credential
  npm run mutate:policies -- examples/policies/business-hours`;

const LEAST = 0.95;
const policies = fileURLToPath(new URL('../policies', import.meta.url));

async function groupsOf(given: readonly string[]): Promise<MutationGroup[]> {
  const own = await readPolicies(policies);
  const folders = [...new Set(own.files.map(({ path }) => path.split('/')[0]!))];
  if (given.length === 0) return folders.map((folder) => groupOf(own, folder));
  const groups: MutationGroup[] = [];
  for (const path of given) {
    const name = relative(policies, resolve(path));
    const folder = folders.find((each) => each === path || each === name);
    if (folder !== undefined) groups.push(groupOf(own, folder));
    else {
      const sources = await readPolicies([policies, path]);
      groups.push(groupOf(sources, `operator/${basename(path)}`));
    }
  }
  return groups;
}

function print({ mutants, killed, folders, survivors }: MutationReport): void {
  for (const { file, row, source, mutation } of survivors) {
    process.stdout.write(`${file}:${row}: ${mutation}\n  ${String(row).padStart(4)} | ${source}\n`);
  }
  for (const [name, score] of Object.entries(folders)) printScore(`${name}: `, score);
  printScore('', { mutants, killed });
}

function printScore(name: string, { mutants, killed }: { mutants: number; killed: number }): void {
  const percent = mutants === 0 ? 0 : (100 * killed) / mutants;
  process.stdout.write(`${name}${killed} of ${mutants} mutants killed (${percent.toFixed(1)} %)\n`);
}

function progress(done: number, all: number, survivors: number): void {
  const line = `${done} of ${all} mutants tried, ${survivors} live`;
  process.stderr.write(process.stderr.isTTY ? `\r${line}` : `${line}\n`);
}

async function main(): Promise<number> {
  let options: ReturnType<typeof read>;
  try {
    options = read();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}\n`);
    return 2;
  }
  if (options.values.help === true) {
    process.stdout.write(`${help}\n`);
    return 0;
  }
  const report = await runMutants(await groupsOf(options.positionals), progress);
  if (process.stderr.isTTY) process.stderr.write('\n');
  if (options.values.json === true) process.stdout.write(`${JSON.stringify(report)}\n`);
  else print(report);
  return [report, ...Object.values(report.folders)].every(enough) ? 0 : 1;
}

function enough({ mutants, killed }: { mutants: number; killed: number }): boolean {
  return mutants > 0 && killed >= LEAST * mutants;
}

const read = () =>
  parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean' }, help: { type: 'boolean' } },
  });

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
