// The TLS side of the inbound listener: version 1.3, a client certificate, a service chosen by SNI, a bounded number.
import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { PlatformError } from '../../runtime/errors.ts';
import { serverTlsOptions, type TlsIdentity } from '../../runtime/identity/workload/tls.ts';
import type { ProxyLimits } from './limits.ts';

export interface TlsServerConfig {
  /** Whose certificate is shown to who asks for that server name. */
  identityFor(serverName: string): TlsIdentity | undefined;
  limits: ProxyLimits;
  /** The peer's chain is verified; whether it may be here is not decided yet. */
  onSecure(socket: TLSSocket): void;
  /** Nobody was identified. */
  onRefused(error: PlatformError): void;
}

/** Creates the server; it is not listening yet. `destroy` cuts every connection. */
export function createTlsServer(config: TlsServerConfig): { server: Server; destroy(): void } {
  const { identityFor, limits, onSecure, onRefused } = config;
  const server = createServer(
    {
      ...serverTlsOptions(identityFor),
      ALPNProtocols: ['h2', 'http/1.1'],
      handshakeTimeout: limits.headTimeoutMs,
      noDelay: true,
    },
    (socket) => {
      handshakes.delete(nameOf(socket));
      onSecure(socket);
    },
  );
  // Oldest first; whoever connects and says nothing must not keep others from their handshake.
  const handshakes = new Map<string, Socket>();
  server.maxConnections = limits.connections;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    sockets.add(socket);
    handshakes.set(name, socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (handshakes.get(name) === socket) handshakes.delete(name);
    });
    if (handshakes.size <= limits.handshakes) return;
    const [oldest, waiting] = handshakes.entries().next().value!;
    handshakes.delete(oldest);
    waiting.destroy();
    onRefused(new PlatformError('service_unavailable', 'too many handshakes under way'));
  });
  server.on('drop', () =>
    onRefused(new PlatformError('service_unavailable', 'too many connections')),
  );
  server.on('tlsClientError', (error, socket) => {
    onRefused(error instanceof PlatformError ? error : handshakeProblem(error));
    socket.destroy();
  });
  return {
    server,
    destroy() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The raw socket and its TLS socket have the same. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}

/** TLS alerts and OpenSSL's words are for the log of whoever debugs; here they are one reason. */
function handshakeProblem(error: NodeJS.ErrnoException): PlatformError {
  const isExpired = error.code === 'CERT_HAS_EXPIRED' || error.code === 'CERT_NOT_YET_VALID';
  const code = isExpired ? 'svid_expired' : 'svid_invalid';
  return new PlatformError(code, 'the TLS handshake failed', { cause: error });
}
