// Explains a decision of the evidence on a thread of its own, so that calls are served meanwhile.
import { parentPort, workerData } from 'node:worker_threads';
import { PlatformError } from '../../runtime/errors.ts';
import { type PictureElement, pictureOf } from '../../runtime/explain/picture.ts';
import { viewOf } from '../../runtime/explain/view.ts';
import { explainRecorded } from '../policy/explain/recorded.ts';
import type { StateFolder } from '../state-folder.ts';

/** What the thread is asked for. */
export interface ExplainQuestion {
  state: StateFolder;
  decisionId: string;
}

/** What the thread answers: the picture, or why there is none. */
export type ExplainAnswer =
  | { picture: PictureElement }
  | { failure: Pick<PlatformError, 'code' | 'message' | 'hint'> };

async function answer({ state, decisionId }: ExplainQuestion): Promise<ExplainAnswer> {
  try {
    return { picture: pictureOf(viewOf(await explainRecorded(state, decisionId))) };
  } catch (error) {
    const known =
      error instanceof PlatformError
        ? error
        : new PlatformError('compiler_failed', 'the decision cannot be explained', {
            cause: error,
          });
    const { code, message, hint } = known;
    return { failure: { code, message, hint } };
  }
}

parentPort?.postMessage(await answer(workerData as ExplainQuestion));
