// Starts hosts over one signed pair of bundles with sample data, and ends them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBundleKey } from '../../runtime/bundle/keys.ts';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { sampleServices } from '../../runtime/testing/requests/mesh.ts';
import { sampleData } from '../../runtime/testing/sample-data.ts';
import type { Fault } from './faults.ts';
import type { HostName, HostSetup, ParityHost } from './host.ts';
import { starters } from './hosts.ts';

const AGENTS = 220;

/** The data that the generated requests are about. */
export function parityData(): JsonObject {
  const data = sampleData(AGENTS);
  return { ...data, ...sampleServices(data.services) };
}

/** The pair of bundles on disk; disposing of it deletes it. */
export async function samplePairOnDisk(): Promise<HostSetup & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-parity-'));
  const { keys, trusted } = await writeSamplePair(folder, { data: parityData() });
  await writeBundleKey(join(folder, 'bundle.jwk'), keys);
  return {
    ...{ folder, trusted },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface RunningHosts extends AsyncDisposable {
  /** The pair of bundles of all of them. */
  pair: HostSetup;
  hosts: Map<HostName, ParityHost>;
  reference: ParityHost;
}

/** Starts the hosts and Node beside them, one after the other. */
export async function startHosts(names: readonly HostName[]): Promise<RunningHosts> {
  const pair = await samplePairOnDisk();
  const started: ParityHost[] = [];
  const end = async () => {
    await Promise.all(started.map((host) => host.close()));
    await pair[Symbol.asyncDispose]();
  };
  try {
    const reference = await startOne('node', pair);
    started.push(reference);
    const hosts = new Map<HostName, ParityHost>();
    for (const name of names) {
      const host = name === 'node' ? reference : await startOne(name, pair);
      if (host !== reference) started.push(host);
      hosts.set(name, host);
    }
    return { pair, hosts, reference, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Starts one host over a pair that is there already, perhaps with a fault. */
export function startOne(name: HostName, pair: HostSetup, fault?: Fault): Promise<ParityHost> {
  return starters[name]({ folder: pair.folder, trusted: pair.trusted, fault });
}
