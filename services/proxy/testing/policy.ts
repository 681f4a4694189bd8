// Signed bundles of the repository's policies under which the sample agents reach the services of testing/world.ts.
import type { JWK } from 'jose';
import { loadPair } from '../../../runtime/bundle/load.ts';
import type { LoadedPair } from '../../../runtime/bundle/pair.ts';
import { writeSamplePair } from '../../../runtime/bundle/testing.ts';
import { sampleData } from '../../../runtime/testing/sample-data.ts';
import { callingServiceId } from './world.ts';

/** Writes the signed pair below `folder`; returns the keys to verify it with. */
export async function writeMeshPair(folder: string, services: readonly string[]): Promise<JWK[]> {
  const open = { agents: true, callers: { [callingServiceId]: true } };
  const body = {
    protocol: 'mcp',
    methods: { 'tools/list': true },
    paths: { 'POST /mcp': true, 'GET /mcp': true },
    scanners: ['Secrets'],
  };
  const data = {
    ...sampleData(5),
    services: Object.fromEntries(
      services.map((name) => [name, name === 'mcp' ? { ...open, body } : open]),
    ),
  };
  return (await writeSamplePair(folder, { data })).trusted;
}

/** The same, loaded as a service does it. */
export async function meshPair(folder: string, services: readonly string[]): Promise<LoadedPair> {
  return loadPair(folder, await writeMeshPair(folder, services));
}
