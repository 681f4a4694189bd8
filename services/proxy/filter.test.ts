// The contract on our inbound proxy with the filter that Envoy runs too, under the repository's own policies.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Filter } from '../../runtime/proxywasm/filter.ts';
import { meshFilter } from '../../runtime/proxywasm/mesh-filter.ts';
import { meshContract } from './contract.ts';
import { createInboundProxy } from './inbound.ts';
import type { TcpAddress } from './listen.ts';
import { meshPair } from './testing/policy.ts';
import { scope, trustDomain } from './testing/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'mesh-policy-'));
const services = ['web', 'grpc', 'open'];
const pair = await meshPair(folder, services);
rmSync(folder, { recursive: true });
const filters = new Map<string, Filter>(
  services.map((service) => [service, meshFilter(pair, { service, trustDomain })]),
);

meshContract({
  name: 'ours with the mesh filter',
  async start(world) {
    const proxy = createInboundProxy({
      listen: { host: '127.0.0.1', port: 0 },
      trustDomain,
      scope,
      source: world.source,
      denied: world.denied,
      services: world.services,
      filterFor: ({ name }) => filters.get(name)!,
      accessLog: (line) => void world.lines.push(line),
    });
    await proxy.listen();
    return { address: proxy.address() as TcpAddress, close: () => proxy.drain(50) };
  },
});
