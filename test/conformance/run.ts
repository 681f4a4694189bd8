// Runs conformance cases on all processors.
import { readFile } from 'node:fs/promises';
import { isMainThread, workerData } from 'node:worker_threads';
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
  engine: Uint8Array;
}

/** The verdicts in the order of the cases. */
export async function runCases(options: RunOptions = {}): Promise<Verdict[]> {
  const { folder, optimize = 0, engine, progress } = options;
  const { length: count } = await loadCases(folder);
  const verdicts: Verdict[] = new Array(count);
  const settings: Settings = { folder, optimize, engine: await readFile(engine ?? builtEngine) };
  let finished = 0;
  await runTasks<Verdict>({
    worker: new URL(import.meta.url),
    workerData: settings,
    more: (index) => index < count,
    done: (index, verdict) => {
      verdicts[index] = verdict;
      finished += 1;
      progress?.(finished, count);
    },
  });
  return verdicts;
}

if (!isMainThread) {
  const { folder, optimize, engine } = workerData as Settings;
  const compiler = await RegoCompiler.load();
  const cases = await loadCases(folder);
  serveTasks((index) => runCase(cases[index]!, { compiler, engine, optimize }));
}
