// Runs conformance cases on all processors.
import { readFile } from 'node:fs/promises';
import { RegoCompiler } from '../../runtime/modules/rego.ts';
import { loadCases } from './cases.ts';
import { builtEngine } from './engine.ts';
import { runTasks, serveTasks } from './pool.ts';
import { runCase, type Verdict } from './run-case.ts';

export interface RunOptions {
  /** One folder of OPA's cases; all of them without it. */
  folder?: string;
  /** OPA's level of partial evaluation. */
  optimize?: 0 | 1 | 2;
  /** Another build of the engine than wasm/build/engine.wasm. */
  engine?: string;
  /** Called after each case. */
  progress?: (done: number, of: number) => void;
}

interface Settings {
  folder?: string;
  optimize: 0 | 1 | 2;
  engine?: string;
}

/** The verdicts in the order of the cases. */
export async function runCases(options: RunOptions = {}): Promise<Verdict[]> {
  const { folder, optimize = 0, engine, progress } = options;
  const { length: count } = await loadCases(folder);
  const verdicts: Verdict[] = new Array(count);
  const settings: Settings = { folder, optimize, engine };
  let finished = 0;
  await runTasks<Settings, Verdict>({
    worker: import.meta.url,
    settings,
    more: (index) => index < count,
    done: (index, verdict) => {
      verdicts[index] = verdict;
      finished += 1;
      progress?.(finished, count);
    },
  });
  return verdicts;
}

serveTasks<Settings, Verdict>(import.meta.url, async ({ folder, optimize, engine: path }) => {
  const compiler = await RegoCompiler.load();
  const engine = await readFile(path ?? builtEngine);
  const cases = await loadCases(folder);
  return (index) => runCase(cases[index]!, { compiler, engine, optimize });
});
