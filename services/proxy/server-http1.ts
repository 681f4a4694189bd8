// The asking side over HTTP/1.1: Node's request and response as one stream of the relay.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import { PlatformError } from '../../runtime/errors.ts';
import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';
import type { OwnAnswer } from './answer.ts';
import type { ServerStream } from './streams.ts';

/** How long a refused sender may go on sending, so that it can still read the answer. */
const lingerMs = 1000;

/** A request with its response; `mustClose` tells whether the connection ends with this answer. */
export class Http1ServerStream implements ServerStream {
  readonly protocol = 'http/1.1';
  readonly body: Readable;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #waits: boolean;
  readonly #mustClose: () => boolean;

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    waitsForContinue: boolean,
    mustClose: () => boolean,
  ) {
    this.body = incoming;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#waits = waitsForContinue;
    this.#mustClose = mustClose;
  }

  isReceiving(): boolean {
    return !this.#incoming.complete;
  }

  continue(): void {
    if (this.#waits && !this.#outgoing.headersSent) this.#outgoing.writeContinue();
  }

  respond(status: number, headers: HeaderPairs, hasBody: boolean): Writable {
    const raw: string[] = [];
    for (const [name, value] of headers) raw.push(name, value);
    const isBodiless = status < 200 || status === 204 || status === 304;
    if (!hasBody && !isBodiless && this.#incoming.method !== 'HEAD') {
      if (!headers.some(([name]) => name === 'content-length')) raw.push('content-length', '0');
    }
    const isUnread = !this.#incoming.complete;
    if (isUnread) linger(this.#incoming.socket);
    if (isUnread || this.#mustClose()) raw.push('connection', 'close');
    this.#outgoing.sendDate = false;
    this.#outgoing.writeHead(status, raw);
    return this.#outgoing;
  }

  finish(trailers: HeaderPairs): void {
    if (trailers.length > 0) this.#outgoing.addTrailers(trailers);
    this.#outgoing.end();
  }

  switchProtocols(): never {
    throw new PlatformError('internal', 'a plain request cannot switch protocols');
  }

  cut(): void {
    this.#incoming.socket.destroy();
  }

  onClose(listener: () => void): void {
    this.#outgoing.once('close', listener);
  }

  hasResponded(): boolean {
    return this.#outgoing.headersSent;
  }
}

/** A WebSocket handshake: there is no response object for it, only the connection. */
export class UpgradeServerStream implements ServerStream {
  readonly protocol = 'http/1.1';
  readonly body: Readable;
  readonly #socket: Duplex;
  readonly #head: Buffer;
  #hasResponded = false;

  constructor(incoming: IncomingMessage, socket: Duplex, head: Buffer) {
    this.body = incoming;
    this.#socket = socket;
    this.#head = head;
  }

  isReceiving(): boolean {
    return false;
  }

  continue(): void {}

  /** The handshake was refused: an ordinary answer, after which the connection is over. */
  respond(status: number, headers: HeaderPairs): Writable {
    this.#write(status, [...headers, ['connection', 'close']]);
    return this.#socket;
  }

  finish(): void {
    this.#socket.end();
  }

  switchProtocols(headers: HeaderPairs): { socket: Duplex; head: Buffer } {
    this.#write(101, [...headers, ['connection', 'Upgrade'], ['upgrade', 'websocket']]);
    return { socket: this.#socket, head: this.#head };
  }

  cut(): void {
    this.#socket.destroy();
  }

  onClose(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  hasResponded(): boolean {
    return this.#hasResponded;
  }

  #write(status: number, headers: HeaderPairs): void {
    this.#hasResponded = true;
    this.#socket.write(rawHead(status, headers), 'latin1');
  }
}

/** Answers what Node's parser refused: there is no request for it, only the connection. */
export function answerUnparsed(socket: Duplex, answer: OwnAnswer | undefined): void {
  if (answer === undefined || !socket.writable) {
    socket.destroy();
    return;
  }
  const headers = answer.headers.filter(([name]) => name !== 'content-length');
  headers.push(['content-length', String(answer.body.length)], ['connection', 'close']);
  socket.write(rawHead(answer.status, headers), 'latin1');
  socket.end(answer.body);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

function rawHead(status: number, headers: HeaderPairs): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}\r\n`;
}

/** What is wrong with a request that Node's parser refused; undefined where the client has left. */
export function parserProblem(error: NodeJS.ErrnoException): PlatformError | undefined {
  switch (error.code) {
    case 'ECONNRESET':
    case 'EPIPE':
      return undefined;
    case 'HPE_HEADER_OVERFLOW':
      return new PlatformError('headers_too_large', 'the headers are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new PlatformError('request_timeout', 'the request did not arrive in time');
    default:
      return new PlatformError('request_malformed', 'malformed request', { cause: error });
  }
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
