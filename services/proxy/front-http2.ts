// The HTTP/2 part of a proxy's listener: one session a connection, its streams handed on one by one.
import { performServerHandshake, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { PlatformError } from '../../runtime/errors.ts';
import { http2Head } from './fields.ts';
import type { FrontConfig, FrontPart } from './front.ts';
import { Http2ServerStream } from './server-http2.ts';

/** Node's codes for what breaks the protocol. */
const unreadable: ReadonlySet<string | undefined> = new Set([
  'ERR_HTTP2_ERROR',
  'ERR_HTTP2_TOO_MANY_INVALID_FRAMES',
]);

/** Creates the part for HTTP/2 (RFC 9113), over TLS or with prior knowledge. */
export function http2Part<C>({ limits, onArrival, onUnparsed }: FrontConfig<C>): FrontPart<C> {
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<Socket>();
  const options = {
    maxHeaderListPairs: limits.headerCount + 4,
    maxSendHeaderBlockLength: 2 * limits.headerBytes,
    settings: {
      maxConcurrentStreams: limits.streams,
      maxHeaderListSize: limits.headerBytes,
      initialWindowSize: 256 * 1024,
      enablePush: false,
    },
  };
  return {
    accept(socket, connection) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      const session = performServerHandshake(socket, options);
      sessions.add(session);
      session.setLocalWindowSize(1024 * 1024);
      session.once('close', () => sessions.delete(session));
      session.on('error', (error: NodeJS.ErrnoException) => {
        session.destroy();
        // HTTP/2 answers garbage by itself (GOAWAY); what a client that leaves causes is none.
        if (!unreadable.has(error.code)) return;
        void onUnparsed(connection, malformed(error));
      });
      endWhenIdle(session, limits.idleTimeoutMs);
      session.on('stream', (stream, headers, _flags, rawHeaders) => {
        stream.on('error', () => stream.destroy());
        const takesTrailers = String(headers.te).toLowerCase() === 'trailers';
        onArrival({
          connection,
          stream: new Http2ServerStream(stream, takesTrailers),
          method: headers[':method'] ?? '',
          head: () => http2Head(rawHeaders, stream.endAfterHeaders, limits.headerCount),
        });
      });
    },
    drain() {
      for (const session of sessions) session.close();
    },
    destroy() {
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function malformed(cause: Error): PlatformError {
  return new PlatformError('request_malformed', 'malformed HTTP/2', { cause });
}

/** Ends a session that has had no stream for a while, whatever else it sends. */
function endWhenIdle(session: ServerHttp2Session, ms: number): void {
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
