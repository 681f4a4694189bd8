// Compiles policies in a worker thread and hands their errors over as if it had been here.
import { Worker } from 'node:worker_threads';
import type { BuiltBundle } from '../../runtime/bundle/build.ts';
import { BundleError } from '../../runtime/errors.ts';
import type { CompileAnswer } from './compile-worker.ts';

const timeoutMs = 60_000;

/** The unsigned policy bundle of these folders; rejects with `policy_invalid` or `compiler_failed`. */
export function compileInWorker(folders: readonly string[]): Promise<BuiltBundle> {
  const url = new URL('./compile-worker.ts', import.meta.url);
  const worker = new Worker(url, { workerData: [...folders] });
  return new Promise<BuiltBundle>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new BundleError('compiler_failed', `the compiler ran over ${timeoutMs / 1000} s`));
      void worker.terminate();
    }, timeoutMs);
    worker.once('message', (answer: CompileAnswer) => {
      if ('failure' in answer) {
        const { code, message, data, hint } = answer.failure;
        reject(new BundleError(code, message, { data, hint }));
      } else {
        resolve({ revision: answer.revision, files: new Map(answer.files) });
      }
    });
    worker.once('error', (cause) =>
      reject(new BundleError('compiler_failed', 'the policy compiler failed', { cause })),
    );
    worker.once('exit', () => {
      clearTimeout(timer);
      reject(new BundleError('compiler_failed', 'the policy compiler gave no answer'));
    });
  });
}
