// Lets so many pieces of work run at once; the others wait, first come, first served.

export class Turns {
  #free: number;
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
    this.#free = atOnce;
  }

  /** True when nothing runs and nothing waits. */
  get isFree(): boolean {
    return this.#free === this.#atOnce && this.#waiting.length === 0;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    // Whoever ends hands its turn on.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
