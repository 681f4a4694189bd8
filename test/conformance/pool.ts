// Spreads numbered tasks over all processors; each worker has its own compiler and takes the next task.
import { availableParallelism } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';

/** So many cases take one worker about as long as a second one takes to start. */
const FEW = 20;

export interface PoolTasks<T> {
  /** The file that calls `serveTasks` when it is not the main thread. */
  worker: URL;
  workerData: unknown;
  /** Whether there is another task; asked before each. */
  more: (index: number) => boolean;
  /** Called with each result, in no certain order. */
  done: (index: number, result: T) => void;
}

/** Runs the tasks from 0 on while there are more. */
export async function runTasks<T>({ worker, workerData, more, done }: PoolTasks<T>): Promise<void> {
  let next = 0;
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const thread = new Worker(worker, { workerData });
      thread.on('message', (answer: { index: number; result: T } | 'ready') => {
        if (answer !== 'ready') done(answer.index, answer.result);
        thread.postMessage(more(next) ? next++ : undefined);
      });
      thread.on('error', reject);
      thread.on('exit', () => resolve());
    });
  // A compiler takes a second to load, so few tasks are done sooner by one worker.
  const workers = more(FEW) ? availableParallelism() : 1;
  await Promise.all(Array.from({ length: workers }, work));
}

/** In a worker: answers each task with what `run` makes of it. */
export function serveTasks<T>(run: (index: number) => Promise<T>): void {
  const port = parentPort!;
  port.on('message', async (index: number | undefined) => {
    if (index === undefined) return port.close();
    port.postMessage({ index, result: await run(index) });
  });
  port.postMessage('ready');
}
