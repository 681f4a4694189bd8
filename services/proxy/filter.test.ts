// The contract on our inbound proxy with the filter that Envoy runs too, under the repository's own policies.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Filter } from '../../runtime/proxywasm/filter.ts';
import { meshFilter } from '../../runtime/proxywasm/mesh-filter.ts';
import { meshContract } from './contract.ts';
import { startInbound } from './testing/inbound.ts';
import { meshPair } from './testing/policy.ts';
import { trustDomain } from './testing/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'mesh-policy-'));
const services = ['web', 'grpc', 'open', 'mcp'];
const pair = await meshPair(folder, services);
rmSync(folder, { recursive: true });
const filters = new Map<string, Filter>(
  services.map((service) => [service, meshFilter(pair, { service, trustDomain })]),
);

meshContract({
  name: 'ours with the mesh filter',
  start: (world) =>
    startInbound(world, {
      filterFor: ({ name }) => filters.get(name)!,
    }),
});
