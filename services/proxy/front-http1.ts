// The HTTP/1.1 part of a proxy's listener: requests, upgrades, and what the parser refuses.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { http1Head } from './fields.ts';
import type { FrontConfig, FrontPart } from './front.ts';
import type { ProxyLimits } from './limits.ts';
import {
  answerUnparsed,
  Http1ServerStream,
  parserProblem,
  UpgradeServerStream,
} from './server-http1.ts';
import type { ServerStream } from './streams.ts';

/** Creates the part for HTTP/1.1; answers that begin while it drains end their connection. */
export function http1Part<C>(config: FrontConfig<C>): FrontPart<C> {
  const { limits } = config;
  const connections = new WeakMap<Duplex, C>();
  const sockets = new Set<Socket>();
  const refused = new WeakSet<Duplex>();
  let isDraining = false;

  const server = strictServer(limits);
  server.on('request', (incoming, outgoing) => arrived(incoming, outgoing, false));
  server.on('checkContinue', (incoming, outgoing) => arrived(incoming, outgoing, true));
  server.on('checkExpectation', (incoming, outgoing) => arrived(incoming, outgoing, false));
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, first: Buffer) => {
    const stream = new UpgradeServerStream(incoming, socket, first);
    socket.on('error', () => socket.destroy());
    give(incoming, stream, true);
  });
  server.on('connect', (_incoming, socket: Duplex) => unparsed(socket, Error('no CONNECT here')));
  server.on('clientError', (error: Error, socket: Duplex) => unparsed(socket, error));
  // A server that never listens itself starts to enforce its time limits with this event.
  server.emit('listening');

  function arrived(incoming: IncomingMessage, outgoing: ServerResponse, waits: boolean): void {
    give(incoming, new Http1ServerStream(incoming, outgoing, waits, () => isDraining), false);
  }

  function give(incoming: IncomingMessage, stream: ServerStream, isUpgrade: boolean): void {
    const [method, target] = [incoming.method ?? '', incoming.url ?? ''];
    config.onArrival({
      connection: connections.get(incoming.socket) as C,
      stream,
      method,
      head() {
        const head = http1Head(method, target, incoming.rawHeaders, limits.headerCount);
        return { ...head, isUpgrade };
      },
    });
  }

  function unparsed(socket: Duplex, error: Error): void {
    const connection = connections.get(socket);
    const known = parserProblem(error);
    if (connection === undefined || known === undefined) {
      socket.destroy();
      return;
    }
    // Until the refusal is on record more may arrive, which the parser refuses once more.
    if (refused.has(socket)) return;
    refused.add(socket);
    void config.onUnparsed(connection, known).then((answer) => answerUnparsed(socket, answer));
  }

  return {
    accept(socket, connection) {
      connections.set(socket, connection);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      server.emit('connection', socket);
    },
    drain() {
      isDraining = true;
      server.close();
      server.closeIdleConnections();
    },
    destroy() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function strictServer(limits: ProxyLimits): Server {
  const server = createServer({
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
  server.maxHeadersCount = 0;
  return server;
}
