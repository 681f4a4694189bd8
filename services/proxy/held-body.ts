// Holds the body of a request while the filter waits for it, within bounds for each connection and for all of them.
import { PlatformError } from '../../runtime/errors.ts';
import type { FilterStream, FilterVerdict } from '../../runtime/proxywasm/filter.ts';
import { JoinedBytes } from '../../runtime/proxywasm/joined-bytes.ts';
import type { ProxyLimits } from './limits.ts';
import { tooLarge } from './relay.ts';
import type { ServerStream } from './streams.ts';

/** What is held of bodies, by connection. */
export class HeldBytes {
  readonly #limits: Pick<ProxyLimits, 'heldBytes' | 'heldBytesPerConnection'>;
  readonly #byConnection = new WeakMap<object, number>();
  #all = 0;

  constructor(limits: Pick<ProxyLimits, 'heldBytes' | 'heldBytesPerConnection'>) {
    this.#limits = limits;
  }

  /** All that is held at the moment. */
  get bytes(): number {
    return this.#all;
  }

  /** Counts more bytes of a connection; false, and nothing counted, where there is no room for them. */
  take(connection: object, bytes: number): boolean {
    const held = (this.#byConnection.get(connection) ?? 0) + bytes;
    const { heldBytes, heldBytesPerConnection } = this.#limits;
    if (held > heldBytesPerConnection || this.#all + bytes > heldBytes) return false;
    this.#byConnection.set(connection, held);
    this.#all += bytes;
    return true;
  }

  release(connection: object, bytes: number): void {
    this.#byConnection.set(connection, (this.#byConnection.get(connection) ?? 0) - bytes);
    this.#all -= bytes;
  }
}

/** A body that was read before anything of the request went on. */
export class HeldBody {
  readonly #held: HeldBytes;
  readonly #connection: object;
  #joined = new JoinedBytes();

  constructor(held: HeldBytes, connection: object) {
    this.#held = held;
    this.#connection = connection;
  }

  get bytes(): number {
    return this.#joined.length;
  }

  /** Adds a part; throws `service_unavailable` where too much is held already. */
  add(chunk: Buffer): void {
    if (!this.#held.take(this.#connection, chunk.length)) {
      throw new PlatformError('service_unavailable', 'too many bodies wait for a decision', {
        hint: 'wait for some of them to end',
      });
    }
    this.#joined.add(chunk);
  }

  /** All of it, in one piece. */
  whole(): Buffer {
    return this.#joined.whole();
  }

  /** Drops it; nothing is held any more. */
  release(): void {
    this.#held.release(this.#connection, this.bytes);
    this.#joined = new JoinedBytes();
  }
}

export interface HoldOptions {
  filter: FilterStream;
  limits: ProxyLimits;
  /** Largest body of the request; 0 where only the filter has a limit. */
  bodyBytes: number;
}

/**
 * Reads the body into `held` until the filter decides. Undefined when the asking side has left. Throws
 * `body_too_large`, `request_timeout`, `request_malformed` for one that breaks off, or what `held` throws.
 */
export function holdBody(
  stream: ServerStream,
  held: HeldBody,
  { filter, limits, bodyBytes }: HoldOptions,
): Promise<FilterVerdict | undefined> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const timer = setTimeout(() => {
      fail(new PlatformError('request_timeout', 'the body did not arrive in time'));
    }, limits.bodyTimeoutMs);
    const finish = (verdict: FilterVerdict | undefined) => {
      isOver = true;
      clearTimeout(timer);
      resolve(verdict);
    };
    const fail = (error: unknown) => {
      isOver = true;
      clearTimeout(timer);
      reject(error);
    };
    let verdict: FilterVerdict | undefined;
    const take = (chunk: Buffer, isLast: boolean) => {
      // What comes after a denial is thrown away: the answer is on its way.
      if (isOver) return;
      try {
        held.add(chunk);
        if (bodyBytes > 0 && held.bytes > bodyBytes) {
          throw tooLarge(bodyBytes);
        }
        if (verdict?.kind !== 'continue') verdict = filter.requestBody(chunk, isLast);
        // A filter may let a body pass by its beginning: then the rest of it goes on too.
        if (isLast || verdict.kind === 'respond') finish(verdict);
      } catch (error) {
        fail(error);
      }
    };
    const { body } = stream;
    stream.onClose(() => isOver || finish(undefined));
    stream.continue();
    body.on('data', (chunk: Buffer) => take(chunk, false));
    body.once('end', () => take(Buffer.alloc(0), true));
    body.on('error', (cause) => isOver || fail(brokenOff(cause)));
    body.once('aborted', () => isOver || fail(brokenOff()));
  });
}

function brokenOff(cause?: Error): PlatformError {
  return new PlatformError('request_malformed', 'the request broke off', { cause });
}
