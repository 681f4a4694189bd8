// Sends requests to the next hop over HTTP/1.1, on kept connections that somebody else opens.
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';
import { type RequestHead, responseFields } from './fields.ts';
import type { Client, ClientListener, ClientStream } from './streams.ts';

/** Opens a connection to the next hop, ready for a request. */
export type Connector = () => Promise<Duplex>;

export interface Http1ClientConfig {
  connect: Connector;
  /** Connections at once; further requests wait. */
  connections: number;
  /** How long an idle connection is kept: shorter than the next hop keeps it. */
  keepMs: number;
}

/** Creates the client of one next hop. */
export function http1Client(config: Http1ClientConfig): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: config.connections, scheduling: 'lifo' });
  agent.createConnection = (_options, done) => {
    config.connect().then(
      (socket) => done?.(null, socket),
      (error: Error) => done?.(error, undefined as never),
    );
    return undefined;
  };
  agent.on('free', (socket: Duplex & { setTimeout(ms: number): void }) => {
    socket.setTimeout(config.keepMs);
  });
  return {
    ready: () => undefined,
    send: (head, listener) => new Http1Exchange(agent, head, listener),
    retire() {
      agent.maxFreeSockets = 0;
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of [...(sockets ?? [])]) socket.destroy();
      }
    },
    destroy: () => agent.destroy(),
  };
}

class Http1Exchange implements ClientStream {
  readonly #agent: Agent;
  readonly #head: RequestHead;
  readonly #listener: ClientListener;
  readonly #raw: string[];
  #isOver = false;
  #hasAnswer = false;
  sink: ClientRequest;

  constructor(agent: Agent, head: RequestHead, listener: ClientListener) {
    this.#agent = agent;
    this.#head = head;
    this.#listener = listener;
    this.#raw = rawHeaders(head);
    this.sink = this.#start();
  }

  #start(): ClientRequest {
    const call = request({
      agent: this.#agent,
      method: this.#head.method,
      path: this.#head.target,
      headers: this.#raw,
      setDefaultHeaders: false,
    });
    call.once('response', (answer) => this.#answered(answer));
    call.on('error', (error) => this.#failed(call, error));
    if (this.#head.isUpgrade) {
      call.once('upgrade', (answer: IncomingMessage, socket, first) => {
        this.#isOver = true;
        this.#listener.onUpgrade(responseFields(answer.rawHeaders), socket, first);
      });
    }
    if (!this.#head.hasBody) call.end();
    // Head and body go out in one packet where the body is there already, and the head alone if not.
    else setImmediate(() => call.flushHeaders());
    return call;
  }

  #answered(answer: IncomingMessage): void {
    this.#hasAnswer = true;
    const status = answer.statusCode ?? 502;
    const headers = responseFields(answer.rawHeaders);
    const hasBody =
      this.#head.method !== 'HEAD' && status !== 204 && status !== 304 && !isEmpty(headers);
    answer.once('end', () => {
      this.#isOver = true;
    });
    answer.once('error', (error) => this.#report(error));
    if (!hasBody) answer.resume();
    const trailers = () => responseFields(answer.rawTrailers);
    this.#listener.onResponse({ status, headers, hasBody, body: answer, trailers });
  }

  /**
   * The next hop may close a kept connection at the very moment at which it is used again. Nothing
   * was read of a request that had no body, so it is sent once more (RFC 9110, section 9.2.2).
   */
  #failed(call: ClientRequest, error: NodeJS.ErrnoException): void {
    const wasKept = call.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
    const isSafe = this.#head.method === 'GET' || this.#head.method === 'HEAD';
    if (wasKept && isSafe && !this.#head.hasBody && !this.#isOver && !this.#hasAnswer) {
      this.sink = this.#start();
      return;
    }
    this.#report(error);
  }

  #report(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onError(error);
  }

  destroy(): void {
    this.#isOver = true;
    this.sink.destroy();
  }
}

function isEmpty(headers: HeaderPairs): boolean {
  return headers.some(([name, value]) => name === 'content-length' && value === '0');
}

/** Framing is always said, so that Node adds none of its own. */
function rawHeaders(head: RequestHead): string[] {
  const raw = ['host', head.authority];
  for (const [name, value] of head.headers) raw.push(name, value);
  if (head.isUpgrade) raw.push('connection', 'Upgrade', 'upgrade', 'websocket');
  else if (head.takesTrailers) raw.push('te', 'trailers');
  if (head.hasBody && head.length === undefined) raw.push('transfer-encoding', 'chunked');
  else if (head.hasBody || head.length !== undefined) {
    raw.push('content-length', String(head.length));
  } else if (head.method === 'POST' || head.method === 'PUT' || head.method === 'PATCH') {
    raw.push('content-length', '0');
  }
  return raw;
}
