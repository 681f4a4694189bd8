// The mesh filter's job in a few lines of TypeScript, so that the proxy is tested apart from any Wasm.
import { randomBytes, randomUUID } from 'node:crypto';
import type {
  Filter,
  FilterProperties,
  FilterStream,
  FilterVerdict,
  HeaderPairs,
} from '../../../runtime/proxywasm/filter.ts';

const bodyBytesMax = 1024 * 1024;

export interface TestFilterOptions {
  /** Which peers pass; all without it. */
  allows?: (spiffeId: string) => boolean;
  /** Runs on each request's head, to fail as a broken filter would. */
  before?: (headers: HeaderPairs) => void;
  /** Waits for bodies, and lets those pass of which it says so. */
  reads?: (body: Buffer, headers: HeaderPairs) => boolean;
  /** Lets a body pass as soon as any of it is there. */
  glances?: boolean;
}

/** Removes forged headers, names the peer, fixes the facts of the request, and decides. */
export function testFilter(options: TestFilterOptions = {}): Filter {
  return { stream: (properties) => new TestStream(properties, options), close() {} };
}

/** The one message that the contract sends to services whose bodies are read. */
export function readsListing(body: Buffer, headers: HeaderPairs): boolean {
  if (headers.some(([name]) => name === 'content-encoding')) return false;
  return /^\{"jsonrpc":"2.0","id":1,"method":"tools\/list"\} *$/.test(body.toString());
}

class TestStream implements FilterStream {
  readonly #properties: FilterProperties;
  readonly #options: TestFilterOptions;
  readonly #facts = new Map<string, string>();
  #kept: HeaderPairs = [];
  #body = Buffer.alloc(0);

  constructor(properties: FilterProperties, options: TestFilterOptions) {
    this.#properties = properties;
    this.#options = options;
  }

  requestHeaders(headers: HeaderPairs, endOfStream: boolean): FilterVerdict {
    this.#options.before?.(headers);
    const peer = String(this.#properties.get('connection.uri_san_peer_certificate'));
    const isService = peer.includes('/service/');
    const requestId = randomUUID();
    const decision = randomBytes(32).toString('hex');
    this.#facts.set('request_id', requestId).set('decision_id', decision);
    if (this.#options.allows?.(peer) === false) {
      return this.#denied('not among the callers');
    }
    const kept = headers.filter(([name]) => {
      if (name === 'x-platform-on-behalf-of') return isService;
      return name === 'x-platform-approval' || !name.startsWith('x-platform-');
    });
    kept.push(
      ['x-platform-spiffe-id', peer],
      ['x-platform-request-id', requestId],
      ['x-platform-time', new Date().toISOString()],
      ['x-platform-salt', randomBytes(32).toString('hex')],
      ['x-platform-mesh-decision', decision],
    );
    this.#kept = kept;
    const reads = this.#options.reads !== undefined;
    if (reads && headers.some(([name]) => name === 'upgrade')) {
      return this.#denied('another protocol');
    }
    const waits = reads && !endOfStream;
    return { kind: waits ? 'wait' : 'continue', headers: kept };
  }

  requestBody(chunk: Uint8Array, endOfStream: boolean): FilterVerdict {
    this.#body = Buffer.concat([this.#body, chunk]);
    if (this.#body.length > bodyBytesMax) return this.#denied('too large');
    if (this.#options.glances) return { kind: 'continue', headers: this.#kept };
    if (!endOfStream) return { kind: 'wait', headers: this.#kept };
    if (this.#options.reads?.(this.#body, this.#kept) !== true) return this.#denied('not listed');
    return { kind: 'continue', headers: this.#kept };
  }

  #denied(detail: string): FilterVerdict {
    const decision_id = this.#facts.get('decision_id');
    this.#facts.set('reason', 'denied');
    return {
      kind: 'respond',
      status: 403,
      headers: [['content-type', 'application/problem+json']],
      body: Buffer.from(JSON.stringify({ code: 'denied', status: 403, decision_id })),
      detail,
    };
  }

  responseHeaders(headers: HeaderPairs): FilterVerdict {
    return { kind: 'continue', headers };
  }

  facts(): ReadonlyMap<string, string> {
    return this.#facts;
  }

  end(): void {}
}
