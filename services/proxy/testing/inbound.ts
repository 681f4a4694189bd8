// The inbound proxy alone, started anew for each test with the limits, filter and clock that the test wants.
import type { Socket } from 'node:net';
import { suite } from 'uvu';
import type { Filter } from '../../../runtime/proxywasm/filter.ts';
import type { Subject } from '../contract.ts';
import { createInboundProxy, type InboundConfig, type InboundRefusal } from '../inbound.ts';
import type { ProxyLimits } from '../limits.ts';
import type { TcpAddress } from '../listen.ts';
import type { MeshProxy } from '../mesh-proxy.ts';
import { testFilter } from './filter.ts';
import { createWorld, scope, trustDomain, type World } from './world.ts';

export interface Context {
  world: World;
  filter: Filter;
  refusals: InboundRefusal[];
  /** What a refusal waits for after it was noted; nothing where left out. */
  record?: () => Promise<void>;
  now: () => Date;
  start(limits?: Partial<ProxyLimits>): Promise<TcpAddress>;
  proxy: MeshProxy;
}

/** The configuration of our inbound proxy in a world, on a free port; only the filter is missing. */
export function inboundOf(world: World): Omit<InboundConfig, 'filterFor'> {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    trustDomain,
    scope,
    source: world.source,
    denied: world.denied,
    services: world.services,
    accessLog: (line) => void world.lines.push(line),
  };
}

/** Starts our inbound proxy as a subject of the contract. */
export async function startInbound(
  world: World,
  config: Pick<InboundConfig, 'filterFor' | 'limits'>,
): Promise<Subject> {
  const proxy = createInboundProxy({ ...inboundOf(world), ...config });
  await proxy.listen();
  return { address: proxy.address() as TcpAddress, close: () => proxy.drain(50) };
}

/** A suite whose tests call `context.start` first. */
export function inboundSuite(name: string) {
  const test = suite<Context>(name);
  test.before.each(async (context) => {
    const world = await createWorld();
    Object.assign(context, { world, filter: testFilter(), refusals: [], now: () => new Date() });
    context.start = async (limits = {}) => {
      context.proxy = createInboundProxy({
        ...inboundOf(world),
        filterFor: () => context.filter,
        async onRefused(refusal) {
          context.refusals.push(refusal);
          await context.record?.();
        },
        clock: () => context.now(),
        limits,
        healthListen: { host: '127.0.0.1', port: 0 },
        metricsListen: { host: '127.0.0.1', port: 0 },
      });
      await context.proxy.listen();
      return context.proxy.address() as TcpAddress;
    };
  });
  test.after.each(async ({ proxy, world }) => {
    world.release();
    await proxy.drain(50);
    await world.close();
  });
  return test;
}

/** Resolves when the other side has closed. */
export const closed = (socket: Socket) =>
  new Promise<void>((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
    socket.resume();
  });
