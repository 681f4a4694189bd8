// A thread that runs tests against variants of a policy.
import { parentPort } from 'node:worker_threads';
import { RegoCompiler, type RegoFile, type RegoSources } from '../../../runtime/modules/rego.ts';

export interface TrialTask {
  sources: RegoSources;
  /** Each replaces the source of the same path. */
  variants: RegoFile[];
}

parentPort!.on('message', async ({ sources, variants }: TrialTask) => {
  const compiler = await RegoCompiler.load();
  parentPort!.postMessage(compiler.trial({ ...sources, variants }));
});
