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
    onSecure,
  );
  server.maxConnections = limits.connections;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
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

/** TLS alerts and OpenSSL's words are for the log of whoever debugs; here they are one reason. */
function handshakeProblem(error: NodeJS.ErrnoException): PlatformError {
  const isExpired = error.code === 'CERT_HAS_EXPIRED' || error.code === 'CERT_NOT_YET_VALID';
  const code = isExpired ? 'svid_expired' : 'svid_invalid';
  return new PlatformError(code, 'the TLS handshake failed', { cause: error });
}
