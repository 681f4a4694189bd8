// The requests of a stream that is answered when something changes, and not only when one comes.
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';

/** How many requests may wait; whoever sends more without reading answers is cut off. */
const waitingMax = 64;

/** Reads a stream of requests as they come, and tells whoever follows. */
export class Inbox<Request> {
  readonly #end = new AbortController();
  readonly #waiting: Request[] = [];
  #failure: unknown;
  #isOver = false;
  #ring: () => void = () => {};

  constructor(requests: AsyncIterable<Request>, signal: AbortSignal) {
    signal.addEventListener('abort', () => this.#end.abort(), { once: true });
    if (signal.aborted) this.#end.abort();
    void this.#read(requests);
  }

  /** What came since it was last asked. Throws when the other side overran it. */
  take(): Request[] {
    if (this.#failure !== undefined) throw this.#failure;
    // What came last is answered before the stream ends.
    if (this.#isOver) this.#end.abort();
    return this.#waiting.splice(0);
  }

  /** The call's context, which ends also when the other side has no more requests. */
  context(context: HandlerContext): HandlerContext {
    return { ...context, signal: this.#end.signal };
  }

  /** Calls `ring` with each request from now on. */
  listen = (ring: () => void): void => {
    this.#ring = ring;
  };

  async #read(requests: AsyncIterable<Request>): Promise<void> {
    try {
      for await (const request of requests) {
        this.#waiting.push(request);
        if (this.#waiting.length > waitingMax) {
          throw new ConnectError('too many requests', Code.ResourceExhausted);
        }
        this.#ring();
      }
    } catch (error) {
      this.#failure = error;
    }
    this.#isOver = true;
    this.#ring();
  }
}
