// Plants a fault of one bit into each host and looks for the input that finds it.
import { compareHosts } from './compare.ts';
import { FAULTS, type Fault } from './faults.ts';
import type { HostName } from './host.ts';
import { exampleOf } from './report.ts';
import { samplePairOnDisk, startOne } from './start.ts';

export interface PlantOptions {
  hosts: readonly HostName[];
  /** At most so many inputs for each fault. */
  inputs: number;
  seed: number;
  /** By default all. */
  faults?: readonly Fault[];
}

/** One fault in one host. */
export interface Planted {
  host: HostName;
  fault: string;
  found: boolean;
  /** How many inputs came before the one that found it; or how many there were, and none did. */
  inputs: number;
}

/** Plants every fault into every host that has a place for it, and says on standard error what found it. */
export async function runPlants({
  hosts,
  inputs,
  seed,
  faults = FAULTS,
}: PlantOptions): Promise<Planted[]> {
  await using pair = await samplePairOnDisk();
  const reference = await startOne('node', pair);
  const results: Planted[] = [];
  try {
    for (const name of hosts) {
      for (const fault of faults) {
        if (fault.kind === 'glue' && fault.changes[name] === undefined) continue;
        const host = await startOne(name, pair, fault);
        try {
          const report = await compareHosts({
            ...{ hosts: new Map([[name, host]]), reference, inputs, seed, isFirstEnough: true },
          });
          const [difference] = report.differences;
          results.push({
            host: name,
            fault: fault.name,
            // A host that the fault has broken is no find: it has to answer, with another id.
            found: difference !== undefined && /^[0-9a-f]{64}$/.test(difference.found.id),
            inputs: difference?.index ?? report.inputs,
          });
          const what = `${name}, one bit of ${fault.name}`;
          const outcome =
            difference === undefined
              ? `NOT FOUND in ${report.inputs} inputs`
              : `found by input ${difference.index + 1}\n${exampleOf(difference)}`;
          process.stderr.write(`${what}: ${outcome}\n\n`);
        } finally {
          await host.close();
        }
      }
    }
  } finally {
    await reference.close();
  }
  return results;
}
