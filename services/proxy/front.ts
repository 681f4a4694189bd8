// Speaks HTTP/1.1 and HTTP/2 on connections that somebody else accepted, and hands every stream on alike.
import { createServer as createHttp1, type IncomingMessage, type ServerResponse } from 'node:http';
import { performServerHandshake, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { PlatformError } from '../../runtime/errors.ts';
import { http1Head, http2Head, type RequestHead } from './fields.ts';
import type { ProxyLimits } from './limits.ts';
import { Http1ServerStream, refuseUnparsed, UpgradeServerStream } from './server-http1.ts';
import { Http2ServerStream } from './server-http2.ts';
import type { Protocol, ServerStream } from './streams.ts';

/** A request that arrived; `head` throws what is wrong with it. */
export interface Arrival<C> {
  connection: C;
  stream: ServerStream;
  method: string;
  head(): RequestHead;
}

export interface FrontConfig<C> {
  limits: ProxyLimits;
  onArrival(arrival: Arrival<C>): void;
  /** The parser refused what came; it was answered already. */
  onUnparsed(connection: C, error: PlatformError): void;
}

export interface Front<C> {
  /** Returns how to end the connection politely at once. */
  accept(socket: Socket, protocol: Protocol, connection: C): void;
  /** Takes no new streams on any connection; idle ones end. */
  drain(): void;
  /** Cuts what is left. */
  destroy(): void;
}

/** Creates the HTTP part of a proxy's listener. */
export function createFront<C>(config: FrontConfig<C>): Front<C> {
  const { limits } = config;
  const connections = new WeakMap<Duplex, C>();
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  let isDraining = false;

  const http1 = createHttp1({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headTimeoutMs,
    // Bodies have their own time limits, since some may stream for hours.
    requestTimeout: 0,
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, limits.headTimeoutMs),
    requireHostHeader: false,
    insecureHTTPParser: false,
    // An h2c or any other upgrade is a plain request: its upgrade header does not travel on.
    shouldUpgradeCallback: (request) =>
      request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket',
  });
  // Node would drop what is over its own count silently; fields.ts counts instead.
  http1.maxHeadersCount = 0;
  http1.on('request', (incoming, outgoing) => arrived(incoming, outgoing, false));
  http1.on('checkContinue', (incoming, outgoing) => arrived(incoming, outgoing, true));
  http1.on('checkExpectation', (incoming, outgoing) => arrived(incoming, outgoing, false));
  http1.on('upgrade', (incoming: IncomingMessage, socket: Duplex, first: Buffer) => {
    const stream = new UpgradeServerStream(incoming, socket, first);
    socket.on('error', () => socket.destroy());
    give(incoming, stream, incoming.socket, true);
  });
  http1.on('connect', (_incoming, socket: Duplex) => unparsed(socket, Error('no CONNECT here')));
  http1.on('clientError', (error: Error, socket: Duplex) => unparsed(socket, error));
  // A server that never listens itself starts to enforce its time limits with this event.
  http1.emit('listening');

  const http2Options = {
    maxHeaderListPairs: limits.headerCount + 4,
    maxSendHeaderBlockLength: 2 * limits.headerBytes,
    settings: {
      maxConcurrentStreams: limits.streams,
      maxHeaderListSize: limits.headerBytes,
      initialWindowSize: 256 * 1024,
      enablePush: false,
    },
  };

  function acceptHttp2(socket: Socket, connection: C): void {
    const session = performServerHandshake(socket, http2Options);
    sessions.add(session);
    session.setLocalWindowSize(1024 * 1024);
    session.once('close', () => sessions.delete(session));
    session.on('error', () => session.destroy());
    idle(session, limits.idleTimeoutMs);
    session.on('stream', (stream, headers, _flags, rawHeaders) => {
      stream.on('error', () => stream.destroy());
      const takesTrailers = String(headers.te).toLowerCase() === 'trailers';
      config.onArrival({
        connection,
        stream: new Http2ServerStream(stream, takesTrailers),
        method: headers[':method'] ?? '',
        head: () => http2Head(rawHeaders, stream.endAfterHeaders, limits.headerCount),
      });
    });
  }

  function arrived(incoming: IncomingMessage, outgoing: ServerResponse, waits: boolean): void {
    const stream = new Http1ServerStream(incoming, outgoing, waits, () => isDraining);
    give(incoming, stream, incoming.socket, false);
  }

  function give(
    incoming: IncomingMessage,
    stream: ServerStream,
    socket: Duplex,
    isUpgrade: boolean,
  ): void {
    const [method, target] = [incoming.method ?? '', incoming.url ?? ''];
    config.onArrival({
      connection: connections.get(socket) as C,
      stream,
      method,
      head() {
        const head = http1Head(method, target, incoming.rawHeaders, limits.headerCount);
        return { ...head, isUpgrade };
      },
    });
  }

  function unparsed(socket: Duplex, error: Error): void {
    const known = refuseUnparsed(error as NodeJS.ErrnoException, socket);
    const connection = connections.get(socket);
    if (connection !== undefined) config.onUnparsed(connection, known);
  }

  return {
    accept(socket, protocol, connection) {
      connections.set(socket, connection);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      socket.on('error', () => socket.destroy());
      if (protocol === 'h2') acceptHttp2(socket, connection);
      else http1.emit('connection', socket);
    },
    drain() {
      isDraining = true;
      http1.close();
      http1.closeIdleConnections();
      for (const session of sessions) session.close();
    },
    destroy() {
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Ends a session that has had no stream for a while, whatever else it sends. */
function idle(session: ServerHttp2Session, ms: number): void {
  let running = 0;
  const end = () => session.close();
  let timer = setTimeout(end, ms).unref();
  session.on('stream', (stream) => {
    running += 1;
    clearTimeout(timer);
    stream.once('close', () => {
      running -= 1;
      if (running === 0) timer = setTimeout(end, ms).unref();
    });
  });
  session.once('close', () => clearTimeout(timer));
}
