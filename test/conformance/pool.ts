// Spreads numbered tasks over all processors: each process has its own compiler and takes the next task.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** So many cases take one process about as long as a second one takes to start. */
const FEW = 20;

export interface PoolTasks<S, T> {
  /** The file that calls `serveTasks`. */
  worker: string;
  settings: S;
  /** Whether there is another task; asked before each. */
  more: (index: number) => boolean;
  /** Called with each result, in no certain order. */
  done: (index: number, result: T) => void;
}

/** Runs the tasks from 0 on while there are more. */
export async function runTasks<S, T>(tasks: PoolTasks<S, T>): Promise<void> {
  const { worker, settings, more, done } = tasks;
  let next = 0;
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const child = fork(fileURLToPath(worker));
      child.on('message', (answer: { index: number; result: T } | 'ready') => {
        if (answer !== 'ready') done(answer.index, answer.result);
        if (more(next)) child.send({ index: next++ });
        else child.disconnect();
      });
      child.on('error', reject);
      child.on('exit', (code) => {
        if (code === 0) resolve();
        else reject(new Error(`a process of the comparison ended with ${code}`));
      });
      child.send({ settings });
    });
  const processes = more(FEW) ? availableParallelism() : 1;
  await Promise.all(Array.from({ length: processes }, work));
}

/** In a process of `worker`: answers each task with what the function of `make` makes of it. */
export function serveTasks<S, T>(
  worker: string,
  make: (settings: S) => Promise<(index: number) => Promise<T>>,
): void {
  if (process.argv[1] !== fileURLToPath(worker) || process.send === undefined) return;
  let run: ((index: number) => Promise<T>) | undefined;
  process.on('message', async (message: { settings: S } | { index: number }) => {
    if ('settings' in message) {
      run = await make(message.settings);
      process.send!('ready');
      return;
    }
    process.send!({ index: message.index, result: await run!(message.index) });
  });
}
