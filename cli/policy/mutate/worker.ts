// A thread that runs tests against variants of a policy.
import { parentPort } from 'node:worker_threads';
import {
  type RegoAnswer,
  RegoCompiler,
  type RegoFile,
  type RegoSources,
  type RegoTest,
  type RegoTrial,
} from '../../../runtime/modules/rego.ts';

/** Without variants, the tests are run once, each with its time. */
export interface TrialTask {
  sources: RegoSources;
  /** Each replaces the source of the same path. */
  variants?: RegoFile[];
  /** A regular expression of the tests to run; all without it. */
  run?: string;
}

export type TrialAnswer = RegoAnswer & { outcomes?: RegoTrial[]; tests?: RegoTest[] };

parentPort!.on('message', async ({ sources, variants, run }: TrialTask) => {
  const compiler = await RegoCompiler.load();
  const answer: TrialAnswer =
    variants === undefined
      ? compiler.test(sources)
      : compiler.trial({ ...sources, variants, ...(run === undefined ? {} : { run }) });
  parentPort!.postMessage(answer);
});
