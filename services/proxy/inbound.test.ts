// The contract on the platform's own inbound proxy, with a filter written in TypeScript.
import { meshContract } from './contract.ts';
import { readsListing, testFilter } from './testing/filter.ts';
import { startInbound } from './testing/inbound.ts';

meshContract({
  name: 'ours',
  start: (world) =>
    startInbound(world, {
      filterFor: ({ name }) => testFilter(name === 'mcp' ? { reads: readsListing } : {}),
      limits: { headTimeoutMs: 2000, bodyTimeoutMs: 2000 },
    }),
});
