// The proxy before the services: mutual TLS, who the peer is, the filter's decision, then on to the service.
import { randomUUID } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { PlatformError } from '../../runtime/errors.ts';
import type { PeerSvid } from '../../runtime/identity/workload/peer-svid.ts';
import {
  createTlsIdentity,
  type TlsIdentity,
  verifyTlsPeer,
} from '../../runtime/identity/workload/tls.ts';
import type { X509Source } from '../../runtime/identity/workload/x509.ts';
import type { MeshRequest } from '../../runtime/mesh/message.ts';
import type { Filter } from '../../runtime/proxywasm/filter.ts';
import { METRIC } from '../../runtime/telemetry/names.ts';
import { isDenial } from './answer.ts';
import { PeerConnections } from './connections.ts';
import { type Arrival, createFront } from './front.ts';
import { type HealthState, healthOf, serveHealth, serveMetrics } from './health.ts';
import { HeldBytes } from './held-body.ts';
import { serveInbound } from './inbound-stream.ts';
import { createJournal, type Journal } from './journal.ts';
import { defaultLimits } from './limits.ts';
import { type Address, listenOn, type TcpAddress } from './listen.ts';
import { type MeshConfig, type MeshProxy, meshProxy, type Refusal } from './mesh-proxy.ts';
import { metricsPage, ProxyMetrics } from './metrics.ts';
import { StreamShare } from './stream-share.ts';
import type { Client } from './streams.ts';
import { createTlsServer } from './tls-server.ts';
import { unparsedRefusals } from './unparsed.ts';
import { serviceClient } from './upstream.ts';

export type { MeshProxy } from './mesh-proxy.ts';

export interface InboundService {
  name: string;
  /** The identity that the proxy shows for it. */
  spiffeId: string;
  /** TLS server names (SNI) that choose it. */
  serverNames: readonly string[];
  upstream: Address;
  protocol: 'http1' | 'h2c';
  /** Largest request body, 1 MiB by default; 0 lets bodies stream without end. */
  bodyBytes?: number;
  /** Other limits for paths and what is below them; the first that fits counts. */
  bodies?: readonly { paths: readonly string[]; bodyBytes: number }[];
}

/** A request or a connection that was refused. */
export interface InboundRefusal extends Refusal {
  decisionId: string | undefined;
  /** The request whose body was decided on, with the salt that commits what is in it. */
  message?: { request: MeshRequest; salt: Uint8Array } | undefined;
}

export interface InboundConfig extends MeshConfig<InboundRefusal> {
  listen: TcpAddress;
  /** Holds an SVID for each service. */
  source: X509Source;
  services: readonly InboundService[];
  /** What stands on the metrics page besides: that of outbound proxies in the same process. */
  pageMetrics?: readonly ProxyMetrics[];
  /** Asked for each stream, so that a new policy counts from the next request on. */
  filterFor(service: InboundService): Filter;
}

/** A service with what the proxy keeps for it. */
export interface Hosted {
  service: InboundService;
  identity: TlsIdentity;
  client: Client;
}

/** The connection of a verified peer to one service. */
export interface InboundConnection {
  socket: TLSSocket;
  peer: PeerSvid;
  hosted: Hosted;
}

