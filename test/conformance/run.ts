// Runs conformance cases on all processors: each worker has a compiler of its own and takes the next case.
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { RegoCompiler } from '../../runtime/modules/rego.ts';
import { loadCases } from './cases.ts';
import { runCase, type Verdict } from './run-case.ts';

export interface RunOptions {
  /** One folder of OPA's cases; all of them without it. */
  folder?: string;
  /** OPA's level of partial evaluation. */
  optimize?: 0 | 1 | 2;
  /** wasm/build/engine.wasm, or another build of the engine. */
  engine?: string;
  /** Called after each case. */
  progress?: (done: number, of: number) => void;
}

const builtEngine = new URL('../../wasm/build/engine.wasm', import.meta.url);

/** The verdicts in the order of the cases. */
export async function runCases(options: RunOptions = {}): Promise<Verdict[]> {
  const { folder, progress } = options;
  const cases = await loadCases(folder);
  const verdicts: Verdict[] = new Array(cases.length);
  let next = 0;
  let done = 0;
  const settings = {
    folder,
    optimize: options.optimize ?? 0,
    engine: await readFile(options.engine ?? builtEngine),
  };
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: settings });
      const give = () => worker.postMessage(next < cases.length ? next++ : undefined);
      worker.on('message', (answer: { index: number; verdict: Verdict } | 'ready') => {
        if (answer !== 'ready') {
          verdicts[answer.index] = answer.verdict;
          done += 1;
          progress?.(done, cases.length);
        }
        give();
      });
      worker.on('error', reject);
      worker.on('exit', () => resolve());
    });
  const workers = Math.min(availableParallelism(), Math.ceil(cases.length / 20));
  await Promise.all(Array.from({ length: workers }, work));
  return verdicts;
}

async function serve(): Promise<void> {
  const { folder, optimize, engine } = workerData as {
    folder?: string;
    optimize: 0 | 1 | 2;
    engine: Uint8Array;
  };
  const compiler = await RegoCompiler.load();
  const cases = await loadCases(folder);
  const port = parentPort!;
  port.on('message', async (index: number | undefined) => {
    if (index === undefined) return port.close();
    const verdict = await runCase(cases[index]!, { compiler, engine, optimize });
    port.postMessage({ index, verdict });
  });
  port.postMessage('ready');
}

if (!isMainThread && workerData?.engine !== undefined) await serve();
