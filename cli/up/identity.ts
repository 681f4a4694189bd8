// Workload identity on one machine: the authority, its server on two Unix sockets, and who the services are.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { IdentityError } from '../../runtime/errors.ts';
import { machineAttestor, platformSelector } from '../../runtime/identity/attestor.ts';
import { type EntryClient, entryClient } from '../../runtime/identity/entry-client.ts';
import type { EntryRegistry } from '../../runtime/identity/registry.ts';
import { nodeSpiffeId, serviceSpiffeId } from '../../runtime/identity/spiffe-id.ts';
import { followDenyList } from '../../runtime/identity/workload/deny-list.ts';
import { openWorkloadSource, type WorkloadSource } from '../../runtime/identity/workload/source.ts';
import type { DenyView } from '../../runtime/identity/workload/x509.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { type Authority, createAuthority } from '../../services/identity/authority/authority.ts';
import type { IdentityEvent } from '../../services/identity/events.ts';
import { createIdentityServer, type IdentityServer } from '../../services/identity/server.ts';
import type { Cleanup } from './cleanup.ts';
import type { Foundation } from './foundation.ts';
import { JsonLines } from './json-lines.ts';
import { recordRefusal } from './refusals.ts';

/** The services that this process hosts, each with an identity of its own. */
export const services = ['gateway', 'vault', 'guard'] as const;
export type ServiceName = (typeof services)[number];

export interface MachineIdentity {
  authority: Authority;
  server: IdentityServer;
  /** Creates entries over SPIRE's Entry API, as whoever creates entries does. */
  entries: EntryClient;
  /** The SVIDs of the services, taken from the Workload API like any workload's. */
  source: WorkloadSource;
  denied: DenyView;
  /** Where agents reach the Workload API. */
  workloadSocket: string;
}

/** Starts it; rejects with what a database or a socket in the way says. */
export async function startIdentity(
  { state, trustDomain, keys, modules, evidence, onTrouble }: Foundation,
  registry: EntryRegistry,
  svidTtlMs: number | undefined,
  cleanup: Cleanup,
): Promise<MachineIdentity> {
  const { database } = evidence;
  const { scope } = modules;
  const log = new JsonLines(join(state.root, 'identity.log'));
  cleanup.add(() => log.close());
  const tell = (event: JsonObject) => log.write({ time: new Date().toISOString(), ...event });
  const authority = await createAuthority({
    ...{ trustDomain, database, scope, keyEncryptionKey: keys.identity, svidTtlMs },
    onEvent: (event) => {
      if (event.type === 'trouble') onTrouble(event.error);
      else tell({ ...event });
    },
  });
  cleanup.add(() => authority.close());
  const server = createIdentityServer({
    ...{ authority, database, scope },
    workloads: machineAttestor({ registry, services, ownPid: process.pid }),
    allowAdmin: (_socket, peer) => peer.pid === process.pid,
    onEvent(event) {
      tell({ ...event });
      if (event.kind === 'workload_refused') recordWorkload(evidence.observed, event, onTrouble);
    },
  });
  const workloadSocket = join(state.run, 'workload.sock');
  const adminSocket = join(state.run, 'entries.sock');
  await server.listen({ workloadSocket, adminSocket });
  cleanup.add(() => server.close(0));
  const entries = entryClient(adminSocket);
  cleanup.add(() => entries.close());
  await createServiceEntries(entries, trustDomain);
  const source = await openWorkloadSource({ socketPath: workloadSocket, onTrouble });
  cleanup.add(() => source.close());
  const denied = await followDenyList({ socketPath: workloadSocket, trustDomain, onTrouble });
  cleanup.add(() => denied.close());
  return { authority, server, entries, source, denied, workloadSocket };
}

/** The entries by which this process is its services; what an earlier run left is taken over. */
async function createServiceEntries(entries: EntryClient, trustDomain: string): Promise<void> {
  const drafts = services.map((name) => ({
    spiffeId: serviceSpiffeId(trustDomain, name),
    parentId: nodeSpiffeId(trustDomain),
    selectors: [platformSelector('service', name)],
    dnsNames: serverNamesOf(name),
  }));
  for (const { error } of await entries.create(drafts)) {
    if (error !== undefined && error.code !== 'entry_exists') throw error;
  }
}

/** The names that a service has in a cluster; on one machine they choose it by TLS's SNI. */
export function serverNamesOf(name: ServiceName): string[] {
  return [`${name}.platform-system`, `${name}.platform-system.svc`];
}

/** A process that got no identity leaves a row; nobody waits for it, since nothing was given. */
function recordWorkload(
  evidence: Parameters<typeof recordRefusal>[0],
  { pid, uid, reason = '' }: IdentityEvent,
  onTrouble: (error: unknown) => void,
): void {
  const error = new IdentityError('caller_unknown', reason);
  const facts = { requestId: randomUUID(), time: new Date().toISOString(), method: '' };
  recordRefusal(
    evidence,
    { socket: 'workload' },
    { error, ...facts, spiffeId: undefined, pid, uid },
  ).catch(onTrouble);
}
