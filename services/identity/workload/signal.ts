// Wakes all streams when something changed, bursts of changes at once, and every second besides.

/** How soon a second burst follows the first; a single change goes out at once. */
const burstMs = 50;
const tickMs = 1000;

/** One stream's ear. */
export interface Waiter {
  /** Resolves after the next change since it last resolved, or when the stream ends. */
  changed(): Promise<void>;
  /** Resolves it. */
  ring: () => void;
  close(): void;
}

export class Signal {
  readonly #waiters = new Set<() => void>();
  readonly #tick: NodeJS.Timeout;
  #pending: NodeJS.Timeout | undefined;
  #firedAt = 0;
  #epoch = 0;

  constructor(onTick: () => void) {
    // Renewals and the end of processes come by themselves: nobody tells of them.
    this.#tick = setInterval(() => {
      onTick();
      this.#fire();
    }, tickMs);
    this.#tick.unref();
  }

  /** Differs whenever something may have changed: what was found out in one epoch is good in it. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Something changed: everybody is woken, at once or with what else changes in a moment. */
  raise(): void {
    this.#epoch += 1;
    if (this.#pending !== undefined) return;
    const wait = Math.max(0, this.#firedAt + burstMs - performance.now());
    this.#pending = setTimeout(() => this.#fire(), wait);
  }

  /** Listens from now on, so that nothing that changes in between is lost. */
  waiter(end: AbortSignal): Waiter {
    let isChanged = false;
    let wake: (() => void) | undefined;
    const ring = () => {
      isChanged = true;
      wake?.();
    };
    this.#waiters.add(ring);
    end.addEventListener('abort', ring);
    return {
      ring,
      async changed() {
        if (!isChanged) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        wake = undefined;
        isChanged = false;
      },
      close: () => {
        this.#waiters.delete(ring);
        end.removeEventListener('abort', ring);
      },
    };
  }

  close(): void {
    clearInterval(this.#tick);
    clearTimeout(this.#pending);
  }

  #fire(): void {
    clearTimeout(this.#pending);
    this.#pending = undefined;
    this.#firedAt = performance.now();
    this.#epoch += 1;
    for (const ring of this.#waiters) ring();
  }
}
