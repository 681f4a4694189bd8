// The contract on the platform's own inbound proxy, with a filter written in TypeScript.
import { meshContract } from './contract.ts';
import { createInboundProxy } from './inbound.ts';
import type { TcpAddress } from './listen.ts';
import { testFilter } from './testing/filter.ts';
import { scope, trustDomain } from './testing/world.ts';

meshContract({
  name: 'ours',
  async start(world) {
    const proxy = createInboundProxy({
      listen: { host: '127.0.0.1', port: 0 },
      trustDomain,
      scope,
      source: world.source,
      denied: world.denied,
      services: world.services,
      filterFor: () => testFilter(),
      accessLog: (line) => void world.lines.push(line),
      limits: { headTimeoutMs: 2000, bodyTimeoutMs: 2000 },
    });
    await proxy.listen();
    return { address: proxy.address() as TcpAddress, close: () => proxy.drain(50) };
  },
});
