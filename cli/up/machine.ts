// The services of one machine: identity, the mesh, vault and gateway behind it, the agents and their proxies.
import { join } from 'node:path';
import type { PlatformError } from '../../runtime/errors.ts';
import { createEntryRegistry, type EntryRegistry } from '../../runtime/identity/registry.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { createHttpServer, type HttpServer, type Route } from '../../services/common/http/port.ts';
import { firstCredential, operatorCredentials } from '../../services/gateway/credentials.ts';
import { vaultCredentials, vaultOverSocket } from '../../services/gateway/credentials-vault.ts';
import { createGateway, type Gateway } from '../../services/gateway/gateway.ts';
import { SessionTrace } from '../../services/gateway/provenance.ts';
import { DatabaseSpending } from '../../services/gateway/spending-database.ts';
import { DatabaseToolStore } from '../../services/gateway/tools-database.ts';
import { createGuard, type GuardService } from '../../services/guard/guard.ts';
import { Agents } from '../../services/identity/agents.ts';
import { createVault, type Vault } from '../../services/vault/vault.ts';
import type { Cleanup } from './cleanup.ts';
import { dataOf, operatorData } from './data.ts';
import { followFolders } from './follow-policies.ts';
import type { Foundation } from './foundation.ts';
import { type MachineIdentity, type ServiceName, startIdentity } from './identity.ts';
import { type Mesh, openGatewayOutbound, serviceSocket, startMesh } from './mesh.ts';
import { onlyThisProcess } from './only-this-process.ts';
import { keepOperatorData } from './operator-data.ts';
import type { PlatformOptions } from './platform.ts';
import { Proxies } from './proxies.ts';

export interface Machine {
  gateway: Gateway;
  vault: Vault;
  registry: EntryRegistry;
  identity: MachineIdentity;
  mesh: Mesh;
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
  const { trustDomain, onTrouble } = foundation;
  const registry = createEntryRegistry();
  const identity = await startIdentity(foundation, registry, options.svidTtlMs, cleanup);
  const mesh = await startMesh(foundation, identity, cleanup);
  const vault = await openVault(foundation);
  cleanup.add(() => vault.close());
  await serve(foundation, 'vault', vault.routes, cleanup);
  await serve(foundation, 'guard', openGuard(foundation).routes, cleanup);
  const vaultSocket = await openGatewayOutbound(foundation, identity, mesh, cleanup);
  const gateway = await openGateway(foundation, vaultSocket, cleanup);
  cleanup.add(() => gateway.close());
  await serve(foundation, 'gateway', gateway.routes, cleanup);

  const proxies = new Proxies(foundation, identity, mesh, registry);
  cleanup.add(() => proxies.closeAll());
  let { operator } = foundation;
  const agents = new Agents({
    registry,
    trustDomain,
    entries: identity.entries,
    applyGrants: (running) => putInForce(foundation, dataOf(trustDomain, operator, running)),
    openProxy: (entry) => proxies.open(entry),
    closeProxy: (entry) => proxies.close(entry),
  });
  await agents.forgetStale();
  const sweep = setInterval(() => void agents.sweep().catch(onTrouble), sweepMs);
  cleanup.add(async () => clearInterval(sweep));

  let policyError: PlatformError | undefined;
  const republish = async (): Promise<void> => {
    try {
      const next = await operatorData(foundation.folders);
      const { guard, publisher, state } = foundation;
      const data = dataOf(trustDomain, next, agents.list());
      await publisher.policy(guard && ((candidate) => guard.check(candidate, data)));
      operator = next;
      await keepOperatorData(state, operator);
      await agents.refresh();
      await foundation.bundles.refresh();
      policyError = undefined;
    } catch (error) {
      policyError = error as PlatformError;
      options.onPolicyError?.(policyError);
    }
  };
  cleanup.add(followFolders(foundation.folders, republish));
  return { gateway, vault, registry, identity, mesh, agents, policyError: () => policyError };
}

/**
 * What the operator keeps in a file comes before the vault: otherwise an agent could put a secret of
 * the same name into its own scope, and have the tool act on an account of somebody else.
 */
function openGateway(
  { state, decider, evidence, modules, trustDomain, keys }: Foundation,
  vaultSocket: string,
  cleanup: Cleanup,
): Promise<Gateway> {
  const vault = vaultOverSocket(vaultSocket);
  cleanup.add(() => vault.close());
  const own = operatorCredentials(join(state.root, 'credentials.json'), process.env);
  return createGateway({
    ...{ decider, trustDomain, evidence: evidence.observed },
    ...{ record: modules.record, schemas: modules.arguments },
    tools: new DatabaseToolStore(evidence.database),
    spending: new DatabaseSpending(evidence.database),
    newTrace: (prompt) => new SessionTrace(prompt),
    approvalKey: keys.approvals,
    credentials: firstCredential([own, vaultCredentials(vault)]),
  });
}

function openVault(foundation: Foundation): Promise<Vault> {
  const { decider, evidence, modules, trustDomain, keys, onTrouble } = foundation;
  return createVault({
    ...{ decider, trustDomain, evidence: evidence.observed, database: evidence.database },
    ...{ record: modules.record, scope: modules.scope, masterKeys: keys.vault, onTrouble },
    soleWriter: true,
  });
}

/** All scanners that are built, and every finding blocks unless the operator's data says otherwise. */
function openGuard({ decider, evidence, modules, trustDomain }: Foundation): GuardService {
  const { record } = modules;
  return createGuard({ decider, trustDomain, evidence: evidence.observed, record });
}

/** A service listens on a Unix socket that only this process may use: there is no way past its proxy. */
async function serve(
  { state }: Foundation,
  name: ServiceName,
  routes: readonly Route[],
  cleanup: Cleanup,
): Promise<void> {
  const server = createHttpServer({ routes, adapter: 'node', onConnection: onlyThisProcess });
  await listenUntilEnd(server, { path: serviceSocket(state.run, name) }, cleanup);
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
