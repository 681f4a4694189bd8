// Serves the HTTP port with Node's own http server.
import { chmod } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { PlatformError } from '../../../runtime/errors.ts';
import { problemResponse } from '../problem.ts';
import { exchange } from './exchange.ts';
import type { HttpResponse, ListenAddress, Peer } from './port.ts';
import type { AdapterOptions, Listening } from './server.ts';
import { freeSocketPath } from './unix-socket.ts';

/** How long a refused sender may go on sending, so that it can still read the answer. */
const lingerMs = 1000;

/** Listens on a TCP address or a Unix socket (mode 0600); `address_in_use` when it is taken. */
export async function listenNode(
  options: AdapterOptions,
  address: ListenAddress,
): Promise<Listening> {
  const state: State = { ...options, peers: new WeakMap(), sockets: new Set(), closing: false };
  const server = createNodeServer(state);
  if ('path' in address) await freeSocketPath(address.path);
  await bind(server, address);
  if ('path' in address) await chmod(address.path, 0o600);
  const bound = server.address();
  return {
    address:
      'path' in address || bound === null || typeof bound === 'string'
        ? address
        : { host: address.host, port: bound.port },
    close: (graceMs) => drain(server, state, graceMs),
  };
}

interface State extends AdapterOptions {
  peers: WeakMap<Socket, Promise<Peer | undefined>>;
  sockets: Set<Socket>;
  closing: boolean;
}

function createNodeServer(state: State): Server {
  const { limits } = state;
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.requestTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.idleTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, limits.requestTimeoutMs),
      requireHostHeader: false,
      insecureHTTPParser: false,
    },
    (request, response) => {
      // Nobody awaits it: what it throws must not end the process.
      serve(state, request, response).catch(() => request.socket.destroy());
    },
  );
  // Node drops what is over its own count silently; the count is checked in exchange.ts instead.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connections;
  server.on('connection', (socket: Socket) => accept(state, socket));
  server.on('clientError', refuse);
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    write(response, problemResponse(new PlatformError('request_malformed', 'expect header')), true);
  });
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    refuse(new PlatformError('method_not_allowed', 'no CONNECT here'), socket);
  });
  return server;
}

function accept(state: State, socket: Socket): void {
  state.sockets.add(socket);
  socket.once('close', () => state.sockets.delete(socket));
  // Node takes its own listener off a socket that it hands over, as for CONNECT; a reset without one
  // would end the process.
  socket.on('error', () => socket.destroy());
  const hook = state.onConnection;
  if (hook === undefined) return;
  // Runs now, while the peer that connected is most likely still there to be attested.
  const peer = (async () => hook(socket))();
  peer.catch(() => undefined);
  state.peers.set(socket, peer);
}

async function serve(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const socket = request.socket;
  const abort = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) abort.abort();
  });
  if (request.httpVersionMajor !== 1) {
    write(
      response,
      problemResponse(new PlatformError('request_malformed', 'no HTTP version')),
      true,
    );
    return;
  }
  const headers: [string, string][] = [];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    headers.push([request.rawHeaders[i]!, request.rawHeaders[i + 1]!]);
  }
  const { response: answer, closeConnection } = await exchange(
    {
      method: request.method ?? '',
      target: request.url ?? '',
      headers,
      // Leaving the loop early must not destroy the connection that the refusal is written to.
      get body() {
        return request.iterator({ destroyOnReturn: false });
      },
      peer: () => state.peers.get(socket) ?? Promise.resolve(undefined),
      signal: abort.signal,
    },
    state.router,
    state.limits,
  );
  if (closeConnection) linger(socket);
  write(response, answer, closeConnection || state.closing, request.method === 'HEAD');
}

function write(
  response: ServerResponse,
  answer: HttpResponse,
  close: boolean,
  bodiless = false,
): void {
  if (response.destroyed || response.headersSent) return;
  // Text goes out together with the head, as one write; bytes would be a second buffer of it.
  const { body } = answer;
  response.writeHead(answer.status, {
    ...answer.headers,
    'content-length': String(Buffer.byteLength(body)),
    ...(close ? { connection: 'close' } : {}),
  });
  response.end(bodiless ? undefined : body);
}

/**
 * Lets a sender whose body was refused read the answer: closing at once with unread bytes would
 * reset the connection under it (RFC 9112, section 9.6). What still arrives is thrown away.
 */
function linger(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    socket.resume();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };
}

/** Answers what Node's parser refused: there is no request object for it, only the socket. */
function refuse(error: NodeJS.ErrnoException | PlatformError, socket: Socket): void {
  if (!socket.writable || (error as NodeJS.ErrnoException).code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const answer = problemResponse(error instanceof PlatformError ? error : parserProblem(error));
  const headers = Object.entries({ ...answer.headers, connection: 'close' });
  const length = Buffer.byteLength(answer.body as string);
  socket.end(
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n` +
      headers.map(([name, value]) => `${name}: ${value}\r\n`).join('') +
      `content-length: ${length}\r\n\r\n${answer.body}`,
  );
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

function parserProblem(error: NodeJS.ErrnoException): PlatformError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new PlatformError('headers_too_large', 'the headers are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new PlatformError('request_timeout', 'the request did not arrive in time');
    default:
      return new PlatformError('request_malformed', 'malformed request', { cause: error });
  }
}

function bind(server: Server, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = 'path' in address ? address.path : `${address.host}:${address.port}`;
      const code = error.code === 'EADDRINUSE' ? 'address_in_use' : 'configuration_invalid';
      reject(new PlatformError(code, `cannot listen on ${where}: ${error.code}`, { cause: error }));
    });
    server.listen(address, () => resolve());
  });
}

async function drain(server: Server, state: State, graceMs: number): Promise<void> {
  state.closing = true;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    server.closeAllConnections();
    for (const socket of state.sockets) socket.destroy();
  }, graceMs);
  await closed;
  clearTimeout(timer);
}
