// A gRPC server on a Unix socket that knows its callers and bounds what each of them can hold.
import { chmodSync, rmSync } from 'node:fs';
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import {
  type ConnectRouter,
  type ContextKey,
  createContextKey,
  createContextValues,
} from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { PlatformError } from '../../../runtime/errors.ts';
import { type Peer, peerOf } from '../../../runtime/identity/peer.ts';
import { type Caller, Callers } from './callers.ts';
import { defaultGrpcLimits, type GrpcLimits } from './limits.ts';
import { answers, inodeOf } from './socket-file.ts';

export interface GrpcServerConfig {
  path: string;
  /** Permissions of the socket file. */
  mode: number;
  routes(router: ConnectRouter): void;
  limits?: Partial<GrpcLimits>;
  /** Who answers for what a caller uses; undefined: only its process is bounded. Left out: so for all. */
  holderOf?(peer: Peer): string | undefined;
  /** Whether a connection may stay; what it throws refuses it too. */
  admit?(socket: Socket, peer: Peer): boolean;
  onRefused?(reason: string, peer: Peer | undefined): void;
  /** Something went wrong that the server has dealt with, for people. */
  onTrouble?(message: string): void;
}

/** The peer of the connection that a call came over. */
export const peerKey: ContextKey<Peer | undefined> = createContextKey<Peer | undefined>(undefined);

const watchMs = 1000;
const headerBytesMax = 16 * 1024;
const attached = Symbol('peer');
/** What is known of a connection, also where only HTTP/2's view of its socket is at hand. */
type Attached = Socket & { [attached]?: Caller };

interface SessionUse {
  streams: number;
  idleSince: number;
  end: () => void;
}

/** Methods whose request is a stream of its own and may stay open. */
const openEnded = /\/(StreamSecrets|DeltaSecrets|SyncAuthorizedEntries)$/;

/** One server: `listen`, and `close` when it is enough. */
export class GrpcServer {
  readonly #config: GrpcServerConfig;
  readonly #limits: GrpcLimits;
  readonly #http2;
  readonly #sessions = new Map<ServerHttp2Session, SessionUse>();
  readonly #sockets = new Set<Socket>();
  readonly #callers: Callers;
  readonly #shutdown = new AbortController();
  #listener: Server | undefined;
  #inode: number | undefined;
  #timers: NodeJS.Timeout[] = [];

