// The services behind the proxy under test: one speaks HTTP/1.1, one HTTP/2, and both tell what reached them.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2, type ServerHttp2Session } from 'node:http2';
import type { Server } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export interface SeenRequest {
  method: string;
  target: string;
  /** Names in lower case, in order, values as they came. */
  headers: [string, string][];
  bytes: number;
  digest: string;
  /** True when the whole request arrived. */
  isComplete: boolean;
}

export interface TestService {
  seen: SeenRequest[];
  sockets: WebSocket[];
  /** Requests that broke off before they were whole. */
  aborted(): number;
  close(): Promise<void>;
}

/**
 * Paths: `/echo` answers what came as JSON, `/mirror` sends the body back as it comes, `/events` sends
 * three server-sent events and waits for `release` before the last, `/large?bytes=N` sends that much,
 * `/hang` never answers, `/forged` claims facts that only the platform says, `/later` reads nothing before `release`, `/websocket` mirrors messages.
 */
export async function http1Service(path: string, released: Promise<void>): Promise<TestService> {
  const seen: SeenRequest[] = [];
  const sockets: WebSocket[] = [];
  let aborted = 0;
  const server = createServer((request, response) => {
    note(request, seen);
    request.once('close', () => {
      if (!request.complete) aborted += 1;
    });
    void answer(request, response, seen, released);
  });
  const webSockets = new WebSocketServer({ server, path: '/websocket' });
  webSockets.on('connection', (socket, request) => {
    note(request, seen);
    sockets.push(socket);
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    socket.on('error', () => {});
  });
  await bind(server, path);
  return {
    seen,
    sockets,
    aborted: () => aborted,
    async close() {
      for (const socket of sockets) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function note(request: IncomingMessage, seen: SeenRequest[]): void {
  const headers: [string, string][] = [];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    headers.push([request.rawHeaders[index]!.toLowerCase(), request.rawHeaders[index + 1]!]);
  }
  const digest = createHash('sha256');
  const entry: SeenRequest = {
    method: request.method ?? '',
    target: request.url ?? '',
    headers,
    bytes: 0,
    digest: '',
    isComplete: false,
  };
  seen.push(entry);
  request.on('data', (chunk: Buffer) => {
    entry.bytes += chunk.length;
    digest.update(chunk);
  });
  request.on('end', () => {
    entry.isComplete = true;
    entry.digest = digest.digest('hex');
  });
  request.on('error', () => {});
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  seen: SeenRequest[],
  released: Promise<void>,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://service');
  const entry = seen.at(-1)!;
  switch (url.pathname) {
    case '/hang':
      return;
    case '/later':
      request.pause();
      await released;
      request.resume();
      return;
    case '/mirror':
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      response.flushHeaders();
      request.pipe(response);
      return;
    case '/events':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: one\n\n');
      response.write('data: two\n\n');
      await released;
      response.end('data: three\n\n');
      return;
    case '/large': {
      const bytes = Number(url.searchParams.get('bytes'));
      response.writeHead(200, { 'content-length': bytes, connection: 'keep-alive', x: 'y' });
      send(response, bytes);
      return;
    }
    case '/forged':
      response.writeHead(200, {
        'content-length': 0,
        'x-platform-mesh-decision': 'f'.repeat(64),
        X_Platform_Mesh_Decision: 'e'.repeat(64),
        'x-platform-request-id': '00000000-0000-4000-8000-000000000000',
      });
      response.end();
      return;
    case '/reset':
      response.writeHead(200, { 'content-length': 1000 });
      response.write('half');
      setImmediate(() => response.destroy());
      return;
    default:
      request.on('end', () => {
        response.writeHead(200, {
          'content-type': 'application/json',
          'keep-alive': 'timeout=9',
          'x-answer': 'yes',
        });
        response.end(JSON.stringify(entry));
      });
  }
}

/** Sends `bytes` zeros at the pace of the reader. */
function send(response: ServerResponse, bytes: number): void {
  const chunk = Buffer.alloc(64 * 1024);
  let left = bytes;
  const more = () => {
    while (left > 0) {
      const size = Math.min(left, chunk.length);
      left -= size;
      if (!response.write(size === chunk.length ? chunk : chunk.subarray(0, size))) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}

/** HTTP/2 with prior knowledge; mirrors messages as a gRPC server would, with trailers. */
export async function h2Service(path: string): Promise<TestService> {
  const seen: SeenRequest[] = [];
  const server = createHttp2();
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    const entry: SeenRequest = {
      method: String(headers[':method']),
      target: String(headers[':path']),
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
      bytes: 0,
      digest: '',
      isComplete: false,
    };
    seen.push(entry);
    if (headers[':path'] === '/test.Echo/Refuse') {
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '7' },
        { endStream: true },
      );
      return;
    }
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc' },
      { waitForTrailers: true },
    );
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'x-last': 'yes' }));
    stream.on('data', (chunk: Buffer) => {
      entry.bytes += chunk.length;
    });
    stream.on('end', () => {
      entry.isComplete = true;
    });
    stream.pipe(stream);
  });
  await bind(server, path);
  return {
    seen,
    sockets: [],
    aborted: () => 0,
    async close() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve());
  });
}
