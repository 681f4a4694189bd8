// The outbound proxy of one agent: attests every connection, says who is calling, and forwards.
import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { IdentityError, PlatformError } from '../../runtime/errors.ts';
import { type Attestation, attest } from '../../runtime/identity/attest.ts';
import type { EntryLookup } from '../../runtime/identity/entry.ts';
import { type Peer, peerOf } from '../../runtime/identity/peer.ts';
import { isSameProcess, processGone } from '../../runtime/identity/process.ts';
import { problemResponse } from '../common/problem.ts';
import { forward } from './forward.ts';
import { serviceHeaders } from './headers.ts';
import { bindUnixSocket } from './socket.ts';
import { checkTarget, isBelow } from './target.ts';

/** A request that was refused before any service saw it; becomes a denial row. */
export interface Refusal {
  error: PlatformError;
  requestId: string;
  time: string;
  method: string;
  /** The process that called, as far as the kernel knows it. */
  pid: number | undefined;
  uid: number | undefined;
  /** Who called, where that is known: what it asked for was refused, not itself. */
  spiffeId: string | undefined;
}

export interface ProxyConfig {
  /** The id of the registration entry whose processes alone may use this proxy. */
  entryId: string;
  entries: EntryLookup & { has(id: string): boolean };
  /** Where the agent reaches the proxy, at most 107 bytes; created with mode 0600. */
  socketPath: string;
  /** The Unix socket of the service behind it. */
  serviceSocketPath: string;
  /** Paths of the service that agents may reach at all; each stands for what is below it too. */
  paths: readonly string[];
  /** Writes the denial row; the answer waits for it, and is `evidence_unavailable` if it rejects. */
  onRefused(refusal: Refusal): Promise<void>;
  clock?: () => Date;
  limits?: Partial<ProxyLimits>;
}

export interface ProxyLimits {
  bodyBytes: number;
  /** Paths whose bodies may be larger, and how large. */
  bodyBytesByPath: Readonly<Record<string, number>>;
  headerBytes: number;
  connections: number;
  callsAtOnce: number;
  requestTimeoutMs: number;
  responseTimeoutMs: number;
}

export interface AgentProxy {
  listen(): Promise<void>;
  /** Stops accepting, lets running calls finish for `graceMs`, cuts the rest, removes the socket. */
  close(graceMs: number): Promise<void>;
}

const defaultLimits: ProxyLimits = {
  bodyBytes: 1024 * 1024,
  bodyBytesByPath: {},
  headerBytes: 16 * 1024,
  connections: 256,
  callsAtOnce: 64,
  requestTimeoutMs: 30_000,
  responseTimeoutMs: 330_000,
};

/** What is known of a connection; exactly one of `attestation` and `refused` is there. */
interface Connection {
  peer: Peer | undefined;
  attestation?: Attestation;
  refused?: PlatformError;
}

/** Creates the proxy of one agent; it is not listening yet. */
export function createProxy(config: ProxyConfig): AgentProxy {
  const limits = { ...defaultLimits, ...config.limits };
  const clock = config.clock ?? (() => new Date());
  const connections = new WeakMap<Socket, Connection>();
  const agent = new Agent({ keepAlive: true, maxSockets: limits.callsAtOnce, timeout: 30_000 });
  const upstream = { socketPath: config.serviceSocketPath, agent, ...limits };
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: 60_000,
    insecureHTTPParser: false,
  });
  server.maxConnections = limits.connections;

  server.on('connection', (socket: Socket) => {
    const connection = openConnection(socket, config);
    connections.set(socket, connection);
    socket.once('close', () => connection.peer?.close());
  });
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const requestId = randomUUID();
    const time = clock().toISOString();
    const connection = connections.get(incoming.socket);
    serve(incoming, outgoing, { requestId, time, connection }).catch(async (error) => {
      const facts = { requestId, time, method: incoming.method ?? '' };
      const answer = isRefusal(error) ? await recorded(error, facts, connection) : error;
      answerProblem(outgoing, answer, requestId);
    });
  });

  /** What to answer once the refusal is on record; without a record, that there is none. */
  async function recorded(
    error: PlatformError,
    facts: { requestId: string; time: string; method: string },
    connection: Connection | undefined,
  ): Promise<PlatformError> {
    const process = { pid: connection?.peer?.pid, uid: connection?.peer?.uid };
    try {
      await config.onRefused({
        ...{ error, ...facts, ...process },
        spiffeId: connection?.attestation?.spiffeId,
      });
      return error;
    } catch (cause) {
      return new PlatformError('evidence_unavailable', 'the refusal could not be recorded', {
        cause,
      });
    }
  }

  async function serve(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    known: { requestId: string; time: string; connection: Connection | undefined },
  ): Promise<void> {
    const { requestId, time } = known;
    const { spiffeId } = stillAttested(known.connection, config);
    const path = checkTarget(incoming.method ?? '', incoming.url ?? '');
    if (!config.paths.some((prefix) => isBelow(path, prefix))) {
      throw new PlatformError('route_unknown', 'no such path');
    }
    const salt = randomBytes(32).toString('hex');
    const headers = serviceHeaders(incoming.rawHeaders, { spiffeId, requestId, time, salt });
    const larger = limits.bodyBytesByPath[incoming.url ?? ''];
    const bounds = larger === undefined ? upstream : { ...upstream, bodyBytes: larger };
    await forward(incoming, outgoing, headers, bounds);
  }

  return {
    listen: () => bindUnixSocket(server, config.socketPath),
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cut);
      agent.destroy();
    },
  };
}

function openConnection(socket: Socket, config: ProxyConfig): Connection {
  let peer: Peer | undefined;
  try {
    peer = peerOf(socket);
    const attestation = attest(peer, config.entries);
    if (attestation.entry.id !== config.entryId) {
      throw new IdentityError('caller_unknown', 'this socket belongs to another agent');
    }
    return { peer, attestation };
  } catch (error) {
    const refused =
      error instanceof PlatformError
        ? error
        : new IdentityError('caller_unknown', 'the caller could not be attested', { cause: error });
    return { peer, refused };
  }
}

/** A connection outlives its process and its entry: both are asked again at each request. */
function stillAttested(connection: Connection | undefined, config: ProxyConfig): Attestation {
  if (connection?.refused !== undefined) throw connection.refused;
  if (connection?.attestation === undefined || connection.peer === undefined) {
    throw new IdentityError('caller_unknown', 'the connection was never attested');
  }
  if (!config.entries.has(config.entryId)) {
    throw new IdentityError('caller_unknown', 'this agent is not registered any more');
  }
  if (!isSameProcess(connection.peer, connection.attestation.process)) {
    throw processGone(connection.peer.pid);
  }
  return connection.attestation;
}

/** A service that is away has refused nothing, and what is not a PlatformError is a failure too. */
function isRefusal(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.code !== 'service_unavailable';
}

function answerProblem(outgoing: ServerResponse, error: unknown, requestId: string): void {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  const problem = problemResponse(error, { request_id: requestId });
  // What was refused was not read to its end, so the connection is of no further use.
  outgoing.writeHead(problem.status, { ...problem.headers, connection: 'close' });
  outgoing.end(problem.body);
}