  constructor(config: GrpcServerConfig) {
    this.#config = config;
    this.#limits = { ...defaultGrpcLimits, ...config.limits };
    this.#callers = new Callers({ ...config, limits: this.#limits });
    const handle = connectNodeAdapter({
      ...{ grpc: true, grpcWeb: false, connect: false, acceptCompression: [] },
      readMaxBytes: this.#limits.messageBytes,
      shutdownSignal: this.#shutdown.signal,
      contextValues: (request) =>
        createContextValues().set(peerKey, callerOf((request as Http2ServerRequest).stream)?.peer),
      routes: config.routes,
    });
    this.#http2 = createHttp2Server(
      {
        maxSessionMemory: 2,
        maxSessionInvalidFrames: 100,
        // A workload that fetches once ends each stream by a reset; the default takes it for an attack.
        ...{ streamResetBurst: 10_000, streamResetRate: 2000 },
        settings: {
          maxConcurrentStreams: this.#limits.streamsPerConnection,
          maxHeaderListSize: headerBytesMax,
          enablePush: false,
        },
      },
      (request, response) => {
        if (this.#isServed(request, response)) handle(request, response);
      },
    );
    this.#http2.on('session', (session) => this.#keep(session));
    this.#http2.on('sessionError', () => {});
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Throws `address_in_use` when a living server has the socket. */
  async listen(): Promise<void> {
    await this.#open();
    const watch = setInterval(() => void this.#restoreSocket(), watchMs);
    const keepalive = setInterval(() => this.#ping(), this.#limits.keepaliveMs);
    this.#timers = [watch, keepalive];
    for (const timer of this.#timers) timer.unref();
  }

  /** Ends every call at its next turn, and after `graceMs` whatever is left. */
  async close(graceMs = 0): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    const { path } = this.#config;
    const isOurs = this.#inode !== undefined && inodeOf(path) === this.#inode;
    this.#listener?.close();
    if (isOurs) rmSync(path, { force: true });
    this.#shutdown.abort();
    for (const session of this.#sessions.keys()) session.close();
    if (this.#sockets.size > 0 && graceMs > 0) {
      await Promise.race([
        Promise.all(
          [...this.#sockets].map((each) => new Promise((end) => each.once('close', end))),
        ),
        new Promise((end) => setTimeout(end, graceMs).unref()),
      ]);
    }
    for (const session of this.#sessions.keys()) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #open(): Promise<void> {
    const { path, mode } = this.#config;
    if (inodeOf(path) !== undefined) {
      if (await answers(path)) {
        throw new PlatformError('address_in_use', `another server listens on ${path}`);
      }
      rmSync(path, { force: true });
    }
    const listener = createServer((socket) => this.#accept(socket));
    // Whoever comes beyond that is closed by Node itself, before anything is kept of it.
    listener.maxConnections = this.#limits.connections;
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(path, resolve);
    });
    listener.on('error', (error) => this.#config.onTrouble?.(`${path}: ${error.message}`));
    chmodSync(path, mode);
    this.#listener = listener;
    this.#inode = inodeOf(path);
  }

  /** A socket file that somebody removed or replaced is made again; open connections go on. */
  async #restoreSocket(): Promise<void> {
    const { path, onTrouble } = this.#config;
    if (this.#listener === undefined || inodeOf(path) === this.#inode) return;
    this.#listener.close();
    this.#listener = undefined;
    onTrouble?.(`the socket ${path} was removed: listening on it again`);
    try {
      await this.#open();
    } catch (error) {
      onTrouble?.(`the socket ${path} cannot be made again: ${(error as Error).message}`);
      setTimeout(() => void this.#open().catch(() => {}), watchMs).unref();
    }
  }

  #accept(socket: Socket): void {
    let peer: Peer;
    try {
      peer = peerOf(socket);
    } catch {
      this.#config.onRefused?.('its process is not known', undefined);
      socket.destroy();
      return;
    }
    socket.on('error', () => {});
    const caller = this.#callers.admit(socket, peer);
    if (caller === undefined) {
      peer.close();
      socket.destroy();
      return;
    }
    (socket as Attached)[attached] = caller;
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      caller.release();
      peer.close();
    });
    this.#http2.emit('connection', socket);
  }

  /** Whether a request goes on to its handler; otherwise it has been answered. */
  #isServed(request: Http2ServerRequest, response: Http2ServerResponse): boolean {
    // gRPC clients name a Unix socket here in ways that are no URL, and nothing depends on it.
    request.headers[':authority'] = 'identity';
    if (!/^\/[A-Za-z0-9._]{1,128}\/[A-Za-z0-9]{1,64}$/.test(request.url)) {
      response.writeHead(404);
      response.end();
      return false;
    }
    response.on('error', () => {});
    request.on('error', () => {});
    const caller = callerOf(request.stream);
    if (caller === undefined || !this.#callers.mayCall(caller, request.stream)) return false;
    if (openEnded.test(request.url)) return true;
    const late = setTimeout(() => request.stream.close(8), this.#limits.requestMs); // CANCEL
    request.once('end', () => clearTimeout(late));
    request.once('close', () => clearTimeout(late));
    return true;
  }

  #keep(session: ServerHttp2Session): void {
    const socket = (session.socket as Attached)[attached]?.socket;
    const end = () => {
      session.destroy();
      // A session that has not begun leaves its socket open.
      socket?.destroy();
    };
    const use = { streams: 0, idleSince: performance.now(), end };
    this.#sessions.set(session, use);
    session.on('error', () => {});
    session.once('close', () => this.#sessions.delete(session));
    session.on('stream', (stream) => {
      use.streams += 1;
      stream.once('close', () => {
        use.streams -= 1;
        use.idleSince = performance.now();
      });
    });
  }

  /** A caller that no longer answers, or has long asked nothing, is let go. */
  #ping(): void {
    for (const [session, { streams, idleSince, end }] of this.#sessions) {
      if (session.destroyed || session.closed) continue;
      if (streams === 0 && performance.now() - idleSince > this.#limits.idleMs) {
        end();
        continue;
      }
      const silent = setTimeout(end, this.#limits.keepaliveMs);
      silent.unref();
      session.ping((error) => {
        clearTimeout(silent);
        if (error !== null) end();
      });
    }
  }
}

function callerOf({ session }: ServerHttp2Stream): Caller | undefined {
  return (session?.socket as Attached | undefined)?.[attached];
}
