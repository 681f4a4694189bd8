// The proxy beside an agent: who calls, which service is meant, and on with the caller's SVID over mutual TLS.
import { createServer, type Socket } from 'node:net';
import { IdentityError, PlatformError } from '../../runtime/errors.ts';
import type { X509Source } from '../../runtime/identity/workload/x509.ts';
import { createFront } from './front.ts';
import { serveHealth, serveMetrics } from './health.ts';
import { createJournal } from './journal.ts';
import { defaultLimits } from './limits.ts';
import { type Address, listenOn, type TcpAddress } from './listen.ts';
import { type MeshConfig, type MeshProxy, meshProxy, type Refusal } from './mesh-proxy.ts';
import { metricsPage, OutboundMetrics } from './metrics.ts';
import { serveOutbound } from './outbound-stream.ts';
import { type CallerPool, callerPool } from './pools.ts';
import { sniffProtocol } from './sniff.ts';
import { unparsedRefusals } from './unparsed.ts';

/** A service that callers may reach, behind its inbound proxy. */
export interface OutboundService {
  name: string;
  /** The only identity that may answer. */
  spiffeId: string;
  /** TLS server name (SNI). */
  serverName: string;
  address: TcpAddress;
}

export interface OutboundRoute {
  /** Each stands for what is below it too; `/` for everything. The first route that fits counts. */
  paths: readonly string[];
  /** Only for these authorities (`host` or `host:port`, lower case); any without it. */
  authorities?: readonly string[];
  service: OutboundService;
  /** Largest request body, 1 MiB by default; 0 lets bodies stream without end. */
  bodyBytes?: number;
}

/** Who is at the other end of a connection to the proxy. */
export interface AttestedCaller {
  spiffeId: string;
  pid?: number;
  uid?: number;
  /** Asked at each request; false (or a throw) refuses it: the process or its entry is gone. */
  stillThere(): boolean;
  /** The connection is closed. */
  close?(): void;
}

/** A request that was refused; with a SPIFFE ID, what it asked for was refused, not itself. */
export interface OutboundRefusal extends Refusal {
  /** The process that called, as far as the kernel knows it. */
  pid: number | undefined;
  uid: number | undefined;
}

export interface OutboundConfig extends MeshConfig<OutboundRefusal> {
  /** A Unix socket (mode 0600), or a loopback address where the proxy has a process' network alone. */
  listen: Address;
  /**
   * Attests each connection. Throws a `PlatformError` for whom it does not know; `pid` and `uid` may
   * stand in its `data`. Without it every caller is the workload that `sourceFor(undefined)` is for.
   */
  attest?(socket: Socket): AttestedCaller;
  /** Throws `svid_missing` or `identity_unavailable`. The same source for the same id. */
  sourceFor(spiffeId: string | undefined): X509Source;
  routes: readonly OutboundRoute[];
  /** Counts what several proxies do together; its own without it. */
  metrics?: OutboundMetrics;
}

/** A connection to the proxy; exactly one of `caller` and `refused` is there. */
export interface OutboundConnection {
  caller?: AttestedCaller;
  refused?: PlatformError;
}

/** Creates the outbound proxy; it is not listening yet. */
export function createOutboundProxy(config: OutboundConfig): MeshProxy {
  const limits = { ...defaultLimits, ...config.limits };
  const clock = config.clock ?? (() => new Date());
  const pools = new Map<string, CallerPool>();
  const metrics = config.metrics ?? new OutboundMetrics();
  const journal = createJournal('outbound', metrics, config.accessLog);
  const unparsed = unparsedRefusals(journal, metrics, clock);

  /** One pool a caller; a source that was replaced (the entry was made anew) gets a pool of its own. */
  function poolFor(spiffeId: string | undefined): CallerPool {
    const source = config.sourceFor(spiffeId);
    const known = pools.get(spiffeId ?? '');
    if (known?.source === source) return known;
    known?.retire();
    const pool = callerPool(source, spiffeId, config.trustDomain, clock);
    pools.set(spiffeId ?? '', pool);
    return pool;
  }

  const front = createFront<OutboundConnection>({
    limits,
    onArrival: (arrival) =>
      void serveOutbound(arrival, { config, limits, clock, journal, metrics, poolFor }),
    onUnparsed({ caller, refused }, error) {
      const process = caller ?? (refused?.data as { pid?: number; uid?: number } | undefined);
      const [spiffeId, pid, uid] = [caller?.spiffeId, process?.pid, process?.uid];
      return unparsed({ source: spiffeId ?? '', destination: '' }, error, (facts) =>
        config.onRefused?.({ ...facts, spiffeId, pid, uid }),
      );
    },
  });

  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    metrics.open += 1;
    const connection = attestConnection(socket, config);
    socket.once('close', () => {
      metrics.open -= 1;
      connection.caller?.close?.();
    });
    sniffProtocol(socket, limits.headTimeoutMs, (protocol) =>
      front.accept(socket, protocol, connection),
    );
  });
  server.maxConnections = limits.connections;
  server.on('drop', () =>
    journal.connection({
      ...{ source: '', destination: '', reason: 'service_unavailable' },
      time: clock().toISOString(),
    }),
  );

  const listening = listenOn(server, config.listen);
  const state = () => ({
    source: config.sourceFor(undefined),
    identities: [poolFor(undefined).identity],
    denied: config.denied,
    clock,
  });
  const pages = [
    serveHealth(config.healthListen, state),
    serveMetrics(config.metricsListen, () => metricsPage([metrics])),
  ] as const;
  return meshProxy(listening, pages, () => metricsPage([metrics]), {
    drain: () => front.drain(),
    cut: () => front.destroy(),
    end() {
      for (const pool of pools.values()) pool.destroy();
    },
  });
}

function attestConnection(socket: Socket, config: OutboundConfig): OutboundConnection {
  if (config.attest === undefined) return {};
  try {
    return { caller: config.attest(socket) };
  } catch (error) {
    const refused =
      error instanceof PlatformError
        ? error
        : new IdentityError('caller_unknown', 'the caller could not be attested', { cause: error });
    return { refused };
  }
}
