// Compares what is in force with a candidate on a thread of its own.
import { parentPort, workerData } from 'node:worker_threads';
import { type DiffOptions, type DiffResult, diff } from '../policy/diff/diff.ts';
import type { Side } from '../policy/diff/side.ts';

export interface GuardTask {
  old: Side;
  now: Side;
  options: Omit<DiffOptions, 'onProgress'>;
}

export type GuardAnswer = { result: DiffResult } | { failure: string };

const { old, now, options } = workerData as GuardTask;
const answer: GuardAnswer = await diff(old, now, options).then(
  (result) => ({ result }),
  (error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }),
);
parentPort?.postMessage(answer);
