// Carries one request on and its answer back: both bodies at the pace of who reads, within every limit.
import type { Socket } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import { PlatformError } from '../../runtime/errors.ts';
import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';
import type { RequestHead } from './fields.ts';
import type { HeldBody } from './held-body.ts';
import type { ProxyLimits } from './limits.ts';
import type {
  Client,
  ClientListener,
  ClientResponse,
  ClientStream,
  ServerStream,
} from './streams.ts';

export interface RelayOptions {
  /** Largest request body; 0 is no limit. */
  bodyBytes: number;
  limits: ProxyLimits;
  /** The request's body, where it was read before. */
  held?: HeldBody | undefined;
  /** Changes the head of the answer; what throws here cuts the stream. */
  onResponse?: (status: number, headers: HeaderPairs, hasBody: boolean) => ResponseHead;
}

export interface ResponseHead {
  status: number;
  headers: HeaderPairs;
}

/** What became of a stream; without `error` the whole answer was delivered. */
export interface Outcome {
  /** 0 when nothing was answered yet: the caller answers with a problem document. */
  status: number;
  bytesReceived: number;
  bytesSent: number;
  error: PlatformError | undefined;
  /** The asking side went away before it had its whole answer: nobody is left to be told. */
  hasLeft: boolean;
}

/**
 * Relays one exchange. Resolves when it is over. While nothing has been answered a failure leaves
 * the asking side open, so that the caller can say what happened: `body_too_large`,
 * `request_timeout`, `request_malformed` or `service_unavailable`. After that, it is cut.
 */
export async function relay(
  server: ServerStream,
  client: Client,
  head: RequestHead,
  options: RelayOptions,
): Promise<Outcome> {
  if (options.bodyBytes > 0 && (head.length ?? 0) > options.bodyBytes) {
    const error = tooLarge(options.bodyBytes);
    return { status: 0, bytesReceived: 0, bytesSent: 0, error, hasLeft: false };
  }
  return new Promise((resolve) => new Relay(server, client, head, options, resolve).start());
}

class Relay implements ClientListener {
  readonly #server: ServerStream;
  readonly #client: Client;
  readonly #head: RequestHead;
  readonly #options: RelayOptions;
  readonly #resolve: (outcome: Outcome) => void;
  #call: ClientStream | undefined;
  #status = 0;
  #bytesReceived = 0;
  #bytesSent = 0;
  #isOver = false;
  #hasLeft = false;
  readonly #timers: NodeJS.Timeout[] = [];
  #silence: NodeJS.Timeout | undefined;
  #bodyTimer: NodeJS.Timeout | undefined;

  constructor(
    server: ServerStream,
    client: Client,
    head: RequestHead,
    options: RelayOptions,
    resolve: (outcome: Outcome) => void,
  ) {
    this.#server = server;
    this.#client = client;
    this.#head = head;
    this.#options = options;
    this.#resolve = resolve;
  }

  start(): void {
    const { limits } = this.#options;
    this.#server.onClose(() => {
      if (this.#isOver) return;
      this.#hasLeft = true;
      this.#finish();
    });
    this.#silence = this.#after(limits.streamIdleTimeoutMs, 'the service did not answer in time');
    this.#after(limits.responseTimeoutMs, 'the answer took too long');
    const waiting = this.#client.ready();
    if (waiting === undefined) this.#send();
    else waiting.then(() => this.#send()).catch((error) => this.onError(error));
  }

  #send(): void {
    if (this.#isOver) return;
    try {
      this.#call = this.#client.send(this.#head, this);
    } catch (error) {
      this.onError(error as Error);
      return;
    }
    const { held } = this.#options;
    if (held !== undefined) this.#sendHeld(this.#call, held);
    else if (this.#head.hasBody) this.#sendBody(this.#call);
  }

  #sendHeld(call: ClientStream, held: HeldBody): void {
    this.#bytesReceived = held.bytes;
    // It counts as held until it has left for the service.
    call.sink.once('finish', () => held.release());
    call.sink.end(held.whole());
  }

