// `npm run agentdojo`: plays AgentDojo's user tasks and attacks through the platform and counts, from the evidence.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type StateFolder, stateFolder } from '../../cli/state-folder.ts';
import { startPlatform } from '../../cli/up/platform.ts';
import { pythonSdk, pythonWith, sdkRequirements } from '../../sdk/python/environment.ts';
import { printTables } from './print.ts';
import { openSuite, type Pair, type PlayRecord, type SuiteRun } from './suite.ts';
import { type Counts, count, type MoreCounts, readFacts } from './tally.ts';

const help = `Usage
  npm run agentdojo [-- options]

Installs AgentDojo into an environment of its own, registers its tools in the gateway, runs each
suite's agent under the platform and plays each user task, alone and with each attack.

Options
  --suite S       one of workspace, travel, banking, slack; all by default
  --sample N      about N pairs, evenly chosen, in place of all 929
  --undefended    AgentDojo alone, with no platform, to compare
  --json          one JSON object
  --state DIR     keep the platform's state there; by default it is removed at the end`;

const suiteNames = ['workspace', 'travel', 'banking', 'slack'];
const here = fileURLToPath(new URL('.', import.meta.url));
const cli = fileURLToPath(new URL('../../cli/platform.ts', import.meta.url));

export interface Options {
  suites: string[];
  sample?: number;
  state?: string;
  onProgress?(line: string): void;
}

export interface Report extends Counts {
  rows: number;
  rowsReproduced: number;
  suites: { [name: string]: Counts };
}

/** Plays and counts. Rejects when the platform, Python or AgentDojo cannot be run. */
export async function runAgentDojo(
  options: Options,
): Promise<{ report: Report; more: { [suite: string]: Counts & MoreCounts } }> {
  const python = agentDojoPython();
  const root = options.state ?? mkdtempSync(join(tmpdir(), 'platform-agentdojo-'));
  const state = stateFolder(root);
  try {
    const plays = await playSuites(options, state, python);
    const facts = await readFacts(state);
    const more: { [suite: string]: Counts & MoreCounts } = {};
    for (const name of options.suites) {
      const own = plays.filter(({ suite }) => suite === name);
      more[name] = count(own, facts);
    }
    more.all = count(plays, facts);
    const { all, ...suites } = more;
    options.onProgress?.('every decision of every row is executed again …');
    const report: Report = {
      ...published(all!),
      ...verify(state),
      suites: Object.fromEntries(
        Object.entries(suites).map(([name, counts]) => [name, published(counts)]),
      ),
    };
    return { report, more };
  } finally {
    if (options.state === undefined) rmSync(root, { recursive: true, force: true });
  }
}

/** The interpreter of AgentDojo's environment; the SDK is on its path. */
export function agentDojoPython(): string {
  const pinned = readFileSync(join(here, 'requirements.txt'), 'utf8').trim().split('\n');
  return pythonWith('agentdojo', [...pinned, ...sdkRequirements], { paths: [pythonSdk] });
}

async function playSuites(
  options: Options,
  state: StateFolder,
  python: string,
): Promise<PlayRecord[]> {
  const platform = await startPlatform({
    state,
    policies: [join(here, '..', 'policies', 'agentdojo')],
    port: 0,
  });
  let plays = 0;
  const onPlay = () => {
    if (++plays % 100 === 0) options.onProgress?.(`${plays} plays`);
  };
  const suites: SuiteRun[] = [];
  try {
    // One after the other: what was opened is known, and closed, when the next one fails.
    for (const name of options.suites) suites.push(await openSuite(name, state, python));
    const total = suites.reduce(
      (sum, { tasks, attacks }) => sum + tasks.length * attacks.length,
      0,
    );
    const every = Math.max(1, Math.floor(total / (options.sample ?? total)));
    const choose = (pairs: Pair[]) => pairs.filter((_, index) => index % every === 0);
    const played = await Promise.all(suites.map((suite) => suite.play(choose, onPlay)));
    return played.flat();
  } finally {
    await Promise.all(suites.map((suite) => suite.close()));
    await platform.stop();
  }
}

/** Verifies the evidence with `platform audit`, offline, with the openings of committed fields. */
function verify(state: StateFolder): { rows: number; rowsReproduced: number } {
  const args = ['audit', '--verify', '--stored-openings', '--json', '--state', state.root];
  const audit = spawnSync(process.execPath, [cli, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const line = audit.stdout.trim().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) throw new Error(`the audit failed: ${audit.stderr}`);
  const { rows, row_verdicts: verdicts } = JSON.parse(line);
  return { rows, rowsReproduced: verdicts.reproduced };
}

function published(counts: Counts & MoreCounts): Counts {
  const { pairs, tasks, tasksWhole, tasksWholeUnasked, questions } = counts;
  const { attacks, attacksExecuted, attacksAsked } = counts;
  return {
    ...{ pairs, tasks, tasksWhole, tasksWholeUnasked, questions },
    ...{ attacks, attacksExecuted, attacksAsked },
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      suite: { type: 'string' },
      sample: { type: 'string' },
      undefended: { type: 'boolean' },
      json: { type: 'boolean' },
      state: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return void console.log(help);
  if (values.suite !== undefined && !suiteNames.includes(values.suite)) {
    throw new Error(`there is no suite ${values.suite}; ${suiteNames.join(', ')}`);
  }
  if (values.undefended) {
    const only = values.suite === undefined ? [] : ['--suite', values.suite];
    const args = ['-B', 'undefended.py', ...only];
    execFileSync(agentDojoPython(), args, { cwd: here, stdio: 'inherit' });
    return;
  }
  const sample = values.sample === undefined ? undefined : Number(values.sample);
  if (sample !== undefined && !(sample >= 1)) throw new Error('--sample takes a number of pairs');
  const startedAt = performance.now();
  const { report, more } = await runAgentDojo({
    suites: values.suite === undefined ? suiteNames : [values.suite],
    ...(sample === undefined ? {} : { sample }),
    ...(values.state === undefined ? {} : { state: values.state }),
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
  if (values.json) console.log(JSON.stringify(report));
  else printTables(report, more, (performance.now() - startedAt) / 1000);
}

if (import.meta.main) await main();
