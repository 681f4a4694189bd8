// gRPC over a Unix socket, as a client: one connection, bounded messages, errors in the platform's codes.
import { connect } from 'node:net';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { IdentityError, PlatformError } from '../errors.ts';

/** How long one call that is no stream may take. */
export const callTimeoutMs = 10_000;

// The server's own bound on the longest message, a deny-list, is under this.
const messageBytesMax = 8 * 1024 * 1024;
// A server that hangs with its socket open is noticed after both. gRPC servers in Go, SPIRE's among
// them, cut clients that ping more often than every five minutes.
const pingIntervalMs = 305_000;
const pingTimeoutMs = 5_000;

export interface SocketTransport {
  transport: Transport;
  /** Ends the connection and every call on it. */
  close(): void;
}

/** A gRPC transport to the server of a Unix socket; it connects when first used, and again when cut. */
export function socketTransport(socketPath: string): SocketTransport {
  // The name has no meaning on a Unix socket, but HTTP/2 wants one.
  const baseUrl = 'http://localhost';
  const session = new Http2SessionManager(
    baseUrl,
    { pingIntervalMs, pingTimeoutMs },
    { createConnection: () => connect(socketPath) },
  );
  const transport = createGrpcTransport({
    baseUrl,
    sessionManager: session,
    readMaxBytes: messageBytesMax,
  });
  return { transport, close: () => session.abort() };
}

/**
 * The error of a call as the platform's own: PERMISSION_DENIED is `svid_missing` (the caller has no
 * identity), INVALID_ARGUMENT is `svid_invalid`, all else `identity_unavailable`.
 */
export function identityErrorOf(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  const { code, rawMessage } = ConnectError.from(error);
  if (code === Code.PermissionDenied) {
    return new IdentityError('svid_missing', `the identity server has no identity: ${rawMessage}`, {
      hint: 'see whether an entry fits this workload: it needs all of the entry’s selectors',
    });
  }
  if (code === Code.InvalidArgument) {
    return new IdentityError('svid_invalid', `the identity server refuses it: ${rawMessage}`);
  }
  const message = `the identity server does not answer: ${rawMessage}`;
  return new IdentityError('identity_unavailable', message, { cause: error });
}
