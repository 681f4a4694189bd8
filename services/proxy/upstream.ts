// Connections to what is behind or beyond the proxy: a service on this machine, or its inbound proxy over mutual TLS.
import { connect as connectPlain, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { PlatformError } from '../../runtime/errors.ts';
import { clientTlsOptions, type TlsIdentity } from '../../runtime/identity/workload/tls.ts';
import type { DenyView } from '../../runtime/identity/workload/x509.ts';
import type { Scope } from '../../runtime/modules/scope.ts';
import { http1Client } from './client-http1.ts';
import { http2Client } from './client-http2.ts';
import type { ProxyLimits } from './limits.ts';
import type { Address, TcpAddress } from './listen.ts';
import type { Client, Protocol } from './streams.ts';

/** Local services keep idle connections for five seconds or longer; we let go before. */
const serviceKeepMs = 4000;
/** Inbound proxies keep them for a minute. */
const proxyKeepMs = 30_000;

/** Plain HTTP to a service behind the proxy. */
export function serviceClient(
  { upstream, protocol }: { upstream: Address; protocol: 'http1' | 'h2c' },
  limits: ProxyLimits,
): Client {
  const connect = () => opened(connectPlain({ ...upstream, noDelay: true }), 'connect', limits);
  if (protocol === 'http1') {
    return http1Client({ connect, connections: limits.serviceStreams, keepMs: serviceKeepMs });
  }
  return http2Client({
    connect,
    scheme: 'http',
    streams: limits.serviceStreams,
    keepMs: serviceKeepMs,
  });
}

export interface MutualTls {
  address: TcpAddress;
  /** Server name (SNI) that chooses the service. */
  serverName: string;
  /** The only identity that may answer. */
  spiffeId: string;
  trustDomain: string;
  scope: Scope;
  denied: DenyView;
  clock: () => Date;
  limits: ProxyLimits;
}

/** The client of one inbound proxy with one caller's SVID; connections are never shared beyond. */
export function proxyClient(to: MutualTls, identity: TlsIdentity, protocol: Protocol): Client {
  const connect = () => openMutual(to, identity, protocol);
  const { streams } = to.limits;
  return protocol === 'h2'
    ? http2Client({ connect, scheme: 'https', streams, keepMs: proxyKeepMs })
    : http1Client({ connect, connections: streams, keepMs: proxyKeepMs });
}

async function openMutual(
  to: MutualTls,
  identity: TlsIdentity,
  protocol: Protocol,
): Promise<TLSSocket> {
  const { scope, trustDomain, denied, clock } = to;
  const options: ConnectionOptions & { noDelay: boolean } = {
    ...to.address,
    ...clientTlsOptions(
      identity,
      { scope, trustDomain, denied, clock },
      { expectedSpiffeId: to.spiffeId, servername: to.serverName },
    ),
    ALPNProtocols: [protocol],
    noDelay: true,
  };
  const socket = connectTls(options);
  await opened(socket, 'secureConnect', to.limits);
  if (socket.alpnProtocol !== protocol) {
    socket.destroy();
    throw new PlatformError('service_unavailable', `the next hop does not speak ${protocol}`);
  }
  return socket;
}

/** Resolves with the socket once `event` has happened; a bounded time, and one kind of error. */
function opened<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  limits: ProxyLimits,
): Promise<S> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new PlatformError('service_unavailable', 'the service did not accept in time'));
    }, limits.connectTimeoutMs);
    const failed = (cause: Error) => {
      clearTimeout(timer);
      reject(
        new PlatformError('service_unavailable', 'the service cannot be reached', {
          cause,
          hint: 'nothing is known to have happened; see the evidence before trying again',
        }),
      );
    };
    socket.once('error', failed);
    socket.once(event, () => {
      clearTimeout(timer);
      socket.off('error', failed);
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
  });
}
