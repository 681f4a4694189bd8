// Runs a part of a comparison on a thread of its own.
import { parentPort, workerData } from 'node:worker_threads';
import { PlatformError } from '../../../runtime/errors.ts';
import { type Compared, type ComparePlan, compare } from './compare.ts';

/** What the thread says: how far it is, and at the end what it found or what failed. */
export type CompareMessage =
  | { progress: string }
  | { compared: Compared }
  | { failure: Pick<PlatformError, 'code' | 'message' | 'hint'> };

function send(message: CompareMessage): void {
  parentPort?.postMessage(message);
}

try {
  const compared = await compare(workerData as ComparePlan, (progress) => send({ progress }));
  send({ compared });
} catch (error) {
  const known =
    error instanceof PlatformError
      ? error
      : new PlatformError('internal', error instanceof Error ? error.message : String(error));
  send({ failure: { code: known.code, message: known.message, hint: known.hint } });
}