  #sendBody(call: ClientStream): void {
    const { bodyBytes, limits } = this.#options;
    if (bodyBytes > 0) {
      this.#bodyTimer = setTimeout(() => {
        this.#finish(new PlatformError('request_timeout', 'the body did not arrive in time'));
      }, limits.bodyTimeoutMs);
      this.#timers.push(this.#bodyTimer);
    }
    this.#server.continue();
    const { body } = this.#server;
    this.#pump(body, call.sink, this.#countReceived, () => {
      clearTimeout(this.#bodyTimer);
      call.sink.end();
    });
    body.on('error', (error) => this.#finish(broken(error)));
    body.once('aborted', () => this.#finish(broken()));
  }

  readonly #countReceived = (bytes: number): boolean => {
    const { bodyBytes } = this.#options;
    this.#bytesReceived += bytes;
    // A WebSocket has no body: what it carries has no end either.
    if (this.#status === 101 || bodyBytes === 0 || this.#bytesReceived <= bodyBytes) return true;
    this.#finish(tooLarge(bodyBytes));
    return false;
  };

  readonly #countSent = (bytes: number): boolean => {
    this.#bytesSent += bytes;
    return true;
  };

  /** Moves a body; reading stops while the sink is full, so that only one chunk or so is held. */
  #pump(from: Readable, to: Writable, count: (bytes: number) => boolean, end: () => void): void {
    from.on('data', (chunk: Buffer) => {
      if (this.#isOver || !count(chunk.length)) return;
      this.#touch();
      if (!to.write(chunk)) from.pause();
    });
    to.on('drain', () => from.resume());
    from.once('end', () => {
      if (!this.#isOver) end();
    });
  }

  onResponse(response: ClientResponse): void {
    if (this.#isOver) return;
    this.#touch();
    const { status, hasBody, body } = response;
    let sink: Writable;
    try {
      const head = this.#options.onResponse?.(status, response.headers, hasBody) ?? response;
      this.#status = head.status;
      sink = this.#server.respond(head.status, head.headers, hasBody);
    } catch (error) {
      this.#status = 0;
      this.#finish(unavailable('its answer cannot be passed on', error));
      return;
    }
    const end = () => {
      try {
        this.#server.finish(response.trailers());
      } catch (error) {
        this.#finish(unavailable('its answer cannot be passed on', error));
        return;
      }
      this.#delivered(sink);
    };
    if (!hasBody) {
      end();
      return;
    }
    this.#pump(body, sink, this.#countSent, end);
  }

  /** The answer is on its way; the outcome is known when the last byte has left. */
  #delivered(sink: Writable): void {
    if (sink.writableFinished || sink.destroyed) this.#finish();
    else sink.once('finish', () => this.#finish());
  }

  onUpgrade(headers: HeaderPairs, socket: Duplex, first: Buffer): void {
    if (this.#isOver) {
      socket.destroy();
      return;
    }
    this.#status = 101;
    let asking: ReturnType<ServerStream['switchProtocols']>;
    try {
      const head = this.#options.onResponse?.(101, headers, false) ?? { headers };
      asking = this.#server.switchProtocols(head.headers);
    } catch (error) {
      this.#status = 0;
      socket.destroy();
      this.#finish(unavailable('its answer cannot be passed on', error));
      return;
    }
    for (const timer of this.#timers) clearTimeout(timer);
    const { streamIdleTimeoutMs } = this.#options.limits;
    this.#silence = this.#after(streamIdleTimeoutMs, 'the connection was silent for too long');
    this.#call = { sink: socket, destroy: () => socket.destroy() };
    this.#tie(asking.socket, socket);
    this.#tie(socket, asking.socket);
    if (asking.head.length > 0) socket.write(asking.head);
    if (first.length > 0) asking.socket.write(first);
    this.#pump(asking.socket, socket, this.#countReceived, () => socket.end());
    this.#pump(socket, asking.socket, this.#countSent, () => asking.socket.end());
    asking.socket.resume();
    socket.resume();
  }

  /** When one side is gone, the other gets what is under way and then ends too. */
  #tie(gone: Duplex, other: Duplex): void {
    gone.on('error', () => gone.destroy());
    gone.once('close', () => {
      if (other.destroyed) this.#finish();
      else (other as Socket).destroySoon();
    });
  }

  onError(error: Error): void {
    this.#finish(error instanceof PlatformError ? error : unavailable('no answer', error));
  }

  #after(ms: number, what: string): NodeJS.Timeout | undefined {
    if (ms === 0) return undefined;
    const timer = setTimeout(() => this.#finish(unavailable(what)), ms);
    this.#timers.push(timer);
    return timer;
  }

  /** Something moved: silence starts anew. */
  #touch(): void {
    this.#silence?.refresh();
  }

  #finish(error?: PlatformError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    if (error !== undefined || this.#hasLeft || this.#server.isReceiving()) this.#call?.destroy();
    if (this.#status === 101) this.#server.cut();
    else if (error !== undefined && this.#server.hasResponded()) this.#server.cut();
    this.#resolve({
      status: this.#status,
      bytesReceived: this.#bytesReceived,
      bytesSent: this.#bytesSent,
      error,
      hasLeft: this.#hasLeft,
    });
  }
}

function broken(cause?: Error): PlatformError {
  return new PlatformError('request_malformed', 'the request broke off', { cause });
}

/** A body over its limit. */
export function tooLarge(bytesMax: number): PlatformError {
  return new PlatformError('body_too_large', `the body is over ${bytesMax} bytes`);
}

function unavailable(why: string, cause?: unknown): PlatformError {
  return new PlatformError('service_unavailable', `the service cannot be reached: ${why}`, {
    cause,
    hint: 'nothing is known to have happened; see the evidence before trying again',
  });
}
