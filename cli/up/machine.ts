// The services of one machine: the gateway behind its socket, the agents and their proxies.
import { join } from 'node:path';
import type { PlatformError } from '../../runtime/errors.ts';
import { createEntryRegistry, type EntryRegistry } from '../../runtime/identity/registry.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { createHttpServer, type HttpServer } from '../../services/common/http/port.ts';
import { operatorCredentials } from '../../services/gateway/credentials.ts';
import { createGateway, defaultLimits, type Gateway } from '../../services/gateway/gateway.ts';
import { SessionTrace } from '../../services/gateway/provenance.ts';
import { DatabaseToolStore } from '../../services/gateway/tools-database.ts';
import { Agents } from '../../services/identity/agents.ts';
import type { Cleanup } from './cleanup.ts';
import { dataOf, operatorData } from './data.ts';
import { followFolders } from './follow-policies.ts';
import type { Foundation } from './foundation.ts';
import { onlyThisProcess } from './only-this-process.ts';
import type { PlatformOptions } from './platform.ts';
import { Proxies } from './proxies.ts';

export interface Machine {
  gateway: Gateway;
  registry: EntryRegistry;
  agents: Agents;
  /** Why the policies in the folders are not the ones in force, if so. */
  policyError(): PlatformError | undefined;
}

/** How long running requests get at the end. */
export const graceMs = 2000;
const sweepMs = 1000;

/** Starts the services; agents may come as soon as it has resolved. */
export async function startMachine(
  foundation: Foundation,
  options: PlatformOptions,
  cleanup: Cleanup,
): Promise<Machine> {
  const { state, evidence, trustDomain, onTrouble } = foundation;
  const gateway = await openGateway(foundation, options);
  cleanup.add(() => gateway.close());
  const gatewaySocket = join(state.run, 'gateway.sock');
  const server = createHttpServer({
    routes: gateway.routes,
    adapter: 'node',
    onConnection: onlyThisProcess,
  });
  await listenUntilEnd(server, { path: gatewaySocket }, cleanup);

  const registry = createEntryRegistry();
  const { registrationBytes } = defaultLimits;
  const proxies = new Proxies({
    ...{ folder: state.run, gatewaySocket, registry, registrationBytes },
    evidence: evidence.observed,
  });
  cleanup.add(() => proxies.closeAll());
  let operator = await operatorData(foundation.folders);
  const agents = new Agents({
    registry,
    trustDomain,
    applyGrants: (running) => putInForce(foundation, dataOf(trustDomain, operator, running)),
    openProxy: (entry) => proxies.open(entry),
    closeProxy: (entry) => proxies.close(entry),
  });
  const sweep = setInterval(() => void agents.sweep().catch(onTrouble), sweepMs);
  cleanup.add(async () => clearInterval(sweep));

  let policyError: PlatformError | undefined;
  const republish = async (): Promise<void> => {
    try {
      await foundation.publisher.policy();
      operator = await operatorData(foundation.folders);
      await agents.refresh();
      await foundation.bundles.refresh();
      policyError = undefined;
    } catch (error) {
      policyError = error as PlatformError;
      options.onPolicyError?.(policyError);
    }
  };
  cleanup.add(followFolders(foundation.folders, republish));
  return { gateway, registry, agents, policyError: () => policyError };
}

function openGateway(foundation: Foundation, options: PlatformOptions): Promise<Gateway> {
  const { state, decider, evidence, modules, trustDomain, keys } = foundation;
  const own = operatorCredentials(join(state.root, 'credentials.json'), process.env);
  return createGateway({
    ...{ decider, trustDomain, evidence: evidence.observed },
    ...{ record: modules.record, schemas: modules.arguments },
    tools: new DatabaseToolStore(evidence.database),
    newTrace: (prompt) => new SessionTrace(prompt),
    approvalKey: keys.approvals,
    credentials: options.credentials ?? own,
  });
}

/** Publishes data and resolves when decisions are made under it. */
async function putInForce({ publisher, bundles }: Foundation, data: JsonObject): Promise<void> {
  const revision = await publisher.data(data);
  await bundles.refresh();
  if (bundles.current().data.revision === revision) return;
  throw bundles.lastError() ?? new Error(`the data bundle ${revision} did not come into force`);
}

/** Listens, and closes with the rest. */
export async function listenUntilEnd(
  server: HttpServer,
  address: { path: string } | { host: string; port: number },
  cleanup: Cleanup,
): Promise<void> {
  await server.listen(address);
  cleanup.add(() => server.close(graceMs));
}
