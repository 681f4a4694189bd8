// The one HTTP port of every service: routes in, problem documents out, whichever server carries it.
import type { Socket } from 'node:net';
import { createServer } from './server.ts';

/**
 * What a route decides before its handler may run. `open` is for health only and returns no data;
 * `published` is for documents that are the same for everybody, such as public keys: only GET, no
 * parameters, and whatever a request holds changes nothing.
 */
export type RouteBoundary = { boundary: string; action: string } | 'open' | 'published';

/** Lower-case header names, each with every value in the order received. */
export type HeaderMap = ReadonlyMap<string, readonly string[]>;

/** The process at the other end of a Unix socket, as attested by the connection hook. */
export interface Peer {
  pid: number;
  uid: number;
  gid?: number;
  /** Set by a hook that attests identity, such as the operator's on the control socket. */
  spiffeId?: string;
}

export interface HttpRequest {
  method: string;
  /** As on the wire: not decoded, not normalised, without the query. */
  path: string;
  /** Path parameters, percent-decoded once. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  headers: HeaderMap;
  /** The whole body, at most `limits.bodyBytes`. */
  body: Uint8Array;
  peer?: Peer;
  /** Aborted when the client goes away before its answer. */
  signal: AbortSignal;
}

export interface HttpResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | string;
}

export interface Route {
  method: string;
  /**
   * Literal segments and `:name` parameters, e.g. `/api/v1/tools/:name`. A final `*` stands for one or
   * more segments of any form, which the handler takes from `request.path`.
   */
  path: string;
  boundary: RouteBoundary;
  /** Largest body of this route, where it differs from the server's limit. */
  bodyBytes?: number;
  handler(request: HttpRequest): Promise<HttpResponse>;
}

export interface HttpLimits {
  /** Largest request body; over it: 413 `body_too_large` while it streams in. */
  bodyBytes: number;
  /** Request line and headers together, and how many headers. */
  headerBytes: number;
  headerCount: number;
  /** For the request to arrive whole; handlers may take longer. */
  requestTimeoutMs: number;
  /** How long an idle kept-alive connection stays open. */
  idleTimeoutMs: number;
  /** Connections at one time; more are closed at once. */
  connections: number;
}

export const defaultLimits: HttpLimits = {
  bodyBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
  headerCount: 100,
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 60_000,
  connections: 1024,
};

export type ListenAddress = { path: string } | { host: string; port: number };

export interface HttpServer {
  /** Rejects with `address_in_use` when another live server holds the address. */
  listen(address: ListenAddress): Promise<void>;
  /** The bound address; a port of 0 is replaced by the one the system chose. */
  address(): ListenAddress;
  /** Which adapter serves; known after `listen`. */
  adapter(): AdapterName;
  /** Every route, for the test that calls each of them. */
  list(): readonly Route[];
  /** Stops accepting, lets running requests finish for `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

export type AdapterName = 'node' | 'hyper-express';

/**
 * Sees each accepted connection before its first request (Node adapter only). What it returns
 * becomes `request.peer`; what it throws is the answer to every request of that connection.
 */
export type ConnectionHook = (socket: Socket) => Peer | undefined | Promise<Peer | undefined>;

export interface HttpServerOptions {
  routes: readonly Route[];
  /** Left out: hyper-express where its native library loads and no hook is asked for, else Node. */
  adapter?: AdapterName;
  limits?: Partial<HttpLimits>;
  onConnection?: ConnectionHook;
}

/** Creates a server that is not listening yet; throws `configuration_invalid` for colliding routes. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  return createServer({ ...options, limits: { ...defaultLimits, ...options.limits } });
}

/** The one value of a header, undefined when absent; a repeated header has no single value: null. */
export function singleHeader(headers: HeaderMap, name: string): string | undefined | null {
  const values = headers.get(name);
  if (values === undefined) return undefined;
  return values.length === 1 ? values[0] : null;
}
