// The mesh filter's job in a few lines of TypeScript, so that the proxy is tested apart from any Wasm.
import { randomBytes, randomUUID } from 'node:crypto';
import type {
  Filter,
  FilterProperties,
  FilterStream,
  FilterVerdict,
  HeaderPairs,
} from '../../../runtime/proxywasm/filter.ts';

export interface TestFilterOptions {
  /** Which peers pass; all without it. */
  allows?: (spiffeId: string) => boolean;
  /** Runs on each request's head, to fail as a broken filter would. */
  before?: (headers: HeaderPairs) => void;
}

/** Removes forged headers, names the peer, fixes the facts of the request, and decides. */
export function testFilter(options: TestFilterOptions = {}): Filter {
  return { stream: (properties) => new TestStream(properties, options), close() {} };
}

class TestStream implements FilterStream {
  readonly #properties: FilterProperties;
  readonly #options: TestFilterOptions;
  readonly #facts = new Map<string, string>();

  constructor(properties: FilterProperties, options: TestFilterOptions) {
    this.#properties = properties;
    this.#options = options;
  }

  requestHeaders(headers: HeaderPairs): FilterVerdict {
    this.#options.before?.(headers);
    const peer = String(this.#properties.get('connection.uri_san_peer_certificate'));
    const isService = peer.includes('/service/');
    const requestId = randomUUID();
    const decision = randomBytes(32).toString('hex');
    this.#facts.set('request_id', requestId).set('decision_id', decision);
    if (this.#options.allows?.(peer) === false) {
      this.#facts.set('reason', 'denied');
      return {
        kind: 'respond',
        status: 403,
        headers: [['content-type', 'application/problem+json']],
        body: Buffer.from(JSON.stringify({ code: 'denied', status: 403, decision_id: decision })),
        detail: 'not among the callers',
      };
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
    return { kind: 'continue', headers: kept };
  }

  requestBody(): FilterVerdict {
    throw new Error('this filter waits for no body');
  }

  responseHeaders(headers: HeaderPairs): FilterVerdict {
    return { kind: 'continue', headers };
  }

  facts(): ReadonlyMap<string, string> {
    return this.#facts;
  }

  end(): void {}
}
