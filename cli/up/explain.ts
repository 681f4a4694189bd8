// Explains decisions for the local page: one at a time, each in a worker thread.
import { Worker } from 'node:worker_threads';
import { PlatformError } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { StateFolder } from '../state-folder.ts';
import type { ExplainAnswer, ExplainQuestion } from './explain-worker.ts';

const timeoutMs = 60_000;
const waitingMax = 8;

/** Answers with `{picture}` of a decision by its id; rejects with the PlatformError that says why not. */
export type DecisionExplainer = (decisionId: string) => Promise<JsonObject>;

/** Explains what stands in the evidence of this state folder. The compiler takes a core: one at a time. */
export function createExplainer(state: StateFolder): DecisionExplainer {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (decisionId) => {
    if (waiting >= waitingMax) {
      throw new PlatformError('service_unavailable', 'other explanations are being made');
    }
    waiting += 1;
    const mine = last.then(() => ask({ state, decisionId }));
    last = mine.catch(() => {});
    try {
      return { picture: (await mine) as unknown as JsonValue };
    } finally {
      waiting -= 1;
    }
  };
}

function ask(question: ExplainQuestion): Promise<unknown> {
  const worker = new Worker(new URL('./explain-worker.ts', import.meta.url), {
    workerData: question,
  });
  worker.unref();
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown) =>
      reject(new PlatformError('compiler_failed', 'the decision cannot be explained', { cause }));
    const timer = setTimeout(() => {
      fail();
      void worker.terminate();
    }, timeoutMs);
    worker.once('message', (answer: ExplainAnswer) => {
      if ('picture' in answer) return resolve(answer.picture);
      const { code, message, hint } = answer.failure;
      reject(new PlatformError(code, message, { hint }));
    });
    worker.once('error', fail);
    worker.once('exit', () => {
      clearTimeout(timer);
      fail();
    });
  });
}
