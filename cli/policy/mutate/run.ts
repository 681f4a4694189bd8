// Runs the tests of policies against their mutants, in two threads, and says which mutants live.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { policyInvalid, RegoCompiler, type RegoTrial } from '../../../runtime/modules/rego.ts';
import type { MutationGroup } from './groups.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import type { TrialTask } from './worker.ts';

const THREADS = 2;
const BATCH = 24;

export interface MutationReport {
  /** Mutants that are policies: those that the compiler refuses are not counted. */
  mutants: number;
  killed: number;
  survivors: Omit<Mutant, 'content'>[];
}

interface Batch extends TrialTask {
  mutants: Mutant[];
}

/**
 * Tries every mutant of the groups. `progress` is told how many of how many are done.
 * @throws BundleError `policy_invalid` when a group does not compile or its tests fail as they are
 */
export async function runMutants(
  groups: readonly MutationGroup[],
  progress: (done: number, all: number, survivors: number) => void,
): Promise<MutationReport> {
  const batches = await batchesOf(groups);
  const all = batches.reduce((sum, { mutants }) => sum + mutants.length, 0);
  const report: MutationReport = { mutants: 0, killed: 0, survivors: [] };
  let done = 0;
  const take = async (): Promise<void> => {
    const worker = new Worker(new URL('worker.ts', import.meta.url));
    try {
      for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
        const outcomes = await ask(worker, batch);
        for (const [index, outcome] of outcomes.entries()) count(batch.mutants[index]!, outcome);
        done += batch.mutants.length;
        progress(done, all, report.survivors.length);
      }
    } finally {
      await worker.terminate();
    }
  };
  const count = ({ content: _, ...mutant }: Mutant, outcome: RegoTrial): void => {
    if (!outcome.killed && outcome.error !== undefined) return;
    report.mutants++;
    if (outcome.killed) report.killed++;
    else report.survivors.push(mutant);
  };
  await Promise.all(Array.from({ length: THREADS }, take));
  report.survivors.sort((a, b) => (a.file === b.file ? a.row - b.row : a.file < b.file ? -1 : 1));
  return report;
}

async function batchesOf(groups: readonly MutationGroup[]): Promise<Batch[]> {
  const compiler = await RegoCompiler.load();
  const batches: Batch[] = [];
  for (const { sources, targets } of groups) {
    const parsed = compiler.parse({ ...sources, files: targets });
    if (!parsed.ok) throw policyInvalid(parsed.errors);
    const mutants = targets.flatMap(({ path, content }) =>
      mutantsOf(path, content, parsed.modules[path]!),
    );
    for (let start = 0; start < mutants.length; start += BATCH) {
      batches.push({ sources, mutants: mutants.slice(start, start + BATCH), variants: [] });
    }
  }
  return batches;
}

async function ask(worker: Worker, batch: Batch): Promise<RegoTrial[]> {
  const variants = batch.mutants.map(({ file, content }) => ({ path: file, content }));
  worker.postMessage({ sources: batch.sources, variants } satisfies TrialTask);
  // `once` of node:events also rejects when the thread ends in an error.
  const [{ ok, errors, outcomes }] = await once(worker, 'message');
  if (!ok) throw policyInvalid(errors);
  return outcomes;
}
