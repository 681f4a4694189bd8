// Runs the tests of policies against their mutants, in two threads, and says which mutants live.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { policyInvalid, RegoCompiler } from '../../../runtime/modules/rego.ts';
import type { MutationGroup } from './groups.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { quickTests } from './quick.ts';
import type { TrialAnswer, TrialTask } from './worker.ts';

const THREADS = 2;
const BATCH = 48;

export interface MutationReport {
  /** Mutants that are policies: those that the compiler refuses are not counted. */
  mutants: number;
  killed: number;
  /** The same counts by the name of the group. */
  folders: Record<string, { mutants: number; killed: number }>;
  survivors: Omit<Mutant, 'content'>[];
}

interface Batch extends TrialTask {
  group: MutationGroup;
  mutants: Mutant[];
}

/**
 * Tries every mutant of the groups: first with the quick tests, then those that live with all of them.
 * `progress` is told how many of how many are done.
 * @throws BundleError `policy_invalid` when a group does not compile or its tests fail as they are
 */
export async function runMutants(
  groups: readonly MutationGroup[],
  progress: (done: number, all: number, survivors: number) => void,
): Promise<MutationReport> {
  const mutants = await mutantsOfGroups(groups);
  const all = [...mutants.values()].reduce((sum, { length }) => sum + length, 0);
  const report: MutationReport = { mutants: 0, killed: 0, folders: {}, survivors: [] };
  for (const { name } of groups) report.folders[name] = { mutants: 0, killed: 0 };
  const quick = new Map<MutationGroup, string>();
  const living = new Map<MutationGroup, Mutant[]>(groups.map((group) => [group, []]));
  let done = 0;
  const tried = (batch: Batch, answer: TrialAnswer): void => {
    for (const [index, { killed, error }] of answer.outcomes!.entries()) {
      const mutant = batch.mutants[index]!;
      const folder = report.folders[batch.group.name]!;
      if (killed) {
        report.mutants++;
        report.killed++;
        folder.mutants++;
        folder.killed++;
      } else if (error === undefined) {
        living.get(batch.group)!.push(mutant);
        if (batch.run !== undefined) continue;
        const { content: _, ...survivor } = mutant;
        report.mutants++;
        folder.mutants++;
        report.survivors.push(survivor);
      }
      done++;
    }
    progress(done, all, report.survivors.length);
  };
  const workers = Array.from({ length: THREADS }, () => {
    return new Worker(new URL('worker.ts', import.meta.url));
  });
  try {
    const timed = groups.map((group) => ({ group, sources: group.sources, mutants: [] }));
    await runBatches(workers, timed, ({ group }, { tests = [] }) => {
      const run = quickTests(tests);
      if (run !== undefined) quick.set(group, run);
    });
    await runBatches(workers, batchesOf(mutants, quick), tried);
    const rest = new Map([...living].filter(([group]) => quick.has(group)));
    await runBatches(workers, batchesOf(rest, new Map()), tried);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  report.survivors.sort((a, b) => (a.file === b.file ? a.row - b.row : a.file < b.file ? -1 : 1));
  return report;
}

async function mutantsOfGroups(
  groups: readonly MutationGroup[],
): Promise<Map<MutationGroup, Mutant[]>> {
  const compiler = await RegoCompiler.load();
  const mutants = new Map<MutationGroup, Mutant[]>();
  for (const group of groups) {
    const parsed = compiler.parse({ ...group.sources, files: group.targets });
    if (!parsed.ok) throw policyInvalid(parsed.errors);
    const found = group.targets.map(({ path, content }) =>
      mutantsOf(path, content, parsed.modules[path]!),
    );
    mutants.set(group, found.flat());
  }
  return mutants;
}

function batchesOf(
  mutants: ReadonlyMap<MutationGroup, Mutant[]>,
  runs: ReadonlyMap<MutationGroup, string>,
): Batch[] {
  const batches: Batch[] = [];
  for (const [group, each] of mutants) {
    for (let start = 0; start < each.length; start += BATCH) {
      const some = each.slice(start, start + BATCH);
      const variants = some.map(({ file, content }) => ({ path: file, content }));
      const run = runs.get(group);
      batches.push({ group, mutants: some, sources: group.sources, variants, ...(run && { run }) });
    }
  }
  return batches;
}

/** Gives each thread the next batch as it has answered the last. */
async function runBatches(
  workers: readonly Worker[],
  batches: readonly Batch[],
  answered: (batch: Batch, answer: TrialAnswer) => void,
): Promise<void> {
  const queue = [...batches];
  const take = async (worker: Worker): Promise<void> => {
    for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
      const { sources, variants, run } = batch;
      worker.postMessage({ sources, variants, run } as TrialTask);
      // `once` of node:events also rejects when the thread ends in an error.
      const [answer] = (await once(worker, 'message')) as [TrialAnswer];
      if (answer.errors.length > 0) throw policyInvalid(answer.errors);
      answered(batch, answer);
    }
  };
  await Promise.all(workers.map(take));
}
