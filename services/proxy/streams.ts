// One HTTP exchange as the relay sees it, whichever version of HTTP is on either side.
import type { Duplex, Readable, Writable } from 'node:stream';
import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';
import type { RequestHead } from './fields.ts';

export type Protocol = 'http/1.1' | 'h2';

/** The side that asked. */
export interface ServerStream {
  readonly protocol: Protocol;
  readonly body: Readable;
  /** True until the whole request has arrived. */
  isReceiving(): boolean;
  /** Says that the body may come (RFC 9110, section 10.1.1), if the client waits for it. */
  continue(): void;
  /** Sends the head of the answer; the body goes into what is returned, then `finish` is called. */
  respond(status: number, headers: HeaderPairs, hasBody: boolean): Writable;
  finish(trailers: HeaderPairs): void;
  /** Answers a WebSocket handshake with 101; the raw connection is returned. Only HTTP/1.1. */
  switchProtocols(headers: HeaderPairs): { socket: Duplex; head: Buffer };
  /** Cuts the stream so that nobody takes what was sent for a whole answer. */
  cut(): void;
  /** The stream is over, whether well or not. */
  onClose(listener: () => void): void;
  hasResponded(): boolean;
}

/** What the other side of the proxy answers with. */
export interface ClientResponse {
  status: number;
  headers: HeaderPairs;
  hasBody: boolean;
  body: Readable;
  /** Known once the body has ended. */
  trailers(): HeaderPairs;
}

export interface ClientListener {
  onResponse(response: ClientResponse): void;
  onUpgrade(headers: HeaderPairs, socket: Duplex, head: Buffer): void;
  /** At most once, and only while the exchange is not over. */
  onError(error: Error): void;
}

/** The side that answers. */
export interface ClientStream {
  /** Takes the request's body, if there is one. */
  readonly sink: Writable;
  destroy(): void;
}

/** Sends requests to one next hop, over connections that it keeps. */
export interface Client {
  /** What to wait for before `send`, where a connection has to be opened first; may reject. */
  ready(): Promise<void> | undefined;
  send(head: RequestHead, listener: ClientListener): ClientStream;
  /** Lets running requests finish, and opens nothing new for what comes after them. */
  retire(): void;
  destroy(): void;
}