/** Creates the inbound proxy; it is not listening yet. */
export function createInboundProxy(config: InboundConfig): MeshProxy {
  const limits = { ...defaultLimits, ...config.limits };
  const clock = config.clock ?? (() => new Date());
  const { source, trustDomain, denied } = config;
  const hosted: Hosted[] = config.services.map((service) => ({
    service,
    identity: createTlsIdentity({ source, trustDomain, spiffeId: service.spiffeId, clock }),
    client: serviceClient(service, limits),
  }));
  const byName = new Map(hosted.flatMap((host) => host.service.serverNames.map((n) => [n, host])));
  const identities = hosted.map(({ identity }) => identity);
  const state = (): HealthState => ({ source, identities, denied, clock });
  const metrics = new ProxyMetrics('inbound', () => gauges(state(), connections.size));
  const journal = createJournal('inbound', metrics, config.accessLog);
  const refused = connectionRefusals(config, journal, clock);
  const unparsed = unparsedRefusals(journal, metrics, clock);
  const connections = new PeerConnections({
    clock,
    denied,
    connectionsPerPeer: limits.connectionsPerPeer,
    onCut: ({ peer }, error) => refused(error, peer.spiffeId, ''),
  });
  const share = new StreamShare(limits.streamsPerAgent);
  const held = new HeldBytes(limits);
  const front = createFront<InboundConnection>({
    limits,
    onArrival: (arrival: Arrival<InboundConnection>) =>
      void serveInbound(arrival, {
        config,
        limits,
        clock,
        journal,
        metrics,
        connections,
        share,
        held,
      }),
    onUnparsed: ({ peer: { spiffeId }, hosted: { service } }, error) =>
      unparsed({ source: spiffeId, destination: service.spiffeId }, error, (facts) =>
        config.onRefused?.({ ...facts, service: service.name, spiffeId, decisionId: undefined }),
      ),
  });
  const tls = createTlsServer({
    identityFor: (name) => byName.get(name)?.identity,
    limits,
    onSecure: (socket) => accept(socket, byName.get(String(socket.servername))),
    onRefused: (error) => refused(error, '', ''),
  });

  function accept(socket: TLSSocket, host: Hosted | undefined): void {
    let spiffeId = '';
    try {
      if (host === undefined) throw new PlatformError('route_unknown', 'no server name was sent');
      const peer = verifyTlsPeer(socket, { scope: config.scope, trustDomain, denied, clock });
      spiffeId = peer.spiffeId;
      const connection = { socket, peer, hosted: host };
      connections.add(connection);
      front.accept(socket, socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1', connection);
    } catch (error) {
      socket.on('error', () => socket.destroy());
      socket.destroy();
      refused(error, spiffeId, host?.service.spiffeId ?? '');
    }
  }

  const page = () => metricsPage([metrics, ...(config.pageMetrics ?? [])]);
  const pages = [
    serveHealth(config.healthListen, state),
    serveMetrics(config.metricsListen, page),
  ] as const;
  return meshProxy(listenOn(tls.server, config.listen), pages, page, {
    drain: () => front.drain(),
    cut() {
      front.destroy();
      tls.destroy();
    },
    end() {
      connections.close();
      for (const { client, identity } of hosted) {
        client.destroy();
        identity.close();
      }
    },
  });
}

/** Logs a connection that was refused or cut, and records it where somebody was identified. */
function connectionRefusals(config: InboundConfig, journal: Journal, clock: () => Date) {
  return (error: unknown, source: string, destination: string): void => {
    const known = error instanceof PlatformError ? error : new PlatformError('internal', 'failed');
    const time = clock().toISOString();
    const spiffeId = source || (known.data.spiffe_id as string | undefined);
    journal.connection({ source: spiffeId ?? '', destination, reason: known.code, time });
    // The noise of the network is counted, not recorded.
    if (spiffeId === undefined || !isDenial(known)) return;
    const facts = { requestId: randomUUID(), time, method: '', service: '', decisionId: undefined };
    // There is no answer to wait for the row; the connection is refused either way.
    config.onRefused?.({ error: known, ...facts, spiffeId }).catch(() => {});
  };
}

function gauges(state: HealthState, open: number): Record<string, number> {
  const { svid_expires_at, identity_server, deny_list_stale_seconds } = healthOf(state);
  const expiresAt = svid_expires_at === null ? 0 : Date.parse(svid_expires_at);
  return {
    [METRIC.proxyConnections]: open,
    [METRIC.proxySvidExpiry]: Math.max(0, expiresAt - state.clock().getTime()) / 1000,
    [METRIC.proxyIdentityConnected]: identity_server.connected ? 1 : 0,
    [METRIC.proxyDenyListStale]: deny_list_stale_seconds,
  };
}
