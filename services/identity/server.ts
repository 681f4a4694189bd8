// The identity server: registration entries, the Workload API, SDS and the deny-list on Unix sockets.
import type { Socket } from 'node:net';
import type { WorkloadAttestor } from '../../runtime/identity/attestor.ts';
import type { Peer } from '../../runtime/identity/peer.ts';
import { SecretDiscoveryService } from '../../runtime/identity/proto/envoy/service/secret/v3/sds_pb.js';
import { DenyList } from '../../runtime/identity/proto/platform/identity/v1/deny_list_pb.js';
import { SpiffeWorkloadAPI } from '../../runtime/identity/proto/spiffe/workload/workload_pb.js';
import { Entry as EntryService } from '../../runtime/identity/proto/spire/api/server/entry/v1/entry_pb.js';
import { nodeSpiffeId } from '../../runtime/identity/spiffe-id.ts';
import { Scope } from '../../runtime/modules/scope.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import type { Database } from '../common/database/port.ts';
import { entryApi } from './entries/entry-api.ts';
import { EntryReader } from './entries/read-entry.ts';
import { EntryStore } from './entries/store.ts';
import type { OnIdentityEvent } from './events.ts';
import type { GrpcLimits } from './grpc/limits.ts';
import { GrpcServer } from './grpc/server.ts';
import type { Issuer } from './issuer.ts';
import { type EntrySource, sourceFor } from './source.ts';
import { denyListApi } from './workload/deny-list-api.ts';
import { sds } from './workload/sds.ts';
import { Signal } from './workload/signal.ts';
import { SvidCache } from './workload/svid-cache.ts';
import { workloadApi } from './workload/workload-api.ts';
import { Workloads } from './workload/workloads.ts';

export interface IdentityServerConfig {
  authority: Issuer;
  database: Database;
  workloads: WorkloadAttestor;
  /** Who may use the Entry API; what it throws refuses too. */
  allowAdmin(socket: Socket, peer: Peer): boolean;
  /** Judges SPIFFE IDs; left out: the built module. */
  scope?: Scope;
  clock?: () => Date;
  onEvent?: OnIdentityEvent;
  /** Bounds of the workload socket. */
  limits?: Partial<GrpcLimits>;
}

/** Paths of the Unix sockets. */
interface IdentitySockets {
  workloadSocket: string;
  adminSocket: string;
}

export interface IdentityServer {
  readonly entries: EntryStore;
  /** Resolves when both sockets answer. Throws a DatabaseError or `address_in_use`. */
  listen(sockets: IdentitySockets): Promise<void>;
  /** See `sourceFor`; closed with the server at the latest. */
  sourceFor(spiffeId: string): EntrySource;
  /** Has every SVID issued anew and pushed, as after the loss of a CA key. */
  renewAll(): void;
  close(graceMs?: number): Promise<void>;
}

/** Entries are created in many at a time; a batch of a thousand fits. */
const adminMessageBytes = 4 * 1024 * 1024;

/** Composes one identity server; nothing runs before `listen`. */
export function createIdentityServer(config: IdentityServerConfig): IdentityServer {
  const { authority: issuer, database, workloads: attestor } = config;
  const clock = config.clock ?? (() => new Date());
  const onEvent = config.onEvent ?? (() => {});
  const nodeId = nodeSpiffeId(issuer.trustDomain);
  const trouble = (reason: string) => onEvent({ kind: 'trouble', reason });
  const store = new EntryStore({ database, nodeId, clock, deny: (id) => issuer.deny(id) });
  const cache = new SvidCache({ issuer, store, clock, onEvent });
  const signal = new Signal(() => {
    store.deleteExpired().catch((error: unknown) => trouble((error as Error).message));
  });
  const workloads = new Workloads({ attestor, store, signal, onEvent });
  const stops = [
    store.onChange((events) => {
      for (const { kind, before, after } of events) {
        const { id = '', spiffeId = '' } = after ?? before ?? {};
        onEvent({ kind: `entry_${kind}`, entryId: id, spiffeId });
      }
      signal.raise();
    }),
    issuer.onBundleChange(({ kind, change }) => {
      // What the CA before signed is still good; nobody has to rely on it for longer than needed.
      if (kind === 'x509' && change === 'activated') cache.renewAll();
      signal.raise();
    }),
    issuer.onDenyChange(() => signal.raise()),
  ];
  const sources = new Set<EntrySource>();
  const servers: GrpcServer[] = [];

  return {
    entries: store,
    async listen(sockets) {
      await store.ready();
      for (const server of grpcServers(config, sockets, { store, cache, workloads, onEvent })) {
        await server.listen();
        servers.push(server);
      }
    },
    sourceFor(spiffeId) {
      const source = sourceFor({ issuer, store, cache, signal, clock }, spiffeId);
      sources.add(source);
      return {
        ...source,
        async close() {
          sources.delete(source);
          await source.close();
        },
      };
    },
    renewAll() {
      cache.renewAll();
      signal.raise();
    },
    async close(graceMs = 0) {
      for (const stop of stops) stop();
      await Promise.all([...sources].map((source) => source.close()));
      await Promise.all(servers.map((server) => server.close(graceMs)));
      signal.close();
    },
  };
}

interface Parts {
  store: EntryStore;
  cache: SvidCache;
  workloads: Workloads;
  onEvent: OnIdentityEvent;
}

/** The servers of both sockets, not listening yet: one for workloads, one for whoever administers entries. */
function grpcServers(
  config: IdentityServerConfig,
  { workloadSocket, adminSocket }: IdentitySockets,
  { store, cache, workloads, onEvent }: Parts,
): GrpcServer[] {
  const issuer = config.authority;
  const shared = {
    onRefused(reason: string, peer?: Peer) {
      const who = peer === undefined ? {} : { pid: peer.pid, uid: peer.uid };
      onEvent({ kind: 'workload_refused', ...who, reason });
    },
    onTrouble: (reason: string) => onEvent({ kind: 'trouble', reason }),
  };
  const workload = new GrpcServer({
    ...shared,
    path: workloadSocket,
    // Whoever connects is attested; the folder decides who can.
    mode: 0o666,
    holderOf: (peer) => workloads.holderOf(peer),
    ...(config.limits === undefined ? {} : { limits: config.limits }),
    routes(router) {
      const parts = { issuer, cache, workloads };
      router.service(SpiffeWorkloadAPI, workloadApi(parts));
      router.service(SecretDiscoveryService, sds({ ...parts, onEvent }));
      router.service(DenyList, denyListApi(issuer, workloads));
    },
  });
  const scope = config.scope ?? Scope.create(moduleBytes('scope'));
  const reader = new EntryReader(scope, issuer.trustDomain);
  const admin = new GrpcServer({
    ...shared,
    path: adminSocket,
    mode: 0o600,
    limits: { messageBytes: adminMessageBytes },
    admit: (socket, peer) => config.allowAdmin(socket, peer),
    routes: (router) => void router.service(EntryService, entryApi(store, reader)),
  });
  return [workload, admin];
}
