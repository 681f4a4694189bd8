// Sends requests to the next hop over HTTP/2, on as few connections as its stream limit allows.
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';
import type { Connector } from './client-http1.ts';
import { type RequestHead, responseFields } from './fields.ts';
import { headerObject } from './server-http2.ts';
import type { Client, ClientListener, ClientStream } from './streams.ts';

const { NGHTTP2_CANCEL, NGHTTP2_FLAG_END_STREAM } = constants;

export interface Http2ClientConfig {
  connect: Connector;
  /** `https` behind TLS. */
  scheme: 'http' | 'https';
  /** Streams at once on one connection, where the next hop allows as many. */
  streams: number;
  keepMs: number;
}

/** A connection with the streams that run on it. */
interface Session {
  session: ClientHttp2Session;
  running: number;
}

const windowBytes = 1024 * 1024;

/** Creates the client of one next hop. */
export function http2Client(config: Http2ClientConfig): Client {
  const sessions = new Set<Session>();
  let opening: Promise<void> | undefined;
  let isRetired = false;

  const free = (): Session | undefined => {
    for (const entry of sessions) {
      const { session, running } = entry;
      const allowed = session.remoteSettings?.maxConcurrentStreams ?? config.streams;
      if (running < Math.min(config.streams, allowed) && !session.closed && !session.destroyed) {
        return entry;
      }
    }
    return undefined;
  };

  async function open(): Promise<void> {
    const socket = await config.connect();
    const session = connect(`${config.scheme}://next-hop`, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: 256 * 1024 },
    });
    const entry = { session, running: 0 };
    const gone = () => sessions.delete(entry);
    session.on('close', gone).on('goaway', gone);
    // Each stream reports the failure of its connection by itself.
    session.on('error', gone);
    session.once('connect', () => session.setLocalWindowSize(windowBytes));
    session.setTimeout(config.keepMs, () => {
      if (entry.running === 0) session.close();
    });
    sessions.add(entry);
  }

  return {
    ready() {
      if (free() !== undefined) return undefined;
      opening ??= open().finally(() => {
        opening = undefined;
      });
      return opening;
    },
    send(head, listener) {
      const entry = free();
      if (entry === undefined) throw new Error('there is no connection to the next hop');
      entry.running += 1;
      const exchange = new Http2Exchange(entry.session, config.scheme, head, listener);
      exchange.sink.once('close', () => {
        entry.running -= 1;
        if (isRetired && entry.running === 0) entry.session.close();
      });
      return exchange;
    },
    retire() {
      isRetired = true;
      for (const { session } of sessions) session.close();
    },
    destroy() {
      for (const { session } of sessions) session.destroy();
      sessions.clear();
    },
  };
}

class Http2Exchange implements ClientStream {
  readonly sink: ClientHttp2Stream;
  readonly #listener: ClientListener;
  #trailers: HeaderPairs = [];
  #hasAnswer = false;
  #isOver = false;

  constructor(
    session: ClientHttp2Session,
    scheme: string,
    head: RequestHead,
    listener: ClientListener,
  ) {
    this.#listener = listener;
    this.sink = session.request(requestHeaders(head, scheme), { endStream: !head.hasBody });
    this.sink.once('response', (headers, flags, rawHeaders) =>
      this.#answered(headers, flags, rawHeaders),
    );
    this.sink.once('trailers', (_headers, _flags, rawHeaders) => {
      this.#trailers = responseFields(rawHeaders);
    });
    this.sink.on('error', (error) => this.#report(error));
    this.sink.once('end', () => {
      if (this.#hasAnswer) this.#isOver = true;
    });
    this.sink.once('close', () => this.#report(new Error(`stream reset: ${this.sink.rstCode}`)));
  }

  #answered(
    headers: IncomingHttpHeaders & IncomingHttpStatusHeader,
    flags: number,
    rawHeaders: string[],
  ): void {
    this.#hasAnswer = true;
    const hasBody = (flags & NGHTTP2_FLAG_END_STREAM) === 0;
    this.#listener.onResponse({
      status: headers[':status'] ?? 502,
      headers: responseFields(rawHeaders),
      hasBody,
      body: this.sink,
      trailers: () => this.#trailers,
    });
    if (!hasBody) this.sink.resume();
  }

  #report(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onError(error);
  }

  destroy(): void {
    this.#isOver = true;
    if (!this.sink.destroyed) this.sink.close(NGHTTP2_CANCEL);
  }
}

function requestHeaders(head: RequestHead, scheme: string): Record<string, string | string[]> {
  const headers = headerObject(head.headers) as Record<string, string | string[]>;
  headers[':method'] = head.method;
  headers[':path'] = head.target;
  headers[':scheme'] = scheme;
  headers[':authority'] = head.authority;
  if (head.takesTrailers) headers.te = 'trailers';
  if (head.length !== undefined) headers['content-length'] = String(head.length);
  return headers;
}
