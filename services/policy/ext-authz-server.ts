// The gRPC server that Envoys ask: a Unix socket, loopback, or mutual TLS with named callers.
import type { X509Certificate } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { PlatformError } from '../../runtime/errors.ts';
import type { ListenAddress } from '../common/http/port.ts';
import { freeSocketPath } from '../common/http/unix-socket.ts';

/** PEM files, read again when they change, and whose certificates may ask. */
export interface ExtAuthzTls {
  certificateFile: string;
  keyFile: string;
  /** What callers' certificates are verified against. */
  trustFile: string;
  /** SPIFFE IDs: a certificate that names exactly one of them. */
  callers: readonly string[];
}

export interface ExtAuthzServer {
  /** Where it listens; another port than asked for where that was 0. */
  address: ListenAddress;
  close(): Promise<void>;
}

/** The largest body that a boundary reads, what headers may take, and the message around them. */
const MESSAGE_BYTES_MAX = 1024 * 1024 + 128 * 1024;
/** Envoy opens one connection a worker, and asks for each of its requests on a stream. */
const SETTINGS = { maxConcurrentStreams: 1000, enablePush: false };
const SESSION_MEGABYTES = 64;
const SOCKET_MODE = 0o660;
const RENEWED_MS = 10_000;

/** Starts it. Throws `address_in_use`, or `configuration_invalid` where it cannot listen. */
export async function startExtAuthz(config: {
  listen: ListenAddress;
  tls?: ExtAuthzTls;
  routes: (router: ConnectRouter) => void;
}): Promise<ExtAuthzServer> {
  const { listen, tls, routes } = config;
  const answer = connectNodeAdapter({
    ...{ grpc: true, grpcWeb: false, connect: false, acceptCompression: [] },
    ...{ readMaxBytes: MESSAGE_BYTES_MAX, routes },
  });
  const handle = (request: Http2ServerRequest, response: Http2ServerResponse) => {
    // Envoy names its cluster here, which need be no host.
    request.headers[':authority'] = 'policy';
    answer(request, response);
  };
  const options = { settings: SETTINGS, maxSessionMemory: SESSION_MEGABYTES };
  const server =
    tls === undefined
      ? createServer(options, handle)
      : createSecureServer({ ...options, ...(await secureOptions(tls)) }, handle);
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('sessionError', () => {});
  const stopRenewal = tls === undefined ? undefined : guard(server as Http2SecureServer, tls);
  await bind(server, listen);
  return {
    address: 'path' in listen ? listen : { ...listen, port: portOf(server) },
    async close() {
      stopRenewal?.();
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

const portOf = (server: Http2Server | Http2SecureServer) => (server.address() as AddressInfo).port;

/** Cuts every connection of nobody in `callers`, and keeps the certificates fresh. */
function guard(server: Http2SecureServer, tls: ExtAuthzTls): () => void {
  server.on('secureConnection', (socket: TLSSocket) => {
    if (!isCaller(socket.getPeerX509Certificate(), tls.callers)) socket.destroy();
  });
  let seen: string | undefined;
  const renew = async () => {
    const next = await secureOptions(tls).catch(() => undefined);
    // Half written files are none: those in force stay until the next look.
    if (next === undefined || next.cert + next.ca === seen) return;
    try {
      server.setSecureContext(next);
      seen = next.cert + next.ca;
    } catch {
      // A certificate beside another one's key is looked at again, like the files above.
    }
  };
  const timer = setInterval(() => void renew(), RENEWED_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function isCaller(certificate: X509Certificate | undefined, callers: readonly string[]): boolean {
  const names = certificate?.subjectAltName?.split(', ') ?? [];
  const [uri, ...more] = names.filter((name) => name.startsWith('URI:'));
  return uri !== undefined && more.length === 0 && callers.includes(uri.slice('URI:'.length));
}

async function secureOptions({ certificateFile, keyFile, trustFile }: ExtAuthzTls) {
  const files = [certificateFile, keyFile, trustFile];
  const [cert, key, ca] = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return {
    ...{ cert: cert!, key: key!, ca: ca!, minVersion: 'TLSv1.3' as const },
    ...{ requestCert: true, rejectUnauthorized: true, allowHTTP1: false },
  };
}

async function bind(server: Http2Server | Http2SecureServer, listen: ListenAddress): Promise<void> {
  if ('path' in listen) await freeSocketPath(listen.path);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const code = cause.code === 'EADDRINUSE' ? 'address_in_use' : 'configuration_invalid';
      reject(new PlatformError(code, `cannot listen for Envoy: ${cause.code}`, { cause }));
    });
    server.listen(listen, resolve);
  });
  // Whoever runs the proxy is of the same group; the folder decides about everybody else.
  if ('path' in listen) chmodSync(listen.path, SOCKET_MODE);
}
