// Holds the body of a request while the filter waits for it, within bounds for each sender and for all of them.
import { PlatformError } from '../../runtime/errors.ts';
import type { FilterStream, FilterVerdict } from '../../runtime/proxywasm/filter.ts';
import { JoinedBytes } from '../../runtime/proxywasm/joined-bytes.ts';
import type { ProxyLimits } from './limits.ts';
import { tooLarge } from './relay.ts';
import type { ServerStream } from './streams.ts';

/** What is held of bodies, by agent; services, which act for many, by connection. */
export class HeldBytes {
  readonly #limits: Pick<ProxyLimits, 'heldBytes' | 'heldBytesPerAgent'>;
  readonly #bySender = new Map<string | object, number>();
  #all = 0;

  constructor(limits: Pick<ProxyLimits, 'heldBytes' | 'heldBytesPerAgent'>) {
    this.#limits = limits;
  }

  /** All that is held at the moment. */
  get bytes(): number {
    return this.#all;
  }

  /** Counts more bytes of a sender; false, and nothing counted, where there is no room for them. */
  take(sender: string | object, bytes: number): boolean {
    const held = (this.#bySender.get(sender) ?? 0) + bytes;
    const { heldBytes, heldBytesPerAgent } = this.#limits;
    if (held > heldBytesPerAgent || this.#all + bytes > heldBytes) return false;
    this.#bySender.set(sender, held);
    this.#all += bytes;
    return true;
  }

  release(sender: string | object, bytes: number): void {
    const left = (this.#bySender.get(sender) ?? 0) - bytes;
    if (left > 0) this.#bySender.set(sender, left);
    else this.#bySender.delete(sender);
    this.#all -= bytes;
  }
}

/** A body that was read before anything of the request went on. */
export class HeldBody {
  readonly #held: HeldBytes;
  readonly #sender: string | object;
  #joined = new JoinedBytes();

  constructor(held: HeldBytes, sender: string | object) {
    this.#held = held;
    this.#sender = sender;
  }

  get bytes(): number {
    return this.#joined.length;
  }

  /** Adds a part; throws `service_unavailable` where too much is held already. */
  add(chunk: Buffer): void {
    if (!this.#held.take(this.#sender, chunk.length)) {
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
    this.#held.release(this.#sender, this.bytes);
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
