// The asking side over HTTP/2: one stream of a session as one stream of the relay.
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Readable, Writable } from 'node:stream';
import { PlatformError } from '../../runtime/errors.ts';
import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';
import type { ServerStream } from './streams.ts';

const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR } = constants;

export class Http2ServerStream implements ServerStream {
  readonly protocol = 'h2';
  readonly body: Readable;
  readonly #stream: ServerHttp2Stream;
  readonly #takesTrailers: boolean;
  #hasEnded = false;

  constructor(stream: ServerHttp2Stream, takesTrailers: boolean) {
    this.#stream = stream;
    this.#takesTrailers = takesTrailers;
    this.body = stream;
    stream.once('end', () => {
      this.#hasEnded = true;
    });
  }

  isReceiving(): boolean {
    return !this.#hasEnded && !this.#stream.endAfterHeaders;
  }

  continue(): void {
    const { headersSent, closed, destroyed } = this.#stream;
    if (!headersSent && !closed && !destroyed) this.#stream.additionalHeaders({ ':status': 100 });
  }

  respond(status: number, headers: HeaderPairs, hasBody: boolean): Writable {
    const waitForTrailers = hasBody && this.#takesTrailers;
    const fields = headerObject(headers);
    fields[':status'] = status;
    this.#stream.respond(fields, {
      endStream: !hasBody,
      waitForTrailers,
      ...{ sendDate: false },
    });
    return this.#stream;
  }

  finish(trailers: HeaderPairs): void {
    const stream = this.#stream;
    if (this.#takesTrailers) {
      stream.once('wantTrailers', () => {
        try {
          stream.sendTrailers(headerObject(trailers));
        } catch {
          // The service's trailers are none that HTTP/2 could carry, or the client has left.
          this.cut();
        }
      });
    }
    if (this.isReceiving()) {
      // The client may stop sending: its answer is whole (RFC 9113, section 8.1).
      stream.once('finish', () => stream.close(NGHTTP2_NO_ERROR));
    }
    stream.end();
  }

  switchProtocols(): never {
    throw new PlatformError('internal', 'HTTP/2 has no protocol switch');
  }

  cut(): void {
    this.#stream.close(NGHTTP2_INTERNAL_ERROR);
  }

  onClose(listener: () => void): void {
    this.#stream.once('close', listener);
  }

  hasResponded(): boolean {
    return this.#stream.headersSent;
  }
}

/** Node's HTTP/2 takes repeated fields as arrays. */
export function headerObject(headers: HeaderPairs): Record<string, string | string[] | number> {
  const object: Record<string, string | string[] | number> = Object.create(null);
  for (const [name, value] of headers) {
    const earlier = object[name];
    if (earlier === undefined) object[name] = value;
    else if (Array.isArray(earlier)) earlier.push(value);
    else object[name] = [String(earlier), value];
  }
  return object;
}
