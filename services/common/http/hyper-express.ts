// Serves the HTTP port with hyper-express (uWebSockets.js) where its native library loads.
import { chmod } from 'node:fs/promises';
import { STATUS_CODES } from 'node:http';
import { createServer } from 'node:net';
import { codeOf, PlatformError } from '../../../runtime/errors.ts';
import { problemResponse } from '../problem.ts';
import { exchange, type RawRequest, readHead } from './exchange.ts';
import type { HttpResponse, ListenAddress } from './port.ts';
import type { AdapterOptions, Listen, Listening } from './server.ts';
import { freeSocketPath } from './unix-socket.ts';

/** What the native parser takes at all; it closes the connection without an answer beyond this. */
const headerBytesMax = 64 * 1024;

/** The few parts of hyper-express that are used; its own types need the native library's. */
interface NativeServer {
  any(pattern: string, handler: (request: NativeRequest, response: NativeResponse) => void): void;
  listen(first: number | string, host?: string): Promise<unknown>;
  close(): boolean;
  readonly port: number;
  readonly uws_instance: { close(): void };
}
interface NativeRequest {
  readonly raw: {
    getMethod(): string;
    getUrl(): string;
    getQuery(): string | undefined;
    forEach(visit: (name: string, value: string) => void): void;
  };
  readonly received: boolean;
  pause(): void;
  iterator(options: { destroyOnReturn: boolean }): AsyncIterator<Uint8Array>;
}
interface NativeResponse {
  readonly completed: boolean;
  readonly raw: {
    writeStatus(status: string): void;
    writeHeader(name: string, value: string): void;
    end(body: Uint8Array | string, closeConnection: boolean): void;
    endWithoutBody(reportedBytes: number, closeConnection: boolean): void;
  };
  atomic(write: () => void): void;
  close(): void;
  once(event: 'abort', listener: () => void): void;
}
interface State extends AdapterOptions {
  running: Set<NativeResponse>;
  closing: boolean;
  drained: (() => void) | undefined;
}

/** Rejects where the native library cannot be loaded, which is everywhere but in service images. */
export async function loadHyperExpress(): Promise<Listen> {
  // Read by the library as it loads; above our own limit, so that ours is the one that answers.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(headerBytesMax);
  const { default: hyperExpress } = await import('hyper-express');
  const { Server } = hyperExpress as unknown as {
    Server: new (options: Record<string, unknown>) => NativeServer;
  };
  return (options, address) => listenNative(Server, options, address);
}

async function listenNative(
  Server: new (options: Record<string, unknown>) => NativeServer,
  options: AdapterOptions,
  address: ListenAddress,
): Promise<Listening> {
  const state: State = { ...options, running: new Set(), closing: false, drained: undefined };
  const server = new Server({
    auto_close: false,
    exclusive_port: false,
    // Our own limit answers with a problem document; this one would answer with an empty body.
    max_body_length: Number.MAX_SAFE_INTEGER,
    max_body_buffer: 64 * 1024,
  });
  server.any('/*', (request, response) => serve(state, request, response));
  const where = 'path' in address ? address.path : `${address.host}:${address.port}`;
  if ('path' in address) await freeSocketPath(address.path);
  else await refuseTakenPort(address);
  try {
    if ('path' in address) await server.listen(address.path);
    else await server.listen(address.port, address.host);
  } catch (error) {
    throw new PlatformError('address_in_use', `cannot listen on ${where}`, { cause: error });
  }
  if ('path' in address) await chmod(address.path, 0o600);
  return {
    address: 'path' in address ? address : { host: address.host, port: server.port },
    close: (graceMs) => drain(server, state, graceMs),
  };
}

function serve(state: State, request: NativeRequest, response: NativeResponse): void {
  // The raw request is only valid in this call, before anything is awaited.
  const headers: [string, string][] = [];
  request.raw.forEach((name, value) => {
    headers.push([name, value]);
  });
  const method = request.raw.getMethod().toUpperCase();
  const query = request.raw.getQuery();
  const target = request.raw.getUrl() + (query ? `?${query}` : '');
  const abort = new AbortController();
  const finish = () => {
    state.running.delete(response);
    if (state.running.size === 0) state.drained?.();
  };
  response.once('abort', () => {
    abort.abort();
    finish();
  });
  if (state.running.size >= state.limits.connections) {
    response.close();
    return;
  }
  const raw: RawRequest = {
    method,
    target,
    headers,
    body: readChunks(request, state.limits.requestTimeoutMs, abort.signal),
    peer: async () => undefined,
    signal: abort.signal,
  };
  try {
    readHead(raw, state.router, state.limits);
  } catch (error) {
    // The native parser goes on right after this call and would take what a badly framed request
    // smuggled in for the next one, even behind an answer that closes: so the connection is cut.
    if (codeOf(error) === 'request_malformed') response.close();
    else write(response, problemResponse(error), true, method === 'HEAD');
    return;
  }
  state.running.add(response);
  void exchange(raw, state.router, state.limits).then(({ response: answer, closeConnection }) => {
    // A chunk that arrives after the answer would make hyper-express pause an ended response, which
    // throws; it does not pause what is paused already.
    if (!request.received && !response.completed) request.pause();
    write(response, answer, closeConnection || state.closing, method === 'HEAD');
    finish();
  });
}

/** The chunks of a body; rejects when the whole of it does not arrive, or not in time. */
async function* readChunks(request: NativeRequest, timeoutMs: number, signal: AbortSignal) {
  const chunks = request.iterator({ destroyOnReturn: false });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new PlatformError('request_timeout', 'the request did not arrive in time'));
    }, timeoutMs);
  });
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), late]);
      // A lost connection ends the stream as a whole body does.
      if (signal.aborted) throw new PlatformError('request_malformed', 'the body ended early');
      if (next.done) return;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Writes past hyper-express's own `send`, which would hold the answer to a refused body back until
 * all of that body has arrived.
 */
function write(
  response: NativeResponse,
  answer: HttpResponse,
  close: boolean,
  bodiless: boolean,
): void {
  if (response.completed) return;
  response.atomic(() => {
    response.raw.writeStatus(`${answer.status} ${STATUS_CODES[answer.status]}`);
    for (const [name, value] of Object.entries(answer.headers)) {
      response.raw.writeHeader(name, value);
    }
    if (close) response.raw.writeHeader('connection', 'close');
    if (bodiless) response.raw.endWithoutBody(Buffer.byteLength(answer.body), close);
    else response.raw.end(answer.body, close);
  });
}

/** The native server shares ports by default: two platforms would steal each other's requests. */
async function refuseTakenPort(address: { host: string; port: number }): Promise<void> {
  if (address.port === 0) return;
  await new Promise<void>((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const message = `cannot listen on ${address.host}:${address.port}: ${error.code}`;
      reject(new PlatformError('address_in_use', message, { cause: error }));
    });
    probe.listen(address, () => probe.close(() => resolve()));
  });
}

async function drain(server: NativeServer, state: State, graceMs: number): Promise<void> {
  state.closing = true;
  server.close();
  if (state.running.size > 0) {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      state.drained = resolve;
      timer = setTimeout(resolve, graceMs);
    });
    clearTimeout(timer);
  }
  server.uws_instance.close();
}
