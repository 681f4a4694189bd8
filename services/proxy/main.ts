// A proxy's process, in either role: its SVIDs come from the Workload API, its policy from a bundle folder.
import { readBundleKeys } from '../../runtime/bundle/keys.ts';
import type { LoadedPair } from '../../runtime/bundle/pair.ts';
import { watchBundles } from '../../runtime/bundle/watch.ts';
import { loadModules } from '../../runtime/decide/local.ts';
import type { PlatformError } from '../../runtime/errors.ts';
import { followDenyList } from '../../runtime/identity/workload/deny-list.ts';
import { openWorkloadSource } from '../../runtime/identity/workload/source.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Filter } from '../../runtime/proxywasm/filter.ts';
import { meshFilter } from '../../runtime/proxywasm/mesh-filter.ts';
import { type Lifecycle, runService } from '../common/lifecycle.ts';
import { type InboundEnvironment, readConfig } from './config.ts';
import { createInboundProxy, type InboundService, type MeshProxy } from './inbound.ts';
import type { Address } from './listen.ts';
import { createOutboundProxy } from './outbound.ts';

const graceMs = 3000;

await runService('proxy', start);

async function start(lifecycle: Lifecycle): Promise<void> {
  const config = readConfig(process.env);
  const { trustDomain, workloadSocket: socketPath } = config;
  const onTrouble = (trouble: PlatformError) =>
    void process.stderr.write(`proxy: ${trouble.code}: ${trouble.message}\n`);
  const source = await openWorkloadSource({ socketPath, onTrouble });
  lifecycle.onStop(() => source.close());
  const denied = await followDenyList({ socketPath, trustDomain, onTrouble });
  lifecycle.onStop(() => denied.close());
  const common = {
    trustDomain,
    scope: loadModules().scope,
    denied,
    accessLog: (line: JsonObject) => void process.stdout.write(`${JSON.stringify(line)}\n`),
    limits: config.limits,
    metricsListen: config.metrics,
    healthListen: config.health,
  };
  let proxy: MeshProxy;
  if (config.role === 'inbound') {
    const { services, listen } = config;
    const filterFor = await filters(config, lifecycle);
    proxy = createInboundProxy({ ...common, source, listen, services, filterFor });
  } else {
    const { routes, listen } = config;
    proxy = createOutboundProxy({ ...common, sourceFor: () => source, listen, routes });
  }
  await proxy.listen();
  lifecycle.onStop(() => proxy.drain(graceMs));
  const where = (at: Address | undefined) =>
    at === undefined || 'path' in at ? `unix:${at?.path}` : `${at.host}:${at.port}`;
  process.stderr.write(
    `proxy: ${config.role}, listening on ${where(proxy.address())}, ` +
      `metrics on ${where(proxy.metricsAddress())}, health on ${where(proxy.healthAddress())}\n`,
  );
}

/** One filter a service and pair of bundles; a new pair is in force from the next request on. */
async function filters(
  { bundleDir, bundleKeysFile, services, trustDomain }: InboundEnvironment,
  lifecycle: Lifecycle,
): Promise<(service: InboundService) => Filter> {
  const bundles = await watchBundles(bundleDir, await readBundleKeys(bundleKeysFile));
  lifecycle.onStop(async () => bundles.close());
  const made = new Map<string, { pair: LoadedPair; filter: Filter }>();
  const filterFor = ({ name }: InboundService): Filter => {
    const pair = bundles.current();
    const known = made.get(name);
    if (known?.pair === pair) return known.filter;
    // Streams that began with the old filter end with it; it is let go with the last of them.
    const filter = meshFilter(pair, { service: name, trustDomain });
    made.set(name, { pair, filter });
    return filter;
  };
  // A policy bundle without a filter is told now, not at the first request.
  for (const service of services) filterFor(service);
  return filterFor;
}
