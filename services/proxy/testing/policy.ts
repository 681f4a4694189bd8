// Signed bundles of the repository's policies under which the sample agents reach the services of testing/world.ts.
import { loadPair } from '../../../runtime/bundle/load.ts';
import type { LoadedPair } from '../../../runtime/bundle/pair.ts';
import { writeSamplePair } from '../../../runtime/bundle/testing.ts';
import { sampleData } from '../../../runtime/testing/sample-data.ts';
import { callingServiceId } from './world.ts';

/** Writes the pair below `folder` and loads it as a service does; throws without compiled policies. */
export async function meshPair(folder: string, services: readonly string[]): Promise<LoadedPair> {
  const open = { agents: true, callers: { [callingServiceId]: true } };
  const data = {
    ...sampleData(5),
    services: Object.fromEntries(services.map((name) => [name, open])),
  };
  const { trusted } = await writeSamplePair(folder, { data });
  return loadPair(folder, trusted);
}
