// Compiles policies on a thread of its own, so that calls are served while the compiler runs.
import { parentPort, workerData } from 'node:worker_threads';
import { buildPolicyBundle } from '../../runtime/bundle/build.ts';
import { compilePolicies } from '../../runtime/bundle/compile.ts';
import { PlatformError } from '../../runtime/errors.ts';

/** What the thread answers: the bundle's files, or what is wrong with the policies. */
export type CompileAnswer =
  | { revision: string; files: [string, Uint8Array][] }
  | { failure: Pick<PlatformError, 'code' | 'message' | 'data' | 'hint'> };

async function answer(folders: string[]): Promise<CompileAnswer> {
  try {
    const { revision, files } = buildPolicyBundle(await compilePolicies(folders));
    return { revision, files: [...files] };
  } catch (error) {
    const known =
      error instanceof PlatformError
        ? error
        : new PlatformError('compiler_failed', 'the policy compiler failed', { cause: error });
    const { code, message, data, hint } = known;
    return { failure: { code, message, data: JSON.parse(JSON.stringify(data)), hint } };
  }
}

parentPort?.postMessage(await answer(workerData as string[]));
